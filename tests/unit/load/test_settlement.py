"""The delivery ledger: one sentence per case, then a plain model of the same rules against random traffic."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from locustfiles.ledger.ledger_columns import OUTCOMES, Presences, Publications, Receptions, Settled
from locustfiles.ledger.settlement import HORIZON_S, Settlement
from locustfiles.running.parts import ACCEPTED, FIRED, RECORDED, REFUSED, REPORT, UNANSWERED

POLLING_LIMIT_S = 3.0


class Sent(NamedTuple):
    sender: int
    sequence: int
    sent_s: float = 10.0
    answered_s: float = 10.1
    kind: int = REPORT
    fate: int = ACCEPTED
    group: int = 0
    key: str | None = None


class Heard(NamedTuple):
    receiver: int
    sender: int
    sequence: int
    received_s: float
    kind: int = REPORT
    foreign: bool = False


class Listens(NamedTuple):
    receiver: int
    since_s: float = 0.0
    until_s: float = 1000.0
    polling: bool = False
    group: int = 0


def columns(rows: list[tuple], count: int) -> list[np.ndarray]:
    if not rows:
        return [np.zeros(0, dtype=np.int64) for _ in range(count)]
    return [np.array(column) for column in zip(*rows, strict=True)]


def publications(sent: list[Sent]) -> Publications:
    sender, sequence, sent_s, answered_s, kind, fate, group, _ = columns(sent, 8)
    key = np.array([row.key for row in sent], dtype=object)
    return Publications(sender, kind, sequence, group, sent_s, answered_s, fate, key)


def receptions(heard: list[Heard]) -> Receptions:
    receiver, sender, sequence, received_s, kind, foreign = columns(heard, 6)
    return Receptions(receiver, sender, kind, sequence, received_s, foreign.astype(bool))


def presences(listens: list[Listens]) -> Presences:
    receiver, since_s, until_s, polling, group = columns(sorted(listens, key=lambda row: row.group), 5)
    return Presences(receiver, group, polling.astype(bool), since_s, until_s)


def outcomes(settled: Settled) -> dict[tuple[int, int, int], str]:
    return {
        (sender, sequence, receiver): OUTCOMES[outcome]
        for sender, sequence, receiver, outcome in zip(
            settled.sender.tolist(),
            settled.sequence.tolist(),
            settled.receiver.tolist(),
            settled.outcome.tolist(),
            strict=True,
        )
    }


def settle(
    sent: list[Sent], heard: list[Heard], listens: list[Listens], cursors: dict[int, str] | None = None
) -> dict[tuple[int, int, int], str]:
    ledger = Settlement(presences(listens), cursors or {}, POLLING_LIMIT_S)
    ledger.publish(publications(sent))
    ledger.receive(receptions(heard))
    return outcomes(ledger.settle(float("inf")))


ONE_RECEIVER = [
    pytest.param([Sent(1, 1)], [Heard(2, 1, 1, 10.2)], {(1, 1, 2): "delivered"}, id="it came"),
    pytest.param([Sent(1, 1)], [Heard(2, 1, 1, 10.05)], {(1, 1, 2): "delivered"}, id="it came before the answer"),
    pytest.param([Sent(1, 1)], [Heard(2, 1, 1, 11.5)], {(1, 1, 2): "late"}, id="it came after the limit"),
    pytest.param([Sent(1, 1)], [], {(1, 1, 2): "lost"}, id="it never came"),
    pytest.param(
        [Sent(1, 1)],
        [Heard(2, 1, 1, 10.2), Heard(2, 1, 1, 10.3)],
        {(1, 1, 2): "duplicate"},
        id="it came twice and counts once, as a duplicate",
    ),
    pytest.param(
        [Sent(1, 1), Sent(1, 2, 10.2, 10.3)],
        [Heard(2, 1, 2, 10.4), Heard(2, 1, 1, 10.5)],
        {(1, 1, 2): "out_of_order", (1, 2, 2): "delivered"},
        id="the one that was overtaken is out of order, the one that overtook is not",
    ),
    pytest.param([Sent(1, 1, fate=REFUSED)], [], {}, id="a refused mutation owes nothing"),
    pytest.param(
        [Sent(1, 1), Sent(1, 2, fate=REFUSED), Sent(1, 3)],
        [Heard(2, 1, 1, 10.2), Heard(2, 1, 3, 10.4)],
        {(1, 1, 2): "delivered", (1, 3, 2): "delivered"},
        id="a refused number is no gap",
    ),
    pytest.param([Sent(1, 1, fate=UNANSWERED)], [], {}, id="without an answer and unheard, it owes nothing"),
    pytest.param(
        [Sent(1, 1, fate=UNANSWERED)], [Heard(2, 1, 1, 10.2)], {(1, 1, 2): "delivered"}, id="unanswered but heard"
    ),
    pytest.param([Sent(1, 1, kind=RECORDED)], [], {}, id="a recorded event is not published"),
]  # fmt: skip


@pytest.mark.parametrize(("sent", "heard", "expected"), ONE_RECEIVER)
def test_one_subscriber(sent: list[Sent], heard: list[Heard], expected: dict[tuple[int, int, int], str]) -> None:
    assert settle(sent, heard, [Listens(2)]) == expected


def test_events_and_reports_are_numbered_apart() -> None:
    ledger = Settlement(presences([Listens(2)]), {}, POLLING_LIMIT_S)
    ledger.publish(publications([Sent(1, 1, kind=FIRED), Sent(1, 1, kind=REPORT)]))
    ledger.receive(receptions([Heard(2, 1, 1, 10.2, FIRED)]))
    settled = ledger.settle(float("inf"))
    by_kind = {kind: OUTCOMES[o] for kind, o in zip(settled.kind.tolist(), settled.outcome.tolist(), strict=True)}
    assert by_kind == {FIRED: "delivered", REPORT: "lost"}


@pytest.mark.parametrize(
    ("listens", "expected"),
    [
        pytest.param(Listens(2, since_s=10.05), {}, id="acknowledged after it was sent: nothing is owed"),
        pytest.param(Listens(2, since_s=9.5), {(1, 1, 2): "lost_after_ack"}, id="sent right after the acknowledgement"),
        pytest.param(Listens(2, since_s=8.9), {(1, 1, 2): "lost"}, id="sent more than a second after it"),
        pytest.param(Listens(2, until_s=10.05), {}, id="gone before it was answered"),
        pytest.param(Listens(2, until_s=10.9), {(1, 1, 2): "unsettled"}, id="gone before the limit was over"),
        pytest.param(Listens(2, group=7), {}, id="a subscriber of another group"),
    ],
)
def test_what_is_owed_depends_on_when_the_receiver_listened(
    listens: Listens, expected: dict[tuple[int, int, int], str]
) -> None:
    assert settle([Sent(1, 1)], [], [listens]) == expected


def test_the_sender_is_a_subscriber_too() -> None:
    found = settle([Sent(1, 1)], [Heard(1, 1, 1, 10.2)], [Listens(1), Listens(2)])
    assert found == {(1, 1, 1): "delivered", (1, 1, 2): "lost"}


def test_messages_of_another_group_are_crosstalk_and_owed_by_nobody() -> None:
    found = settle([], [Heard(2, -1, -1, 10.0, foreign=True)], [Listens(2)])
    assert found == {(-1, -1, 2): "crosstalk"}


POLL = Listens(2, polling=True)
KEY = "EVENT#2026-11-30T13:30:00Z#20261130133000-0000001"


@pytest.mark.parametrize(
    ("sent", "heard", "listens", "cursors", "expected"),
    [
        pytest.param([Sent(1, 1, kind=RECORDED, key=KEY)], [Heard(2, 1, 1, 12.0, RECORDED)], POLL, {},
                     {(1, 1, 2): "delivered"}, id="fetched by the next poll"),
        pytest.param([Sent(1, 1, kind=RECORDED, key=KEY)], [Heard(2, 1, 1, 13.5, RECORDED)], POLL, {},
                     {(1, 1, 2): "late"}, id="fetched later than a polling interval and a second"),
        pytest.param([Sent(1, 1, kind=RECORDED, key=KEY)], [], POLL, {2: "EVENT#2026-11-30T13:30:01Z#"},
                     {(1, 1, 2): "lost_by_cursor"}, id="the cursor leapt over it"),
        pytest.param([Sent(1, 1, kind=RECORDED, key=KEY)], [], POLL, {2: "EVENT#2026-11-30T13:29:59Z#"},
                     {(1, 1, 2): "lost"}, id="the cursor is still before it, so it should have come"),
        pytest.param([Sent(1, 1, kind=RECORDED, key=KEY)], [], Listens(2, until_s=10.05, polling=True), {},
                     {(1, 1, 2): "unsettled"}, id="recorded after the last poll"),
        pytest.param([Sent(2, 1, kind=RECORDED, key=KEY)], [], POLL, {}, {}, id="a node does not poll its own events"),
        pytest.param([Sent(1, 1), Sent(1, 2, 11.0, 11.1)], [Heard(2, 1, 2, 12.0)], POLL, {},
                     {(1, 1, 2): "superseded", (1, 2, 2): "delivered"}, id="the next report replaces it"),
        pytest.param([Sent(1, 1)], [], POLL, {}, {(1, 1, 2): "lost"}, id="a report that nobody replaced nor saw"),
    ],
)  # fmt: skip
def test_one_polling_node(
    sent: list[Sent],
    heard: list[Heard],
    listens: Listens,
    cursors: dict[int, str],
    expected: dict[tuple[int, int, int], str],
) -> None:
    assert settle(sent, heard, [listens], cursors) == expected


def test_the_latency_of_a_polled_report_is_its_age() -> None:
    ledger = Settlement(presences([POLL]), {}, POLLING_LIMIT_S)
    ledger.publish(publications([Sent(1, 1, sent_s=10.0)]))
    ledger.receive(receptions([Heard(2, 1, 1, 11.75)]))
    assert ledger.settle(float("inf")).latency_s.tolist() == pytest.approx([1.75])


def test_young_messages_wait_and_nothing_is_settled_twice() -> None:
    ledger = Settlement(presences([Listens(2)]), {}, POLLING_LIMIT_S)
    ledger.publish(publications([Sent(1, 1, 10.0), Sent(1, 2, 20.0, 20.1)]))
    ledger.receive(receptions([Heard(2, 1, 1, 10.2)]))
    assert outcomes(ledger.settle(15.0)) == {(1, 1, 2): "delivered"}
    ledger.receive(receptions([Heard(2, 1, 2, 20.2)]))
    assert outcomes(ledger.settle(float("inf"))) == {(1, 2, 2): "delivered"}
    assert len(ledger.settle(float("inf"))) == 0


def test_overtaking_is_seen_across_windows() -> None:
    ledger = Settlement(presences([Listens(2)]), {}, POLLING_LIMIT_S)
    ledger.publish(publications([Sent(1, 1, 10.0), Sent(1, 2, 10.5, 10.6)]))
    ledger.receive(receptions([Heard(2, 1, 2, 10.7)]))
    ledger.receive(receptions([Heard(2, 1, 1, 10.8)]))
    assert outcomes(ledger.settle(float("inf")))[1, 1, 2] == "out_of_order"


def test_receptions_that_no_sender_tells_of_are_counted_and_forgotten() -> None:
    ledger = Settlement(presences([Listens(2)]), {}, POLLING_LIMIT_S)
    ledger.publish(publications([Sent(1, 1, 10.0)]))
    ledger.receive(receptions([Heard(2, 9, 5, 10.2), Heard(2, 1, 1, 10.2)]))
    ledger.settle(10.2 + HORIZON_S + 1)
    assert ledger.unknown_receptions == 1


@settings(max_examples=60)
@given(data=st.data())
def test_a_plain_model_of_the_rules_agrees(data: st.DataObject) -> None:
    """Random losses, duplicates, delays and refusals in two groups; the model below looks at one pair at a time."""
    sent, heard, expected = [], [], {}
    highest: dict[tuple[int, int], int] = {}
    for group in (0, 1):
        for sender in (group * 3, group * 3 + 1):
            for sequence in range(1, data.draw(st.integers(1, 4)) + 1):
                fate = data.draw(st.sampled_from([ACCEPTED, ACCEPTED, REFUSED]))
                sent.append(Sent(sender, sequence, sequence * 1.0, sequence + 0.1, fate=fate, group=group))
                for receiver in range(group * 3, group * 3 + 3):
                    if fate == ACCEPTED:
                        delays = data.draw(st.lists(st.sampled_from([0.2, 0.9, 1.5, 2.5]), max_size=2, unique=True))
                        heard += [Heard(receiver, sender, sequence, sequence + delay) for delay in delays]
                        expected[sender, sequence, receiver] = delays
    heard.sort(key=lambda row: row.received_s)
    overtaken = set()
    first_seen = set()
    for row in heard:
        pair = (row.receiver, row.sender)
        if (row.sender, row.sequence, row.receiver) not in first_seen and row.sequence < highest.get(pair, 0):
            overtaken.add((row.sender, row.sequence, row.receiver))
        first_seen.add((row.sender, row.sequence, row.receiver))
        highest[pair] = max(highest.get(pair, 0), row.sequence)

    def model(pair: tuple[int, int, int], delays: list[float]) -> str:
        if not delays:
            return "lost"
        if len(delays) > 1:
            return "duplicate"
        if pair in overtaken:
            return "out_of_order"
        return "late" if delays[0] > 1.0 else "delivered"

    listens = [Listens(receiver, since_s=-10.0, group=receiver // 3) for receiver in range(6)]
    assert settle(sent, heard, listens) == {pair: model(pair, delays) for pair, delays in expected.items()}
