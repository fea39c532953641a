"""Types of CloudFormation resources that concern a table."""

from __future__ import annotations

TABLE = "AWS::DynamoDB::Table"
GLOBAL_TABLE = "AWS::DynamoDB::GlobalTable"
SIMPLE_TABLE = "AWS::Serverless::SimpleTable"
TABLE_TYPES = (TABLE, GLOBAL_TABLE, SIMPLE_TABLE)

SCALABLE_TARGET = "AWS::ApplicationAutoScaling::ScalableTarget"
SCALING_POLICY = "AWS::ApplicationAutoScaling::ScalingPolicy"

API = ("AWS::AppSync::GraphQLApi", "AWS::Serverless::GraphQLApi")
DATA_SOURCE = "AWS::AppSync::DataSource"
RESOLVER = "AWS::AppSync::Resolver"
FUNCTION = "AWS::AppSync::FunctionConfiguration"

POLICIES = ("AWS::IAM::Policy", "AWS::IAM::ManagedPolicy", "AWS::IAM::Role", "AWS::Serverless::Function")
