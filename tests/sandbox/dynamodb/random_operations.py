"""Random tables and random operations on them, valid and invalid, from one seed."""

from __future__ import annotations

import base64
from random import Random
from typing import Any

Json = dict[str, Any]

TEXTS = ["", "a", "b", "ab", "abc", "A", "0", "日本", "é", "x" * 40, "x" * 900, "z"]
KEY_TEXTS = ["a", "b", "ab", "abc", "B", "日", "key"]
NUMBERS = ["0", "1", "-1", "2", "10", "1.5", "-2.25", "100", "1E2", "0.001", "12345678901234567890", "3.0", "007"]
KEY_NUMBERS = ["0", "1", "-1", "2", "10", "1.5", "-2.25"]
BLOBS = [base64.b64encode(raw).decode() for raw in (b"a", b"ab", b"\x00", b"\xff\x00", b"abc" * 5)]
OPERATION_WEIGHTS = {
    "PutItem": 20,
    "UpdateItem": 20,
    "DeleteItem": 8,
    "GetItem": 10,
    "Query": 20,
    "Scan": 5,
    "BatchGetItem": 4,
    "BatchWriteItem": 5,
    "TransactWriteItems": 6,
    "TransactGetItems": 3,
}
NAMES = ["a", "b", "c", "d", "list", "map", "set", "g1", "g2", "l1"]


