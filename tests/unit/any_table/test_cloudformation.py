"""Templates by hand: short forms, parameters, conditions, mappings; and what is said of one that is not right."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.dynamodb.table import Key, Throughput
from capacity.physics.autoscaling import TargetTracking
from capacity.templates import DescribedTable, Description, TemplateError
from capacity.templates.load import parse_description
from capacity.templates.resources import (
    DATA_SOURCE,
    POLICIES,
    RESOLVER,
    SCALABLE_TARGET,
    SCALING_POLICY,
    TABLE_TYPES,
)

TEMPLATE = """\
AWSTemplateFormatVersion: 2010-09-09
Parameters:
  Stage: {Type: String, Default: dev}
  Reads: {Type: Number, Default: 5}
  Writes: {Type: Number}
Mappings:
  Sizes:
    dev: {Index: 2}
    prod: {Index: 50}
Conditions:
  IsProd: !Equals [!Ref Stage, prod]
  IsDev: !Not [!Condition IsProd]
Resources:
  Events:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub "${Stage}-events-${!literal}"
      AttributeDefinitions:
        - {AttributeName: id, AttributeType: S}
        - {AttributeName: at, AttributeType: N}
        - {AttributeName: kind, AttributeType: S}
      KeySchema:
        - {AttributeName: id, KeyType: HASH}
        - {AttributeName: at, KeyType: RANGE}
      BillingMode: PROVISIONED
      ProvisionedThroughput: {ReadCapacityUnits: !Ref Reads, WriteCapacityUnits: !Ref Writes}
      GlobalSecondaryIndexes:
        - IndexName: by_kind
          KeySchema: [{AttributeName: kind, KeyType: HASH}]
          Projection: {ProjectionType: INCLUDE, NonKeyAttributes: [title]}
          ProvisionedThroughput:
            ReadCapacityUnits: !FindInMap [Sizes, !Ref Stage, Index]
            WriteCapacityUnits: !If [IsProd, 100, 10]
      TimeToLiveSpecification: !If [IsDev, {AttributeName: ttl, Enabled: true}, !Ref AWS::NoValue]
  Archive:
    Type: AWS::DynamoDB::Table
    Condition: IsProd
    Properties:
      KeySchema: [{AttributeName: id, KeyType: HASH}]
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      BillingMode: PAY_PER_REQUEST
  Simple:
    Type: AWS::Serverless::SimpleTable
  WriteTarget:
    Type: AWS::ApplicationAutoScaling::ScalableTarget
    Properties:
      ResourceId: !Join [/, [table, !Ref Events]]
      ScalableDimension: dynamodb:table:WriteCapacityUnits
      ServiceNamespace: dynamodb
      MinCapacity: 10
      MaxCapacity: 90
  WritePolicy:
    Type: AWS::ApplicationAutoScaling::ScalingPolicy
    Properties:
      PolicyType: TargetTrackingScaling
      ScalingTargetId: !Ref WriteTarget
      TargetTrackingScalingPolicyConfiguration: {TargetValue: 70}
