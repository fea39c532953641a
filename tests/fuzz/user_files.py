"""Files that a user gives: scenarios, thresholds, descriptions of tables, price lists."""

from __future__ import annotations

import json
import math
from datetime import date
from functools import cache
from typing import Any

import yaml
from hypothesis import strategies as st

from capacity.judgement.expect import FIGURES, parse_threshold
from capacity.pricing import prices
from capacity.pricing.price_offers import offers_of_bulk, offers_of_products, refresh
from capacity.scenario.load import ScenarioError, parse_scenarios
from capacity.templates import TemplateError
from capacity.templates.load import parse_description
from capacity.workloads.mesh.tables import TABLES
from tests.fuzz.mutations import ROOT, damaged, garbage, json_garbage, mutated, scratch


def _yaml_text(document: Any) -> str:
    return yaml.safe_dump(document, allow_unicode=True)


_BOMBS = [
    "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 10)}]\n" for n in range(9))
    + "scenarios: *j\n",
    "scenarios: &x {a: *x}\n",
    "[" * 20_000,
    "{a: " * 5_000,
    "scenarios:\n  <<: [*x]\n",
    "- " * 3_000 + "x",
    "a: !!python/object/apply:os.system ['true']\n",
    "version: 1\nscenarios: {" + ", ".join(f"s{n}: {{}}" for n in range(3_000)) + "}\n",
    "scenarios: !!timestamp 2026-99-99\n",
    "scenarios: 0x" + "f" * 5_000 + "\n",
]


@cache
def _scenarios() -> Any:
    return yaml.safe_load((ROOT / "scenarios.yaml").read_text(encoding="utf-8"))


def scenario_files() -> st.SearchStrategy[str]:
    document = _scenarios()
    one = {"version": 1, "scenarios": {"burst": document["scenarios"]["burst"], "bell": document["scenarios"]["bell"]}}
    text = _yaml_text(one)
    return st.one_of(
        mutated(one).map(_yaml_text),
        mutated(one, most=1).map(_yaml_text),
        damaged(text.encode()).map(lambda raw: raw.decode(errors="replace")),
        st.sampled_from(_BOMBS),
        st.text(max_size=200),
    )


def read_scenarios(text: str) -> str:
    try:
        scenarios = parse_scenarios(text)
    except ScenarioError as refusal:
        return _told(refusal)
    for scenario in scenarios.values():
        scenario.digest()
        assert type(scenario).model_validate_json(scenario.model_dump_json()) == scenario
    return "read"


def _told(refusal: ScenarioError) -> str:
    assert all(fault.line >= 1 and fault.message for fault in refusal.faults)
    assert len(str(refusal)) < 1_000_000
    return "refused"


def thresholds() -> st.SearchStrategy[Any]:
    figures = st.sampled_from([*FIGURES, "latency.q", "", "errors"])
    arguments = st.sampled_from(
        ["", "", "(95)", "(99, renewHeartbeat)", "(1e999)", "(nan)", "()", "(,)", "((95))", "(-1)"]
    )
    operators = st.sampled_from(["<", "<=", "==", "!=", ">", "=", "=<", ""])
    values = st.sampled_from(
        ["300ms", "1s", "0", "1%", "5.5%", "1e999", "1e400ms", "-1", "inf", "NaN", "1h", "", "9" * 500]
    )
    nearly = st.tuples(figures, arguments, operators, values).map(" ".join)
    return st.one_of(nearly, nearly, garbage)


def read_threshold(text: Any) -> str:
    try:
        limit = parse_threshold(text).limit
    except ValueError:
        return "refused"
    assert math.isfinite(limit)
    return "read"


