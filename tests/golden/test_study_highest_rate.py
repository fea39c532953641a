"""The page of a search: what held, what did not and why; what a probe does not know is a gap and no zero."""

from __future__ import annotations

import pytest

from reports.document import Charts, Table, Text
from reports.studies.highest_rate import page
from reports.wording import Wording
from tests.golden.made_up_search import SEARCH


def test_the_answer_is_the_highest_rate_and_what_ended_it() -> None:
    report = page(SEARCH, Wording())
    assert report.verdict.startswith("Highest rate held: 255 requests/s and 1,008 deliveries/s, 4 times")
    held, not_held, _ = report.figures
    assert (held.value, held.tone) == ("256 requests/s", "good")
    assert (not_held.value, not_held.note) == (
        "384 requests/s",
        "latency.p(99) < 100ms: 340 ms; deliveries.lost == 0: 12",
    )
    assert "--max-probes" in report.reasons[0]


def test_the_charts_tell_what_is_known_in_order_of_the_rate() -> None:
    [charts, *_] = [block for block in page(SEARCH, Wording()).sections[0].blocks if isinstance(block, Charts)]
    latency, unsent, lost = charts.charts
    assert "64: 9 (held); 128: 11 (held); 256: 19 (held); 384: 340 (not held)." in latency.alt
    assert "256: 0 (held); 384: 12 (not held)." in lost.alt
    assert "512: 0.3 (not held)." in unsent.alt
    assert "512" not in latency.alt, "of that rate no latency is known"


def test_where_nothing_was_lost_a_sentence_says_so() -> None:
    report = page(SEARCH.model_copy(update={"probes": SEARCH.probes[:3]}), Wording())
    [charts] = [block for block in report.sections[0].blocks if isinstance(block, Charts)]
    assert len(charts.charts) == 2
    assert Text(Wording()("highest_rate.none_lost")) in report.sections[0].blocks


def test_every_rate_has_a_row_with_what_gave_way() -> None:
    [table] = [block for block in page(SEARCH, Wording("ja")).sections[0].blocks if isinstance(block, Table)]
    assert [str(row[1]) for row in table.rows] == ["1", "2", "4", "6", "8"]
    assert "負荷" in str(table.rows[-1][-1]) or "プロセス" in str(table.rows[-1][-1])


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_a_search_that_found_nothing_has_no_chart_and_says_so(lang: str) -> None:
    report = page(SEARCH.model_copy(update={"probes": [], "status": "interrupted"}), Wording(lang))
    assert not [block for block in report.sections[0].blocks if isinstance(block, Charts)]
    assert report.verdict == Wording(lang)("highest_rate.none")
