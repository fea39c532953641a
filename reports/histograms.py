"""Adding up many small HdrHistograms at once.

deliveries.parquet keeps one histogram per second, group and kind of message. The library decodes one in about a quarter
of a millisecond, which is fine for a classroom and too slow for a city; here the counts of all are decoded together.
The format is HdrHistogram's V2 encoding (zlib, ZigZag LEB128; a negative number is a run of zeros).
"""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Iterable

import numpy as np

_OUTER, _INNER = 0x1C849314, 0x1C849313
_HEADER = struct.Struct(">iiiiqqd")
DIGITS = 3
_HALF_BITS = 10  # 2 * 10**3 values fit into 2**11 sub-buckets, of which each further bucket uses the upper half


class Counts:
    """Counts of values in microseconds, to three significant digits, as the histograms of a run keep them."""

    def __init__(self, encoded: Iterable[str]):
        """Decode and add. Raises ValueError for a histogram of another format, precision or lowest value."""
        payloads = [_payload(text) for text in encoded]
        self.counts = _sum(payloads)
        self.total = int(self.counts.sum())

    def percentile_ms(self, percentile: float) -> float | None:
        """Return a percentile in milliseconds; None when nothing was counted."""
        if not self.total:
            return None
        rank = max(1, int(percentile / 100 * self.total + 0.5))
        return float(_highest_us(int(np.searchsorted(np.cumsum(self.counts), rank)))) / 1000

    @property
    def max_ms(self) -> float | None:
        """Return the greatest value in milliseconds."""
        return self.percentile_ms(100)


def _payload(text: str) -> bytes:
    raw = base64.b64decode(text)
    cookie, length = struct.unpack_from(">ii", raw)
    inner = zlib.decompress(raw[8 : 8 + length]) if cookie == _OUTER else b""
    if len(inner) < _HEADER.size:
        raise ValueError("a latency histogram is not in HdrHistogram's V2 encoding")
    magic, size, _, digits, lowest, _, _ = _HEADER.unpack_from(inner)
    if (magic, digits, lowest) != (_INNER, DIGITS, 1):
        raise ValueError(f"a latency histogram has {digits} digits from {lowest}; expected {DIGITS} digits from 1")
    return inner[_HEADER.size : _HEADER.size + size]


def _sum(payloads: list[bytes]) -> np.ndarray:
    data = np.frombuffer(b"".join(payloads), dtype=np.uint8)
    if not len(data):
        return np.zeros(0, dtype=np.int64)
    last = data < 0x80
    number = np.concatenate(([0], np.cumsum(last)[:-1]))
    begin = np.concatenate(([0], np.flatnonzero(last)[:-1] + 1))
    part = (data & 0x7F).astype(np.uint64) << (7 * (np.arange(len(data)) - begin[number])).astype(np.uint64)
    zigzag = np.add.reduceat(part, begin)
    values = (zigzag >> np.uint64(1)).astype(np.int64) ^ -(zigzag & np.uint64(1)).astype(np.int64)
    advance = np.where(values < 0, -values, 1)
    # Where each number stands in its own histogram: what went before it there.
    starts = np.cumsum([0, *(len(payload) for payload in payloads)])[:-1]
    first = number[starts[np.array([len(payload) for payload in payloads]) > 0]]
    before = np.cumsum(advance) - advance
    sizes = np.diff(np.append(first, len(values)))
    index = before - np.repeat(before[first], sizes)
    counted = values > 0
    return np.bincount(index[counted], weights=values[counted]).astype(np.int64)


def _highest_us(index: int) -> int:
    """Return the greatest value that a place of the counts stands for."""
    bucket = (index >> _HALF_BITS) - 1
    if bucket < 0:
        return index
    sub = (index & ((1 << _HALF_BITS) - 1)) + (1 << _HALF_BITS)
    return ((sub + 1) << bucket) - 1
