"""What lint finds: where, how bad, the number behind it, and what to do."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Severity = Literal["error", "warning", "advice"]
"""error: refused or throttled as described; warning: will be as it grows; advice: costs more than it needs to."""


class Finding(BaseModel):
    """One thing about one table or index. `figures` names carry their units."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rule: str
    severity: Severity
    table: str
    index: str | None
    file: str
    line: int
    message: str
    figures: dict[str, float]
    remedy: str

    def __str__(self) -> str:
        where = self.table if self.index is None else f"{self.table}/{self.index}"
        return f"{self.file}:{self.line}: {self.severity}: {where}: {self.message} {self.remedy} [{self.rule}]"
