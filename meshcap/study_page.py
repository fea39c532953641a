"""The page that `cost`, `heartbeat` and `limits` leave beside their table."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meshcap.console import say as tell

if TYPE_CHECKING:
    from reports.document import Report
    from reports.wording import Wording

PageFile = Annotated[
    Path | None, typer.Option("--page", help="Where the page goes; without it runs/studies/SCENARIO-VERB.html.")
]


def write_page(
    verb: str, scenario: str, page: Path | None, lang: str, build: Callable[[Wording, date], Report]
) -> None:
    """Write the page of a verb's answer and say where it is; the warnings on it are said here, too.

    Where the default place cannot be written, the table has to do: only a place that was asked for is an error.
    """
    from reports.studies import FOLDER, write
    from reports.wording import Wording

    report = build(Wording(lang), datetime.now(UTC).date())
    for warning in report.missing:
        tell(warning)
    path = page or FOLDER / f"{scenario}-{verb}.html"
    try:
        write(report, path)
    except OSError as fault:
        if page is not None:
            raise
        tell(f"{path} was not written: {fault.strerror or fault}; name another place with --page.")
        return
    tell(f"Page: {path}")
