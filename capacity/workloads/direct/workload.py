"""Direct load as a workload: what each operation of the mix consumes, given which items were there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from capacity.dynamodb.table import Index, Key, Table
from capacity.dynamodb.units import Consistency, read_units_of, write_units
from capacity.scenario import Scenario
from capacity.workloads.charge_rows import CALLS, READ, TABLE, WRITE, Charges
from capacity.workloads.direct.draws import Draw, draws, settings_of
from capacity.workloads.protocol import DynamoDBAlone, Services
from capacity.workloads.sent_rows import codes, floats, is_throttle, operation_codes, outcomes, seconds
from capacity.workloads.stream import Floats, Ints, Outcome, Sent

OPERATIONS = ("GetItem", "PutItem", "UpdateItem", "Query", "Scan")
GET, PUT, UPDATE, QUERY, SCAN = range(5)
CODE: Mapping[str, int] = {name: code for code, name in enumerate(OPERATIONS)}


@dataclass(frozen=True)
class DirectRequests:
    """Requests of a direct load. `key` is the number of the partition key that each names, `row` that of the sort key;
    `items` the rows that a read gave.
    """

    start_s: float
    time_s: Floats
    operation: Ints
    key: Ints
    row: Ints
    items: Ints
    outcome: Ints

    def __len__(self) -> int:
        return len(self.time_s)


class DirectWorkload:
    """The traffic of a mix of operations against a table of items of one size."""

    operations = OPERATIONS
    layout = "dynamodb"
    assumptions = (
        "every request is answered at once, and a refused one is not repeated",
        "the table is empty at the start, and only what the mix writes is there to be read",
    )

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._settings = settings_of(scenario)

    @cached_property
    def table(self) -> Table:
        """The table that the settings describe, with the scenario's throughput."""
        settings, billing, types = self._settings, self._scenario.billing, {}

        def key(attributes: tuple[str, ...]) -> Key:
            named = [each.rpartition(":") for each in attributes]
            types.update({name: kind for name, _, kind in named})
            return Key(*(name for name, _, _ in named))

        own = key(settings.key)
        indexes = [
            Index(
                name, "GSI", key(attributes), throughput=billing.indexes[name].throughput if billing.indexes else None
            )
            for name, attributes in settings.indexes.items()
        ]
        throughput = None if billing.table is None else billing.table.throughput
        return Table(settings.table, own, types, tuple(indexes), throughput)  # type: ignore[arg-type]

    @property
    def parties(self) -> Mapping[str, int]:
        """Users, all alike."""
        return {"users": self._settings.users}

    def planned(self) -> DirectRequests:
        """Every request of the schedule, and what reads will find if each is admitted."""
        drawn = sorted(
            (draw for user in range(self._settings.users) for draw in draws(self._scenario, user)),
            key=lambda draw: draw.time_s,
        )
        return DirectRequests(
            start_s=0.0,
            time_s=np.array([draw.time_s for draw in drawn]),
            operation=np.array([CODE[draw.operation] for draw in drawn], np.int64),
            key=np.array([draw.number for draw in drawn], np.int64),
            row=np.array([draw.row for draw in drawn], np.int64),
            items=np.array(self._found(drawn), np.int64),
            outcome=np.full(len(drawn), int(Outcome.DONE)),
        )

    def _found(self, drawn: list[Draw]) -> list[int]:
        """Rows that each read gives: of what was written before it."""
        settings, items = self._settings, []
        there: set[tuple[int, int]] = set()
        under: Counter[int] = Counter()
        values = settings.index_values or settings.keys
        for draw in drawn:
            of_index = settings.index is not None
            if draw.operation in ("PutItem", "UpdateItem"):
                if (draw.number, draw.row) not in there:
                    there.add((draw.number, draw.row))
                    under[draw.number % values if of_index else draw.number] += 1
                items.append(1)
            elif draw.operation == "GetItem":
                items.append(int((draw.number, draw.row) in there))
            else:
                whole = draw.operation == "Scan"
                found = len(there) if whole else under[draw.number % values if of_index else draw.number]
                items.append(min(settings.limit, found))
        return items

    def sent(self, requests: pa.Table, *, only_reads_throttled: bool = False) -> Sent[DirectRequests]:
        """The requests that a run sent, by the middle of each request's time. The column `group` names their keys."""
        code = operation_codes(requests["operation"], CODE)
        middle_s = seconds(requests["start"]) + np.nan_to_num(floats(requests["latency_ms"])) / 2000.0
        rows = np.flatnonzero(code >= 0)
        rows = rows[np.argsort(middle_s[rows], kind="stable")]
        outcome, uncertain = outcomes(requests, rows, _refusal)
        number, names = codes(requests["group"], rows)
        pairs = np.array([*(_pair(name) for name in names), (0, 0)], np.int64)
        zero_s = float(middle_s[rows[0]]) if len(rows) else 0.0
        stream = DirectRequests(
            start_s=zero_s,
            time_s=middle_s[rows] - zero_s,
            operation=code[rows],
            key=pairs[number, 0],
            row=pairs[number, 1],
            items=np.nan_to_num(floats(requests["items"])[rows]).astype(np.int64),
            outcome=outcome,
        )
        return Sent(stream, rows, uncertain, int((code < 0).sum()))

    def charge(self, requests: DirectRequests) -> Charges:
        """Units of the requests, by DynamoDB's rules for items of the settings' size."""
        settings, done = self._settings, requests.outcome == Outcome.DONE
        resources = (TABLE, *(index.name for index in self.table.indexes))
        write = write_units(settings.item_bytes)
        parts: list[tuple[Ints, int, int, Floats]] = []  # requests, resource, kind, units
        writes = np.flatnonzero(done & np.isin(requests.operation, [PUT, UPDATE]))
        parts.append((writes, 0, WRITE, np.full(len(writes), write)))
        items = requests.key[writes] * settings.rows + requests.row[writes]
        first = np.zeros(len(writes), bool)
        first[np.unique(items, return_index=True)[1]] = True
        for place, index in enumerate(self.table.indexes, 1):
            # A sort key of the index that the table lacks is stamped with the time: its entry moves with every write.
            moves = any(name not in self.table.key.attributes for name in index.key.attributes[1:])
            units = np.where(first, write, 2 * write if moves else 0.0)
            parts.append((writes, place, WRITE, units))
        gets = np.flatnonzero(done & (requests.operation == GET))
        strong = Consistency.STRONG if settings.consistent else Consistency.EVENTUAL
        parts.append((gets, 0, READ, read_units_of(requests.items[gets] * settings.item_bytes, strong)))
        pages = np.flatnonzero(done & np.isin(requests.operation, [QUERY, SCAN]))
        source = 0 if settings.index is None else resources.index(settings.index)
        consistency = strong if source == 0 else Consistency.EVENTUAL
        parts.append((pages, source, READ, read_units_of(requests.items[pages] * settings.item_bytes, consistency)))
        return self._charges(requests, resources, [(r[u > 0], a, k, u[u > 0]) for r, a, k, u in parts])

    def _charges(
        self, requests: DirectRequests, resources: tuple[str, ...], parts: list[tuple[Ints, int, int, Floats]]
    ) -> Charges:
        request = np.concatenate([part[0] for part in parts])
        resource, kind = (
            np.concatenate([np.full(len(part[0]), part[column], np.int64) for part in parts]) for column in (1, 2)
        )
        order = np.lexsort((resource, request))
        request, resource, kind = request[order], resource[order], kind[order]
        number = requests.key[request]
        values = self._settings.index_values or self._settings.keys
        keys = tuple(f"{{{key.partition}}}" for key in (self.table.key, *(index.key for index in self.table.indexes)))
        return Charges(
            resources=resources,
            causes=("read", "write"),
            keys=keys,
            request=request,
            step=np.zeros(len(order), np.int64),
            resource=resource,
            kind=kind,
            cause=kind,
            key=resource,
            key_entity=np.where(resource > 0, number % values, number),
            call=np.array([CALLS.index(name) for name in OPERATIONS], np.int64)[requests.operation[request]],
            units=np.concatenate([part[3] for part in parts])[order].astype(np.float64),
        )

    def services(self, answered: DirectRequests) -> Services:
        """Nothing but DynamoDB."""
        return DynamoDBAlone()


def _pair(name: str) -> tuple[int, int]:
    """Numbers of partition and sort key in the column `group`, such as 17/0."""
    number, _, row = name.partition("/")
    return (int(number), int(row)) if number.isdecimal() and row.isdecimal() else (0, 0)


def _refusal(error: str, message: str) -> Outcome:
    return Outcome.THROTTLED if is_throttle(error, message) else Outcome.INVALID
