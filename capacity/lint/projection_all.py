"""Projection ALL copies whole items into an index: each write pays their size again, each update even where the index
holds nothing new.
"""

from __future__ import annotations

from collections.abc import Iterator

from capacity.dynamodb.table import Projection
from capacity.lint.finding import Finding
from capacity.lint.subject import Subject

NAME = "projection-all"
TITLE = "ALL projection amplification"


def check(subject: Subject) -> Iterator[Finding]:
    """With known sizes: each ALL index whose entries cost more than keys alone. Without: two or more ALL indexes."""
    whole = [index for index in subject.table.indexes if index.projection.kind == "ALL"]
    if not subject.size_is_known:
        if len(whole) > 1:
            yield subject.finding(
                NAME,
                "advice",
                None,
                f"{len(whole)} indexes copy whole items ({', '.join(index.name for index in whole)}): updating one "
                f"attribute that is in no key costs {1 + len(whole)} times the write units of the table alone.",
                "Project KEYS_ONLY or INCLUDE what the reader shows; give sample items (--items) for exact figures.",
                amplification=1.0 + len(whole),
            )
        return
    for index in whole:
        all_units = subject.entry_units(index)
        keys_units = subject.entry_units(index, Projection("KEYS_ONLY"))
        if all_units <= keys_units:
            continue
        yield subject.finding(
            NAME,
            "advice",
            index.name,
            f"copies whole {subject.sized}: a new item costs {all_units:.3g} write units here, {keys_units:.3g} "
            f"with its keys alone, and every update {all_units:.3g} again where keys alone would cost none.",
            "Project KEYS_ONLY or INCLUDE what the reader shows, and read the rest from the table by key.",
            write_units_all=all_units,
            write_units_keys_only=keys_units,
        )