class Operations:
    """A stream of (operation, request). State is not needed: keys come from a small pool, so operations meet."""

    def __init__(self, seed: int):
        self.random = Random(seed)
        self.tables: list[Json] = []
        self.kinds: dict[str, dict[str, str]] = {}
        for number in range(3):
            self._describe_table(f"table{seed}x{number}")

    def pick(self, options: Any) -> Any:
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    # Tables

    def _describe_table(self, name: str) -> None:
        kinds = {"pk": self.pick("SSSNB")}
        keys = [{"AttributeName": "pk", "KeyType": "HASH"}]
        request: Json = {"TableName": name, "KeySchema": keys, "BillingMode": "PAY_PER_REQUEST"}
        if self.chance(0.75):
            kinds["sk"] = self.pick("SSNNB")
            keys.append({"AttributeName": "sk", "KeyType": "RANGE"})
            if self.chance(0.6):
                kinds["l1"] = self.pick("SNB")
                schema = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "l1", "KeyType": "RANGE"}]
                request["LocalSecondaryIndexes"] = [
                    {"IndexName": "local", "KeySchema": schema, "Projection": self._projection()}
                ]
        indexes = []
        for number in range(self.random.randrange(3)):
            partition = self.pick(["g1", "g2"])
            kinds.setdefault(partition, self.pick("SSN"))
            schema = [{"AttributeName": partition, "KeyType": "HASH"}]
            if self.chance(0.6):
                other = "g2" if partition == "g1" else "g1"
                kinds.setdefault(other, self.pick("SNB"))
                schema.append({"AttributeName": other, "KeyType": "RANGE"})
            indexes.append({"IndexName": f"global{number}", "KeySchema": schema, "Projection": self._projection()})
        if indexes:
            request["GlobalSecondaryIndexes"] = indexes
        request["AttributeDefinitions"] = [
            {"AttributeName": attribute, "AttributeType": kind} for attribute, kind in kinds.items()
        ]
        self.tables.append(request)
        self.kinds[name] = kinds

    def _projection(self) -> Json:
        kind = self.pick(["ALL", "KEYS_ONLY", "INCLUDE"])
        return {"ProjectionType": kind, **({"NonKeyAttributes": ["a", "map"]} if kind == "INCLUDE" else {})}

    # Values

    def key_value(self, kind: str) -> Json:
        return {kind: self.pick({"S": KEY_TEXTS, "N": KEY_NUMBERS, "B": BLOBS}[kind])}

    def value(self, depth: int = 0) -> Json:
        kind = self.pick(["S", "S", "N", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M"])
        if depth > 2 and kind in "LM":
            kind = "S"
        return self.value_of(kind, depth)

    def value_of(self, kind: str, depth: int = 0) -> Json:
        random = self.random
        if kind == "S":
            return {"S": self.pick(TEXTS)}
        if kind == "N":
            return {"N": self.pick(NUMBERS)}
        if kind == "B":
            return {"B": self.pick(BLOBS)}
        if kind == "BOOL":
            return {"BOOL": self.chance(0.5)}
        if kind == "NULL":
            return {"NULL": True}
        if kind == "SS":
            return {"SS": random.sample(TEXTS[1:], random.randint(1, 3))}
        if kind == "NS":
            return {"NS": random.sample(["0", "1", "-1", "2", "10", "1.5"], random.randint(1, 3))}
        if kind == "BS":
            return {"BS": random.sample(BLOBS, random.randint(1, 2))}
        if kind == "L":
            return {"L": [self.value(depth + 1) for _ in range(random.randint(0, 3))]}
        return {"M": {name: self.value(depth + 1) for name in random.sample(["a", "b", "c"], random.randint(0, 3))}}

    def key(self, table: Json) -> Json:
        kinds = self.kinds[table["TableName"]]
        key = {each["AttributeName"]: self.key_value(kinds[each["AttributeName"]]) for each in table["KeySchema"]}
        if self.chance(0.02):
            key["extra"] = {"S": "x"}
        if self.chance(0.02):
            key["pk"] = self.value()
        return key

    def item(self, table: Json) -> Json:
        kinds = self.kinds[table["TableName"]]
        item = self.key(table)
        item.pop("extra", None)
        for name in self.random.sample(NAMES, self.random.randint(0, 6)):
            if name in kinds:
                item[name] = self.key_value(kinds[name]) if self.chance(0.96) else self.value()
            else:
                item[name] = self.value()
        if self.chance(0.05):
            item["pad"] = {"S": "p" * self.random.choice([1000, 1010, 2030, 4080, 9000])}
        return item

    # Expressions

    def path(self) -> str:
        return str(self.pick([*NAMES, "map.a", "map.b.c", "list[0]", "list[1].a", "map.a[0]", "pk", "sk", "absent"]))

    def condition(self, values: Json, names: Json, depth: int = 0) -> str:
        choice = self.random.random()
        if depth < 2 and choice < 0.25:
            joint = self.pick(["AND", "OR"])
            return f"({self.condition(values, names, depth + 1)}) {joint} {self.condition(values, names, depth + 1)}"
        if depth < 2 and choice < 0.32:
            return f"NOT ({self.condition(values, names, depth + 1)})"
        if choice < 0.45:
            return f"{self.pick(['attribute_exists', 'attribute_not_exists'])}({self.name(names)})"
        if choice < 0.5:
            return f"attribute_type({self.name(names)}, {self.place(values, {'S': self.pick(['S', 'N', 'L', 'SS'])})})"
        if choice < 0.57:
            return f"begins_with({self.name(names)}, {self.place(values, self.value_of(self.pick('SSSB')))})"
        if choice < 0.66:
            return f"contains({self.name(names)}, {self.place(values)})"
        if choice < 0.72:
            operator = self.pick(["=", "<", ">", "<>"])
            return f"size({self.name(names)}) {operator} {self.place(values, {'N': self.pick(['0', '1', '2', '3'])})}"
        if choice < 0.78:
            low, high = sorted(self.random.sample(["1", "2", "10", "-1"], 2), key=float)
            between = f"{self.place(values, {'N': low})} AND {self.place(values, {'N': high})}"
            return f"{self.name(names)} BETWEEN {between}"
        if choice < 0.84:
            return f"{self.name(names)} IN ({self.place(values)}, {self.place(values)})"
        operator = self.pick(["=", "<>", "<", "<=", ">", ">="])
        scalar = self.value_of(self.pick("SSNNB")) if operator not in ("=", "<>") else self.value()
        return f"{self.name(names)} {operator} {self.place(values, scalar)}"

    def name(self, names: Json) -> str:
        path = self.path()
        if self.chance(0.3) and path in NAMES:
            alias = f"#{path}"
            names[alias] = path
            return alias
        if path.startswith(("map", "list", "set")):
            top = path.split(".")[0].split("[")[0]
            names[f"#{top}"] = top
            return "#" + path
        return path

    def place(self, values: Json, value: Json | None = None) -> str:
        placeholder = f":v{len(values)}"
        values[placeholder] = value if value is not None else self.value()
        return placeholder

    def update(self, values: Json, names: Json) -> str:
        sections = []
        if self.chance(0.8):
            sections.append(
                "SET " + ", ".join(self._assignment(values, names) for _ in range(self.random.randint(1, 2)))
            )
        if self.chance(0.3):
            sections.append("REMOVE " + ", ".join(self.name(names) for _ in range(self.random.randint(1, 2))))
        if self.chance(0.2):
            added = self.value_of(self.pick(["N", "SS", "NS", "BS", "N", "S"]))
            sections.append(f"ADD {self.name(names)} {self.place(values, added)}")
        if self.chance(0.15):
            gone = self.value_of(self.pick(["SS", "NS", "BS", "SS", "N"]))
            sections.append(f"DELETE {self.name(names)} {self.place(values, gone)}")
        return " ".join(sections) or f"REMOVE {self.name(names)}"

    def _assignment(self, values: Json, names: Json) -> str:
        target = self.name(names)
        choice = self.random.random()
        if choice < 0.5:
            return f"{target} = {self.place(values)}"
        if choice < 0.65:
            return f"{target} = if_not_exists({self.name(names)}, {self.place(values)})"
        if choice < 0.78:
            return f"{target} = list_append({self.name(names)}, {self.place(values, self.value_of('L'))})"
        if choice < 0.9:
            return f"{target} = {self.name(names)} {self.pick('+-')} {self.place(values, self.value_of('N'))}"
        return f"{target} = {self.name(names)}"

    def _with(self, request: Json, values: Json, names: Json) -> Json:
        if values and not self.chance(0.01):
            request["ExpressionAttributeValues"] = values
        if names and not self.chance(0.01):
            request["ExpressionAttributeNames"] = names
        return request

    # Operations

    def next(self) -> tuple[str, Json]:
        kind = self.random.choices(list(OPERATION_WEIGHTS), list(OPERATION_WEIGHTS.values()))[0]
        return kind, getattr(self, f"_{kind}")(self.pick(self.tables))

    def _PutItem(self, table: Json) -> Json:
        values: Json = {}
        names: Json = {}
        request: Json = {"TableName": table["TableName"], "Item": self.item(table)}
        if self.chance(0.3):
            request["ConditionExpression"] = self.condition(values, names)
        elif self.chance(0.1):
            request["Expected"] = self.expected()
        if self.chance(0.5):
            request["ReturnValues"] = self.pick(["NONE", "ALL_OLD", "ALL_OLD", "ALL_NEW"])
        return self._with(self._metered(request), values, names)

    def _DeleteItem(self, table: Json) -> Json:
        values: Json = {}
        names: Json = {}
        request: Json = {"TableName": table["TableName"], "Key": self.key(table)}
        if self.chance(0.3):
            request["ConditionExpression"] = self.condition(values, names)
        elif self.chance(0.1):
            request["Expected"] = self.expected()
        if self.chance(0.5):
            request["ReturnValues"] = self.pick(["NONE", "ALL_OLD"])
        return self._with(self._metered(request), values, names)

    def _UpdateItem(self, table: Json) -> Json:
        values: Json = {}
        names: Json = {}
        request: Json = {"TableName": table["TableName"], "Key": self.key(table)}
        if self.chance(0.12):
            request["AttributeUpdates"] = self.attribute_updates()
            if self.chance(0.3):
                request["Expected"] = self.expected()
        else:
            request["UpdateExpression"] = self.update(values, names)
            if self.chance(0.25):
                request["ConditionExpression"] = self.condition(values, names)
        if self.chance(0.6):
            request["ReturnValues"] = self.pick(["NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"])
        return self._with(self._metered(request), values, names)

    def attribute_updates(self) -> Json:
        updates: Json = {}
        for name in self.random.sample(NAMES[:7], self.random.randint(1, 2)):
            action = self.pick(["PUT", "ADD", "DELETE"])
            updates[name] = {"Action": action}
            if action != "DELETE" or self.chance(0.5):
                updates[name]["Value"] = self.value()
        return updates

    def expected(self) -> Json:
        expected: Json = {}
        for name in self.random.sample([*NAMES[:7], "pk"], self.random.randint(1, 2)):
            if self.chance(0.3):
                expected[name] = {"Exists": False}
            elif self.chance(0.4):
                expected[name] = {"Value": self.value()}
            else:
                expected[name] = self.legacy_condition()
        return expected

    def legacy_condition(self) -> Json:
        operator = self.pick(
            ["EQ", "NE", "LT", "GE", "NULL", "NOT_NULL", "CONTAINS", "NOT_CONTAINS", "BEGINS_WITH", "IN"]
        )
        if operator in ("NULL", "NOT_NULL"):
            return {"ComparisonOperator": operator}
        kind = self.pick("SSNB")
        count = 2 if operator == "IN" else 1
        return {"ComparisonOperator": operator, "AttributeValueList": [self.value_of(kind) for _ in range(count)]}

    def _GetItem(self, table: Json) -> Json:
        names: Json = {}
        request: Json = {"TableName": table["TableName"], "Key": self.key(table)}
        if self.chance(0.4):
            request["ConsistentRead"] = True
        self._project(request, names)
        return self._with(self._metered(request), {}, names)

    def _project(self, request: Json, names: Json) -> None:
        if self.chance(0.3):
            request["ProjectionExpression"] = ", ".join(
                dict.fromkeys(self.name(names) for _ in range(self.random.randint(1, 3)))
            )

    def _older_query(self, table: Json) -> Json:
        """A Query in the parameters that came before expressions."""
        kinds = self.kinds[table["TableName"]]
        indexes = [*table.get("LocalSecondaryIndexes", []), *table.get("GlobalSecondaryIndexes", [])]
        request: Json = {"TableName": table["TableName"]}
        schema = table["KeySchema"]
        if indexes and self.chance(0.5):
            index = self.pick(indexes)
            request["IndexName"], schema = index["IndexName"], index["KeySchema"]
        partition, *sort = (each["AttributeName"] for each in schema)
        equal = {"ComparisonOperator": "EQ", "AttributeValueList": [self.key_value(kinds[partition])]}
        request["KeyConditions"] = {partition: equal}
        if sort and self.chance(0.6):
            operator = self.pick(["EQ", "LT", "LE", "GT", "GE", "BETWEEN", "BEGINS_WITH", "NE", "CONTAINS"])
            operands = [self.key_value(kinds[sort[0]]) for _ in range(2 if operator == "BETWEEN" else 1)]
            request["KeyConditions"][sort[0]] = {"ComparisonOperator": operator, "AttributeValueList": operands}
        if self.chance(0.4):
            names = self.random.sample(NAMES[:7], self.random.randint(1, 2))
            request["QueryFilter"] = {name: self.legacy_condition() for name in names}
            if self.chance(0.4):
                request["ConditionalOperator"] = self.pick(["AND", "OR"])
        if self.chance(0.3):
            request["AttributesToGet"] = self.random.sample(NAMES, 2)
        return self._metered(request)

    def _Query(self, table: Json) -> Json:
        if self.chance(0.12):
            return self._older_query(table)
        values: Json = {}
        names: Json = {}
        kinds = self.kinds[table["TableName"]]
        schema = table["KeySchema"]
        request: Json = {"TableName": table["TableName"]}
        indexes = [*table.get("LocalSecondaryIndexes", []), *table.get("GlobalSecondaryIndexes", [])]
        if indexes and self.chance(0.6):
            index = self.pick(indexes)
            request["IndexName"] = index["IndexName"]
            schema = index["KeySchema"]
        partition = schema[0]["AttributeName"]
        condition = f"{partition} = {self.place(values, self.key_value(kinds[partition]))}"
        if len(schema) > 1 and self.chance(0.6):
            sort = schema[1]["AttributeName"]
            kind = kinds[sort] if self.chance(0.97) else self.pick("SNB")
            operator = self.pick(["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"])
            if operator == "BETWEEN":
                pair = [self.key_value(kind), self.key_value(kind)]
                condition += f" AND {sort} BETWEEN {self.place(values, pair[0])} AND {self.place(values, pair[1])}"
            elif operator == "begins_with":
                condition += f" AND begins_with({sort}, {self.place(values, self.key_value(kind))})"
            else:
                condition += f" AND {sort} {operator} {self.place(values, self.key_value(kind))}"
        request["KeyConditionExpression"] = condition
        if self.chance(0.3):
            request["FilterExpression"] = self.condition(values, names)
        self._project(request, names)
        if self.chance(0.3):
            request["ScanIndexForward"] = self.chance(0.5)
        if self.chance(0.2) and "IndexName" not in request:  # the order among equal index keys is not defined
            request["Limit"] = self.random.randint(1, 4)
        if self.chance(0.2):
            request["ConsistentRead"] = True
        if self.chance(0.1) and "ProjectionExpression" not in request:
            request["Select"] = self.pick(["COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES"])
        return self._with(self._metered(request), values, names)

    def _Scan(self, table: Json) -> Json:
        values: Json = {}
        names: Json = {}
        request: Json = {"TableName": table["TableName"]}
        indexes = [*table.get("LocalSecondaryIndexes", []), *table.get("GlobalSecondaryIndexes", [])]
        if indexes and self.chance(0.4):
            request["IndexName"] = self.pick(indexes)["IndexName"]
        if self.chance(0.4):
            request["FilterExpression"] = self.condition(values, names)
        elif self.chance(0.2):
            request["ScanFilter"] = {self.pick(NAMES[:7]): self.legacy_condition()}
        if "ScanFilter" not in request:
            self._project(request, names)
        if self.chance(0.2):
            request["ConsistentRead"] = True
        return self._with(self._metered(request), values, names)

    def _BatchGetItem(self, table: Json) -> Json:
        keys = [self.key(table) for _ in range(self.random.randint(1, 4))]
        return self._metered({"RequestItems": {table["TableName"]: {"Keys": keys}}})

    def _BatchWriteItem(self, table: Json) -> Json:
        writes: list[Json] = []
        for _ in range(self.random.randint(1, 4)):
            if self.chance(0.7):
                writes.append({"PutRequest": {"Item": self.item(table)}})
            else:
                writes.append({"DeleteRequest": {"Key": self.key(table)}})
        return self._metered({"RequestItems": {table["TableName"]: writes}})

    def _TransactWriteItems(self, table: Json) -> Json:
        actions: list[Json] = []
        for _ in range(self.random.randint(1, 3)):
            values: Json = {}
            names: Json = {}
            kind = self.pick(["Put", "Put", "Update", "Delete", "ConditionCheck"])
            action: Json = {"TableName": self.pick(self.tables)["TableName"]}
            target = next(each for each in self.tables if each["TableName"] == action["TableName"])
            if kind == "Put":
                action["Item"] = self.item(target)
            else:
                action["Key"] = self.key(target)
            if kind == "Update":
                action["UpdateExpression"] = self.update(values, names)
            if kind == "ConditionCheck" or self.chance(0.2):
                action["ConditionExpression"] = self.condition(values, names)
            actions.append({kind: self._with(action, values, names)})
        return {"TransactItems": actions}

    def _TransactGetItems(self, table: Json) -> Json:
        gets = [{"Get": {"TableName": table["TableName"], "Key": self.key(table)}} for _ in range(2)]
        return self._metered({"TransactItems": gets})

    def _metered(self, request: Json) -> Json:
        if self.chance(0.6):
            request["ReturnConsumedCapacity"] = self.pick(["TOTAL", "INDEXES"])
        return request
