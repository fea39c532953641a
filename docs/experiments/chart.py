"""How the experiments draw: one picture beside each script, same size, no machine-dependent data in the file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes

TIME = "#2563eb"
ALARM = "#dc2626"
QUIET = "#9ca3af"


def save(script: str, draw: Callable[[Axes], None]) -> Path:
    """Draw on fresh axes and save a PNG next to ``script``."""
    figure, axes = pyplot.subplots(figsize=(7.2, 3.6), layout="constrained")
    axes.spines[["top", "right"]].set_visible(False)
    draw(axes)
    picture = Path(script).with_suffix(".png")
    figure.savefig(picture, dpi=110, metadata={"Software": None})
    pyplot.close(figure)
    return picture
