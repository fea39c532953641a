"""Who reads which index, by a SAM template in YAML: resolvers with their code inline, and whoever else is permitted."""

from __future__ import annotations

import pytest

from capacity.lint import lint
from capacity.templates.appsync import read_code
from capacity.templates.description import Description
from capacity.templates.load import parse_description

TEMPLATE = """\
Transform: AWS::Serverless-2016-10-31
Resources:
  Api:
    Type: AWS::AppSync::GraphQLApi
    Properties: {Name: posts, AuthenticationType: API_KEY}
  Source:
    Type: AWS::AppSync::DataSource
    Properties:
      ApiId: !GetAtt Api.ApiId
      Name: posts_source
      Type: AMAZON_DYNAMODB
      ServiceRoleArn: !GetAtt Role.Arn
      DynamoDBConfig: {TableName: !Ref Posts, AwsRegion: !Ref AWS::Region}
  Role:
    Type: AWS::IAM::Role
    Properties:
      Policies:
        - PolicyName: read
          PolicyDocument:
            Statement:
              - {Effect: Allow, Action: dynamodb:Query, Resource: [!GetAtt Posts.Arn, !Sub "${Posts.Arn}/index/*"]}
  List:
    Type: AWS::AppSync::Resolver
    Properties:
      ApiId: !GetAtt Api.ApiId
      TypeName: Query
      FieldName: list
      DataSourceName: !GetAtt Source.Name
      RequestMappingTemplate: |
        {"version": "2018-05-29", "operation": "Query", "index": "by_author", "query": {"expression": "author = :a"}}
  Posts:
    Type: AWS::DynamoDB::Table
    Properties:
      KeySchema: [{AttributeName: id, KeyType: HASH}]
      AttributeDefinitions:
        - {AttributeName: id, AttributeType: S}
        - {AttributeName: author, AttributeType: S}
        - {AttributeName: shop, AttributeType: S}
      BillingMode: PAY_PER_REQUEST
      GlobalSecondaryIndexes:
        - {IndexName: by_author, KeySchema: [{AttributeName: author, KeyType: HASH}], Projection: {ProjectionType: ALL}}
        - {IndexName: by_shop, KeySchema: [{AttributeName: shop, KeyType: HASH}], Projection: {ProjectionType: ALL}}
"""


def unread(description: Description) -> list[str | None]:
    return [finding.index for finding in lint(description) if finding.rule == "unread-index"]


def read(more: str = "", old: str = "", new: str = "") -> Description:
    assert old in TEMPLATE
    return parse_description(TEMPLATE.replace(old, new) + more, "t.yaml")


def test_the_index_that_the_only_resolver_does_not_name_is_unread() -> None:
    description = read()
    assert description.apis == ("Api",)
    assert [(call.operation, call.index, call.by) for call in description.tables[0].calls] == [
        ("Query", "by_author", "Query.list")
    ]
    assert unread(description) == ["by_shop"]


FUNCTION = """\
  Fn:
    Type: AWS::Serverless::Function
    Properties: {Handler: h, Policies: [POLICY]}
"""
POLICY = """\
  Policy:
    Type: AWS::IAM::Policy
    Properties:
      PolicyName: p
      Roles: [another]
      PolicyDocument: {Statement: [{Effect: EFFECT, Action: ACTION, Resource: RESOURCE}]}
"""


def policy(effect: str, action: str, resource: str) -> str:
    return POLICY.replace("EFFECT", effect).replace("ACTION", action).replace("RESOURCE", resource)


@pytest.mark.parametrize(
    ("more", "readers"),
    [
        (FUNCTION.replace("POLICY", "DynamoDBReadPolicy: {TableName: !Ref Posts}"), ("Fn",)),
        (FUNCTION.replace("POLICY", "DynamoDBWritePolicy: {TableName: !Ref Posts}"), ()),
        (FUNCTION.replace("POLICY", "DynamoDBReadPolicy: {TableName: other}"), ()),
        (policy("Allow", "'dynamodb:*'", "'*'"), ("another",)),
        (policy("Allow", "dynamodb:Scan", '!Sub "${Posts.Arn}/index/by_shop"'), ("another",)),
        (policy("Allow", "dynamodb:PutItem", "!GetAtt Posts.Arn"), ()),
        (policy("Deny", "dynamodb:Query", "!GetAtt Posts.Arn"), ()),
        (policy("Allow", "dynamodb:Query", "arn:aws:dynamodb:eu-west-1:1:table/PostsArchive"), ()),
        (policy("Allow", "dynamodb:Query", "'arn:aws:dynamodb:*:*:table/*'"), ("another",)),
    ],
)
def test_whoever_else_may_read_makes_it_uncertain(more: str, readers: tuple[str, ...]) -> None:
    description = read(more)
    assert description.tables[0].other_readers == readers
    assert unread(description) == ([] if readers else ["by_shop"])


def test_a_resolver_whose_code_is_elsewhere_makes_it_uncertain() -> None:
    more = TEMPLATE[TEMPLATE.index("  List:") : TEMPLATE.index("      RequestMappingTemplate")].replace("List", "More")
    description = read(more + "      CodeS3Location: s3://bucket/code.js\n")
    assert description.tables[0].other_readers == ("Query.list",)
    assert unread(description) == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ('{"operation": "GetItem", "key": {}}', ("GetItem", None)),
        ("return { operation: 'Query', index: 'by_shop' }", ("Query", "by_shop")),
        (
            "import * as ddb from '@aws-appsync/utils/dynamodb'\nreturn ddb.query({index: 'by_shop'})",
            ("Query", "by_shop"),
        ),
        ("return ddb.put({ key, item })", ("PutItem", None)),
        ("return { operation: 'Query', index: ctx.args.index }", (None, None)),
        ("return ctx.args.a ? { operation: 'Query' } : { operation: 'Scan' }", (None, None)),
        ('{"version": "2018-05-29", "payload": {}}', (None, None)),
        (None, (None, None)),
    ],
)
def test_code_tells_its_operation_and_index_or_nothing(code: str | None, found: tuple[str | None, str | None]) -> None:
    assert read_code(code) == found
