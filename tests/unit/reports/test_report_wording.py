"""Every language says the same things with the same values."""

import re
import string
from pathlib import Path

import pytest

import reports
from reports.wording import Wording, languages, sentences

PLACES = re.compile(r"{(\w+)}")


def test_an_unknown_language_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r'lang = "fr" is not a language of the reports; there are: .*en'):
        Wording("fr")


@pytest.mark.parametrize("lang", languages())
def test_a_language_has_every_sentence_with_the_same_places(lang: str) -> None:
    english, mine = sentences("en"), sentences(lang)
    assert mine.keys() == english.keys()
    for key, sentence in english.items():
        assert sorted(set(PLACES.findall(mine[key]))) == sorted(set(PLACES.findall(sentence))), key


NAMED_BY_DATA = (
    "file",
    "target",
    "cause",
    "message",
    "mode",
    "outcome",
    "request_outcome",
    "world",
    "setting",
    "unit",
)
COMPOSED = (
    "highest_rate.p99_",
    "highest_rate.lost_",
    "highest_rate.unsent_",
    "page.reads",
    "page.writes",
    "limits.key_",
    "headroom.axis_",
    "headroom.short_",
    "assumptions.confidence_",
    "changes.",
    "verdict.",
    "threshold.passed",
    "threshold.failed",
    "threshold.unknown",
)


def test_every_sentence_is_used() -> None:
    root = Path(reports.__file__).parent
    source = "".join(path.read_text() for path in root.rglob("*") if path.suffix in (".py", ".j2"))
    for key in sentences("en"):
        group, name = key.split(".", 1)
        if group in NAMED_BY_DATA or key.startswith(COMPOSED):
            continue
        singular = name.removesuffix("_one")
        assert any(f'"{form}"' in source for form in (key, name, f"{group}.{singular}")), key


def test_a_term_without_a_word_stands_for_itself() -> None:
    assert Wording("en").name_of("cause", "SomethingNew") == "SomethingNew"


def test_no_sentence_has_an_unfinished_place() -> None:
    for lang in languages():
        for sentence in sentences(lang).values():
            list(string.Formatter().parse(sentence))
