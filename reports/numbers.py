"""Numbers as a person reads them. `None` and NaN are unknown and are never written as zero."""

import math

UNKNOWN = "–"


def known(value: float | None) -> bool:
    """Tell whether there is a number at all."""
    return value is not None and not math.isnan(value)


def number(value: float | None, digits: int = 3) -> str:
    """Write a number to about `digits` significant ones, thousands separated: 1,234,567; 0.0123."""
    if value is None or math.isnan(value):
        return UNKNOWN
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{min(decimals, 8)}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text.replace("-", "−")


def count(value: float | None) -> str:
    """Write a count in full: 3840 -> 3,840."""
    if value is None or math.isnan(value):
        return UNKNOWN
    return f"{value:,.0f}".replace("-", "−")


def percent(fraction: float | None, *, signed: bool = False, digits: int = 2) -> str:
    """Write a fraction as per cent: 0.0042 -> 0.42 %."""
    if fraction is None or math.isnan(fraction):
        return UNKNOWN
    if fraction == 0:
        return "0 %"
    sign = "+" if signed and fraction > 0 else ""
    if 0.9 < fraction < 1:  # nearly all is not all: 0.99996 is 99.996 %, never 100 %
        decimals = max(0, -math.floor(math.log10((1 - fraction) * 100) + 1e-9))
        return f"{sign}{math.floor(fraction * 100 * 10**decimals + 1e-6) / 10**decimals:.{decimals}f} %"
    return f"{sign}{number(fraction * 100, digits)} %"


def usd(amount: float | None) -> str:
    """Write dollars: cents from one dollar on, below that as many digits as carry meaning."""
    if amount is None or math.isnan(amount):
        return UNKNOWN
    if amount == 0:
        return "$0"
    return f"${amount:,.2f}" if abs(amount) >= 1 else f"${number(amount)}"


def milliseconds(value: float | None) -> str:
    """Write a latency with its unit."""
    return UNKNOWN if value is None or math.isnan(value) else f"{number(value)} ms"


def clock(seconds: float) -> str:
    """Write a time of a run as minutes and seconds: 95 -> 1:35."""
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600}:{whole % 3600 // 60:02d}:{whole % 60:02d}"
    return f"{whole // 60}:{whole % 60:02d}"


def duration(seconds: float | None) -> str:
    """Write a span: 0.4 s, 60 s, 12 min, 3 h 20 min."""
    if seconds is None or math.isnan(seconds):
        return UNKNOWN
    if math.isinf(seconds):
        return "∞"
    if seconds < 120:
        return f"{number(seconds)} s"
    minutes = round(seconds / 60)
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min" if minutes % 60 else f"{minutes // 60} h"


def axis_number(value: float) -> str:
    """Write a tick: 1500 -> 1.5k, 0.05 -> 0.05."""
    for size, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{suffix}"
    return f"{value:.3g}"
