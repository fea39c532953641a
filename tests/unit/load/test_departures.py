from __future__ import annotations

import pytest

from capacity.loopback import is_loopback
from locustfiles.network.target_url import target_fault
from locustfiles.running.departures import PATIENCE_S, Departures


def two_workers() -> Departures:
    departures = Departures()
    departures.met("worker0", "host_a")
    departures.met("worker1", "host_b")
    return departures


def test_the_end_waits_for_everybody() -> None:
    departures = two_workers()
    assert departures.begin(100.0)
    assert not departures.begin(101.0)  # asked once
    departures.left("worker0")
    assert not departures.are_over(102.0)
    departures.left("worker1")
    assert departures.are_over(103.0)


def test_a_lost_worker_is_noticed_once_and_not_waited_for() -> None:
    departures = two_workers()
    assert departures.notice(["host_a", "host_b"]) == set()
    assert departures.notice(["host_a"]) == {"worker1"}
    assert departures.notice(["host_a"]) == set()
    departures.begin(100.0)
    departures.left("worker0")
    assert departures.are_over(100.1)
    assert departures.lost == {"worker1"}


def test_who_has_left_cannot_be_lost_any_more() -> None:
    departures = two_workers()
    departures.left("worker1")
    assert departures.notice(["host_a"]) == set()
    assert departures.lost == set()


def test_patience_ends_only_when_nothing_happens() -> None:
    departures = two_workers()
    departures.begin(100.0)
    assert not departures.are_over(100.0 + PATIENCE_S)
    departures.progress(120.0)  # parts are still coming in
    assert not departures.are_over(120.0 + PATIENCE_S)
    assert departures.are_over(120.1 + PATIENCE_S)


@pytest.mark.parametrize(
    ("url", "fault"),
    [
        ("http://127.0.0.1:8080/graphql", None),
        (
            "https://abc.example.com/graphql",
            "abc.example.com is not on this machine; add --i-own-this-endpoint if it is yours to load",
        ),
        (None, "the target is missing"),
        ("ftp://127.0.0.1/graphql", "'ftp://127.0.0.1/graphql' is no http or https URL"),
        ("http:///graphql", "'http:///graphql' is no http or https URL"),
        ("http://127.0.0.1:8080/", "'http://127.0.0.1:8080/' does not say where GraphQL is"),
    ],
)
def test_what_is_wrong_with_a_target(url: str | None, fault: str | None) -> None:
    assert target_fault(url, owned=False) == fault


def test_a_target_elsewhere_may_be_loaded_by_its_owner() -> None:
    assert target_fault("https://abc.example.com/graphql", owned=True) is None


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://127.0.0.1:8080/graphql", True),
        ("http://127.8.9.1/graphql", True),
        ("http://[::1]:8080/graphql", True),
        ("http://localhost/graphql", True),
        ("http://localhost.example.com/graphql", False),
        ("http://10.0.0.1/graphql", False),
        ("nonsense", False),
    ],
)
def test_what_counts_as_this_machine(url: str, loopback: bool) -> None:
    assert is_loopback(url) == loopback
