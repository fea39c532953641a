"""Text and lines stand out from what they lie on, in light, in dark and on paper.

Source of the ratios: WCAG 2.2, success criteria 1.4.3 (text, 4.5) and 1.4.11 (graphics, 3).
"""

from __future__ import annotations

import re

import pytest

from reports.layout import TEMPLATES

TEXT = ("ink", "second", "muted", "good", "bad", "warn", "limit")
GRAPHICS = ("plan", "sent", "measured", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "h4", "h6")
CSS = (TEMPLATES / "report.css").read_text(encoding="utf-8")
BLOCKS = re.findall(r":root \{(.*?)\}", CSS, flags=re.S)
SCHEMES = dict(zip(("light", "dark", "print"), BLOCKS, strict=True))


def _colours(scheme: str) -> dict[str, str]:
    found = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6});", SCHEMES[scheme]))
    return {
        name: "#" + "".join(2 * c for c in value[1:]) if len(value) == 4 else value for name, value in found.items()
    }


def _luminance(colour: str) -> float:
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_black_on_white_has_the_published_contrast() -> None:
    assert _contrast("#000000", "#ffffff") == pytest.approx(21)
    assert _contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("role", TEXT)
def test_text_can_be_read(scheme: str, role: str) -> None:
    colours = _colours(scheme)
    assert _contrast(colours[role], colours["surface"]) >= 4.5
    if f"{role}-wash" in colours:
        assert _contrast(colours[role], colours[f"{role}-wash"]) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("role", GRAPHICS)
def test_lines_and_bars_can_be_seen(scheme: str, role: str) -> None:
    colours = _colours(scheme)
    assert _contrast(colours[role], colours["surface"]) >= 3
