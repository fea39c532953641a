"""A blank chart and its way into the page.

matplotlib draws; the page decides about colour and type. So every colour here is a *role*: a placeholder that becomes
a CSS variable in the finished SVG, which is what lets one chart be read in light, in dark and on paper. Text stays text
and takes the page's font. The same data give the same bytes: no date, no random ids.
"""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from io import StringIO
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

WIDTH_PX = 480
"""Charts are drawn for half of a laptop's column, so a phone shows them at about three quarters of their size."""

FONT_PX = 12

# Role -> placeholder. reports/templates/report.css defines each role for light, dark and print.
ROLES = {
    "ink": "#fe0001",
    "muted": "#fe0002",
    "grid": "#fe0003",
    "axis": "#fe0004",
    "surface": "#fe0005",
    "plan": "#fe0010",
    "sent": "#fe0011",
    "measured": "#fe0012",
    "limit": "#fe0013",
    "good": "#fe0014",
    "bad": "#fe0015",
    "warn": "#fe0016",
    **{f"c{n}": f"#fe002{n}" for n in range(8)},
    **{f"h{n}": f"#fe003{n}" for n in range(7)},
}
_ROLE_OF = {placeholder: role for role, placeholder in ROLES.items()}

_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "meshcap",
    "svg.id": None,
    "path.simplify": True,
    "figure.dpi": 72,
    "font.size": FONT_PX,
    "font.family": "DejaVu Sans",
    "axes.edgecolor": ROLES["axis"],
    "axes.linewidth": 1.0,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.labelcolor": ROLES["muted"],
    "axes.facecolor": "none",
    "figure.facecolor": "none",
    "grid.color": ROLES["grid"],
    "grid.linewidth": 1.0,
    "xtick.color": ROLES["axis"],
    "ytick.color": ROLES["axis"],
    "xtick.labelcolor": ROLES["muted"],
    "ytick.labelcolor": ROLES["muted"],
    "xtick.major.size": 4,
    "ytick.major.size": 0,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    "text.color": ROLES["ink"],
    "lines.solid_capstyle": "round",
    "lines.dash_capstyle": "butt",
}


class Canvas:
    """One figure with one pair of axes, sized in CSS pixels."""

    def __init__(self, height_px: int, left_px: int = 46, right_px: int = 14, top_px: int = 24, bottom_px: int = 38):
        self.height_px = height_px
        self.figure = Figure(figsize=(WIDTH_PX / 72, height_px / 72))
        FigureCanvasSVG(self.figure)
        self.axes: Axes = self.figure.add_axes(
            (
                left_px / WIDTH_PX,
                bottom_px / height_px,
                (WIDTH_PX - left_px - right_px) / WIDTH_PX,
                (height_px - top_px - bottom_px) / height_px,
            )
        )

    def y_unit(self, text: str) -> None:
        """Write the unit of the y axis where a reader starts: above the axis, in reading direction."""
        self.figure.text(0, 1 - 4 / self.height_px, text, ha="left", va="top", color=ROLES["muted"], size=FONT_PX)

    def x_unit(self, text: str) -> None:
        """Write the unit of the x axis below its right end."""
        self.figure.text(1 - 14 / WIDTH_PX, 3 / self.height_px, text, ha="right", va="bottom", color=ROLES["muted"])

    def svg(self, name: str, alt: str, kind: str = "") -> str:
        """Return the chart as an inline SVG element, its ids prefixed with `name` and `alt` as its accessible text."""
        target = StringIO()
        with warnings.catch_warnings():
            # The reader's own fonts draw the text; that matplotlib's lacks kanji is of no consequence here.
            warnings.filterwarnings("ignore", message=".*Glyph.*missing.*")
            self.figure.savefig(
                target, format="svg", metadata={"Date": None, "Creator": None, "Type": None, "Format": None}
            )
        return inline(target.getvalue(), name, alt, kind)


@contextmanager
def canvas(height_px: int = 220, **margins_px: int) -> Iterator[Canvas]:
    """Yield a blank `Canvas`; draw and call its `svg` inside the block, where the settings of the charts hold."""
    with matplotlib.rc_context(_SETTINGS):
        yield Canvas(height_px, **margins_px)


def inline(document: str, name: str, alt: str, kind: str = "") -> str:
    """Turn matplotlib's document into an element of the page: roles for colours, the page's font, unique ids."""
    body = document[document.index("<svg") :].strip()
    body = body[body.index(">") + 1 :]
    body = re.sub(r"\s*<metadata>.*?</metadata>", "", body, flags=re.S)
    body = re.sub(r"<!--.*?-->\s*", "", body, flags=re.S)
    body = re.sub(r"<style.*?</style>\s*", "", body, flags=re.S)  # it would apply to the whole page
    body = re.sub(r' transform="rotate\(-?0 [^"]*"', "", body)
    name = re.sub(r"[^A-Za-z0-9-]", lambda m: f"_{ord(m[0]):x}", name)  # an index may be called anything
    referenced = set(re.findall(r"(?:href=\"|url\()#([^\")]+)", body))
    body = re.sub(r' id="([^"]+)"', lambda m: f' id="{name}-{m[1]}"' if m[1] in referenced else "", body)
    body = re.sub(r"(href=\"|url\()#", rf"\g<1>#{name}-", body)
    body = body.replace("xlink:href", "href")
    body = re.sub(r"font: (?:[a-z]+ )*([\d.]+)px [^;\"]+", r"font-size: \1px", body)
    body = re.sub(r"; ?font-family: [^;\"]+|font-family: [^;\"]+; ?", "", body)
    body = re.sub(r"#fe00[0-9a-f]{2}", lambda m: f"var(--{_ROLE_OF[m[0]]})", body)
    while (
        flatter := re.sub(
            r"<g>\s*(<[^g][^<>]*/>|<text[^<]*</text>)\s*</g>|<g/>|<g>\s*</g>|<defs>\s*</defs>", r"\1", body
        )
    ) != body:
        body = flatter  # groups around single elements carry no meaning once their ids are gone
    body = re.sub(r"\s*\n\s*", "\n", body)
    body = re.sub(r'(?<=[\d z])\n(?=[LMz"CQ])', "", body)
    size = re.search(r'viewBox="([^"]+)"', document)
    assert size is not None
    attributes = f'class="{" ".join(["chart", kind]).strip()}" viewBox="{size[1]}" preserveAspectRatio="xMinYMin"'
    return f'<svg {attributes} role="img" aria-label="{escape(alt, quote=True)}">{body}'