_TEMPLATE = {
    "Parameters": {"Stage": {"Type": "String", "Default": "dev"}},
    "Mappings": {"Units": {"dev": {"write": 5}}},
    "Conditions": {"Dev": {"Fn::Equals": [{"Ref": "Stage"}, "dev"]}},
    "Resources": {
        "Posts": {
            "Type": "AWS::DynamoDB::Table",
            "Properties": {
                "TableName": {"Fn::Sub": "posts-${Stage}"},
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
                "AttributeDefinitions": [
                    {"AttributeName": "pk", "AttributeType": "S"},
                    {"AttributeName": "sk", "AttributeType": {"Fn::If": ["Dev", "N", "S"]}},
                ],
                "ProvisionedThroughput": {
                    "ReadCapacityUnits": {"Fn::FindInMap": ["Units", {"Ref": "Stage"}, "write"]},
                    "WriteCapacityUnits": 5,
                },
                "GlobalSecondaryIndexes": [
                    {
                        "IndexName": "by-sk",
                        "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}],
                        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["title"]},
                        "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1},
                    }
                ],
                "TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": True},
            },
        }
    },
}
_WORKBENCH = {
    "ModelName": "m",
    "DataModel": [
        {
            "TableName": "T",
            "KeyAttributes": {
                "PartitionKey": {"AttributeName": "pk", "AttributeType": "S"},
                "SortKey": {"AttributeName": "sk", "AttributeType": "S"},
            },
            "NonKeyAttributes": [{"AttributeName": "a", "AttributeType": "N"}],
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "g",
                    "KeyAttributes": {"PartitionKey": {"AttributeName": "a", "AttributeType": "N"}},
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
            "TableData": [{"pk": {"S": "1"}, "sk": {"S": "2"}, "a": {"N": "3"}}],
            "BillingMode": "PROVISIONED",
            "ProvisionedCapacitySettings": {
                "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
                "AutoScalingRead": {"ScalableTargetRequest": {"MinCapacity": 1, "MaxCapacity": 10}},
            },
        }
    ],
}


def _described(layout: str) -> dict[str, Any]:
    request = TABLES[layout].create_table_request()
    return {"Table": {**request, "TableStatus": "ACTIVE", "ItemCount": 3, "TableSizeBytes": 300}}


def templates() -> st.SearchStrategy[str]:
    documents = [_TEMPLATE, _WORKBENCH, _described("deployed")]
    return st.one_of(
        st.one_of([mutated(each) for each in documents]).map(_yaml_text),
        st.one_of([mutated(each, json_garbage) for each in documents]).map(json.dumps),
        st.one_of([damaged(json.dumps(each).encode()) for each in documents]).map(
            lambda raw: raw.decode(errors="replace")
        ),
        st.sampled_from(_BOMBS),
    )


def read_template(text: str) -> str:
    try:
        parse_description(text, "template.yaml")
    except TemplateError:
        return "refused"
    return "read"


@cache
def _offers() -> list[Any]:
    content = json.loads((ROOT / "tests/data/price_list_get_products.json").read_text(encoding="utf-8"))
    texts = content["PriceList"] if isinstance(content, dict) else content
    return [json.loads(each) if isinstance(each, str) else each for each in texts][:4]


def price_offers() -> st.SearchStrategy[Any]:
    products = _offers()
    bulk = {
        "products": {str(n): each["product"] for n, each in enumerate(products)},
        "terms": {"OnDemand": {str(n): each["terms"]["OnDemand"] for n, each in enumerate(products)}},
    }
    return st.one_of(
        mutated(products).map(lambda each: ("products", each)), mutated(bulk).map(lambda each: ("bulk", each))
    )


def read_offers(given: tuple[str, Any]) -> str:
    form, document = given
    try:
        offers = offers_of_bulk(document) if form == "bulk" else offers_of_products(document)
        refresh(prices.load("ap-northeast-1"), offers, date(2026, 11, 30))
    except ValueError:
        return "refused"
    return "read"


@cache
def _price_file() -> Any:
    path = max((ROOT / "capacity/data/prices").glob("ap-northeast-1_*.yaml"))
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    document["prices"] = dict(list(document["prices"].items())[:6])
    return document


def price_files() -> st.SearchStrategy[str]:
    return st.one_of(
        mutated(_price_file()).map(_yaml_text),
        damaged(_yaml_text(_price_file()).encode()).map(lambda raw: raw.decode(errors="replace")),
        st.sampled_from(_BOMBS),
    )


def read_price_file(text: str) -> str:
    path = scratch() / "prices.yaml"
    path.write_text(text, encoding="utf-8")
    try:
        prices.read(path)
    except ValueError:
        return "refused"
    return "read"