"""


def read(text: str = TEMPLATE, **parameters: str) -> Description:
    return parse_description(text, "t.yaml", {"Writes": "20", **parameters})


def table(description: Description, name: str) -> DescribedTable:
    return next(each for each in description.tables if each.table.name == name)


def faults(text: str, **parameters: str) -> list[str]:
    with pytest.raises(TemplateError) as caught:
        parse_description(text, "t.yaml", parameters)
    return [str(fault) for fault in caught.value.faults]


def edited(old: str, new: str) -> str:
    assert old in TEMPLATE
    return TEMPLATE.replace(old, new)


def test_functions_are_answered_from_defaults_and_given_parameters() -> None:
    events = table(read(), "dev-events-${literal}")
    assert events.table.key == Key("id", "at")
    assert events.table.throughput == Throughput(5, 20)
    assert events.table.indexes[0].throughput == Throughput(2, 10)
    assert events.table.indexes[0].projection.attributes == ("title",)
    assert events.table.ttl_attribute == "ttl"
    assert events.scaling == {(None, "write"): TargetTracking(10, 90, 0.7)}


def test_another_stage_is_another_table() -> None:
    events = table(read(Stage="prod"), "prod-events-${literal}")
    assert events.table.indexes[0].throughput == Throughput(50, 100)
    assert events.table.ttl_attribute is None


def test_a_resource_whose_condition_does_not_hold_is_left_out_and_said_so() -> None:
    assert [each.table.name for each in read().tables] == ["dev-events-${literal}", "Simple"]
    assert "Archive is left out: its condition IsProd does not hold" in read().notes
    assert "Archive" in [each.table.name for each in read(Stage="prod").tables]


def test_a_simple_table_has_a_text_key_called_id() -> None:
    simple = table(read(), "Simple").table
    assert (simple.key, simple.attribute_types, simple.throughput) == (Key("id"), {"id": "S"}, None)


def test_a_name_that_only_a_deployment_knows_still_ties_the_parts_together() -> None:
    text = edited("Stage: {Type: String, Default: dev}", "Stage: {Type: String}").replace(
        "!FindInMap", "!Select [0, [7]] #"
    )
    events = parse_description(
        text.replace("!If [IsProd, 100, 10]", "4").replace("!If [IsDev, ", "").replace(", !Ref AWS::NoValue]", ""),
        "t.yaml",
        {"Writes": "1"},
    ).tables[0]
    assert events.table.name == "${Stage}-events-${literal}"
    assert (None, "write") in events.scaling


def test_all_faults_are_told_at_once_with_their_lines() -> None:
    text = (
        edited("AttributeType: N", "AttributeType: Number")
        .replace("INCLUDE, ", "SOME, ")
        .replace("TargetValue: 70", "TargetValue: 95")
    )
    assert faults(text) == [
        "t.yaml:20: Resources.Events.Properties.AttributeDefinitions.1.AttributeType: "
        "'Number' was given; expected S, N or B",
        "t.yaml:26: Resources.Events.Properties.ProvisionedThroughput.WriteCapacityUnits: ${Writes} can't be answered: "
        "a parameter without a default: give it, as in --parameter Writes=VALUE",
        "t.yaml:30: Resources.Events.Properties.GlobalSecondaryIndexes.0.Projection.ProjectionType: 'SOME' was given; "
        "expected ALL, KEYS_ONLY or INCLUDE",
        "t.yaml:54: Resources.WritePolicy.Properties: target 0.95 was given; expected 0.2 to 0.9, such as 0.7",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no description of tables"),
        ("Resources: {}", "has no DynamoDB table"),
        ("[1, 2]", "is no description of tables"),
        ("Resources: {T: {Type: AWS::DynamoDB::Table}}", "KeySchema has no HASH"),
        (edited("Writes: {Type: Number}", "Writes: {Type: Number, Default: many}"), "'many' was given; expected a num"),
        (edited("BillingMode: PROVISIONED", "BillingMode: FREE"), "FREE was given; expected PROVISIONED or PAY_PER_"),
        (edited("IsProd: !Equals [!Ref Stage, prod]", "IsProd: !Not [!Condition IsDev]"), "it depends on itself"),
        (edited("KeyType: RANGE", "KeyType: HASH"), "keys of several attributes are not modelled"),
        (edited("  Simple:", "  Events:"), "key 'Events' stands twice"),
        (edited("{AttributeName: at, AttributeType", "{AttributeName: al, AttributeType"), "'at' needs a type"),
        ("Resources: [" * 5000, "exceeded maximum nesting depth"),
        ("a: &a {b: *a}", "levels, aliases followed"),
        ("a: [1, 2", "is not YAML"),
    ],
)  # fmt: skip
def test_a_template_that_is_not_right_is_told_why(text: str, message: str) -> None:
    assert message in "\n".join(faults(text, **({} if "Default: many" in text else {"Writes": "20"})))


def test_names_that_refer_to_each_other_without_end_do_not_explode() -> None:
    doubling = "".join(
        f"  T{n}: {{Type: AWS::DynamoDB::Table, Properties: {{TableName: !Sub '${{T{n + 1}}}${{T{n + 1}}}', "
        f"BillingMode: PAY_PER_REQUEST, KeySchema: [{{AttributeName: a, KeyType: HASH}}], "
        f"AttributeDefinitions: [{{AttributeName: a, AttributeType: S}}]}}}}\n"
        for n in range(60)
    )
    names = [each.table.name for each in parse_description("Resources:\n" + doubling, "t.yaml").tables]
    assert max(map(len, names)) <= 200_100
    circular = (
        "Resources: {A: {Type: AWS::DynamoDB::Table, Properties: {TableName: !Ref B}}, "
        "B: {Type: AWS::DynamoDB::Table, Properties: {TableName: !Ref A}}}"
    )
    assert any("KeySchema has no HASH" in fault for fault in faults(circular))


def test_json_with_tabs_and_characters_beyond_the_first_plane() -> None:
    properties = '{"TableName": "\\ud83d\\ude00\\n\\/"}'
    text = '{"Resources": {\n\t"T": {"Type": "AWS::Serverless::SimpleTable", "Properties": ' + properties + "}}}"
    assert parse_description(text, "t.json").tables[0].table.name == "😀\n/"


def test_a_parameter_that_the_template_lacks_is_noted() -> None:
    assert "the template has no parameter Typo; it has Stage, Reads, Writes" in read(Typo="1").notes


JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
    | st.sampled_from(["AWS::DynamoDB::Table", "AWS::AppSync::DataSource", "T", "HASH", "ALL", "PROVISIONED"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["Ref", "Fn::Sub", "Fn::Join", "Fn::If", "Fn::GetAtt", "Fn::Select", "Fn::Split", "Fn::FindInMap", "Type",
             "Properties", "KeySchema", "AttributeName", "KeyType", "Projection", "BillingMode", "TableName", "Name",
             "GlobalSecondaryIndexes", "Replicas", "DynamoDBConfig", "Condition", "TimeToLiveSpecification"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=25,
)  # fmt: skip


@given(
    resources=st.dictionaries(st.sampled_from(["T", "U"]), st.fixed_dictionaries({
        "Type": st.sampled_from([*TABLE_TYPES, SCALABLE_TARGET, SCALING_POLICY, DATA_SOURCE, RESOLVER, *POLICIES]),
        "Properties": JSONS,
    }), max_size=2),
    rest=JSONS,
)  # fmt: skip
def test_whatever_stands_in_a_template_there_is_a_description_or_a_list_of_faults(
    resources: object, rest: object
) -> None:
    template = {"Resources": resources, "Conditions": rest, "Parameters": rest, "Mappings": rest}
    with suppress(TemplateError):
        assert parse_description(json.dumps(template), "t.json").tables
