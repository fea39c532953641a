"""What a load on a table leaves beside the run record: sums of its own, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from capacity.record import replacing


def write_load_report(run_dir: str | None, name: str, report: Mapping[str, Any]) -> None:
    """Write `report` to a file of the run directory, whole or not at all; nothing without --run-dir."""
    if run_dir:
        Path(run_dir).mkdir(parents=True, exist_ok=True)
        with replacing(Path(run_dir) / name) as path:
            path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
