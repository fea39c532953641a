"""What a report is made of, before it becomes HTML or Markdown.

Sections build these from the files of a run; the templates only lay them out. Text is plain text: escaping belongs to
the templates, and the one thing they insert as it is, is the SVG of a `Chart`, which this package draws itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Tone = Literal["", "good", "bad", "warn", "unknown"]
"""How a value stands: within its limit, beyond it, close to it or doubtful, or not known."""


@dataclass(frozen=True)
class Cell:
    """One value of a table, as text, with its tone."""

    text: str
    tone: Tone = ""


@dataclass(frozen=True)
class Table:
    """Rows under headings; columns named in `numeric` align right, `groups` (text, span) stand over the headings."""

    headings: Sequence[str]
    rows: Sequence[Sequence[Cell | str]]
    caption: str = ""
    numeric: Sequence[int] = ()
    groups: Sequence[tuple[str, int]] = ()
    kind: Literal["table"] = "table"

    def flat_headings(self) -> list[str]:
        """Return one heading per column, the group's name in it, for a medium without spans."""
        over = [text for text, span in self.groups for _ in range(span)] or [""] * len(self.headings)
        return [f"{group}: {heading}" if group else heading for heading, group in zip(self.headings, over, strict=True)]

    def cells(self) -> list[list[Cell]]:
        """Return the rows with every value as a `Cell`."""
        return [[value if isinstance(value, Cell) else Cell(value) for value in row] for row in self.rows]


@dataclass(frozen=True)
class Key:
    """One entry of a legend."""

    role: str
    text: str
    style: Literal["line", "dashed", "area", "dots", "cell", "cross"] = "line"


@dataclass(frozen=True)
class Chart:
    """A drawing with its title, what it says in words, and the numbers behind it."""

    title: str
    svg: str
    alt: str
    data: Table | None = None
    legend: Sequence[Key] = ()
    image: str = ""
    """Name of a file of the drawing, for Markdown that stands beside it."""


@dataclass(frozen=True)
class Charts:
    """Charts that are read together; `legend` is for all of them, a chart may have one of its own."""

    charts: Sequence[Chart]
    legend: Sequence[Key] = ()
    kind: Literal["charts"] = "charts"


@dataclass(frozen=True)
class Text:
    """A paragraph; a `warn` or `bad` one is set apart."""

    text: str
    tone: Tone = ""
    kind: Literal["text"] = "text"


@dataclass(frozen=True)
class Listing:
    """Something to copy as it stands: a command, an error message."""

    text: str
    kind: Literal["listing"] = "listing"


@dataclass(frozen=True)
class Link:
    """A text that leads to a file, by its address relative to the page's own folder."""

    text: str
    address: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Facts:
    """Names and values, such as settings and versions."""

    pairs: Sequence[tuple[str, str | Link]]
    kind: Literal["facts"] = "facts"


Block = Table | Charts | Text | Listing | Facts


@dataclass(frozen=True)
class Section:
    """One question and its answer. `lead` is the answer in a sentence or two."""

    name: str
    title: str
    lead: str
    blocks: Sequence[Block] = ()


@dataclass(frozen=True)
class Figure:
    """A number that belongs on the first screen: what it is, the value, and one line of context."""

    label: str
    value: str
    note: str
    tone: Tone = ""


@dataclass(frozen=True)
class Report:
    """A whole report: the first screen, then sections. `verdict` is its answer, `verdict_word` the answer in one word
    where it judges something.
    """

    lang: str
    title: str
    subtitle: str
    verdict: str
    verdict_word: str
    tone: Tone
    reasons: Sequence[str]
    thresholds: Table | None
    figures: Sequence[Figure]
    sections: Sequence[Section]
    missing: Sequence[str] = field(default=())
    footer: str = ""
