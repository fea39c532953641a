"""WebSocket frames (RFC 6455) as a client needs them: small, for one process reads tens of thousands a second."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

TEXT, BINARY, CLOSE, PING, PONG = 0x1, 0x2, 0x8, 0x9, 0xA
MAX_MESSAGE_BYTES = 1 << 20  # AppSync's largest subscription payload is 240 kB

_ONE_TEXT = bytes((0x80 | TEXT, 126))
"""How a final text frame of 126 to 65,535 bytes begins."""


class FrameError(Exception):
    """The peer broke the protocol."""


def encode(opcode: int, payload: bytes) -> bytes:
    """One final, masked frame."""
    length = len(payload)
    if length < 126:
        head = bytes((0x80 | opcode, 0x80 | length))
    elif length < 1 << 16:
        head = bytes((0x80 | opcode, 0x80 | 126)) + length.to_bytes(2, "big")
    else:
        head = bytes((0x80 | opcode, 0x80 | 127)) + length.to_bytes(8, "big")
    mask = os.urandom(4)
    key = (mask * (length // 4 + 1))[:length]
    masked = int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")
    return head + mask + masked.to_bytes(length, "big")


class FrameReader:
    """Bytes in, whole messages out: (opcode, payload), fragments joined."""

    def __init__(self) -> None:
        self._buffer = b""
        self._fragments: list[bytes] = []
        self._fragment_opcode = 0

    def feed(self, data: bytes) -> Iterable[tuple[int, bytes]]:
        """Each message that `data` completes. Raises FrameError on a broken or oversized frame."""
        # A publication comes alone, in one text frame; to look for that alone makes receiving a tenth cheaper.
        if not self._buffer and len(data) > 4 and data[:2] == _ONE_TEXT and len(data) == 4 + (data[2] << 8 | data[3]):
            return ((TEXT, data[4:]),)
        return self._feed(data)

    def _feed(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        buffer = self._buffer + data if self._buffer else data
        position, end = 0, len(buffer)
        while end - position >= 2:
            first, second = buffer[position], buffer[position + 1]
            length, start = second & 0x7F, position + 2
            if length == 126:
                start += 2
                length = int.from_bytes(buffer[position + 2 : start], "big") if end >= start else end
            elif length == 127:
                start += 8
                length = int.from_bytes(buffer[position + 2 : start], "big") if end >= start else end
            if end >= start and (length > MAX_MESSAGE_BYTES or second & 0x80 or first & 0x70):
                raise FrameError(f"frame with first bytes {first:#04x} {second:#04x} and {length:,} bytes")
            if end < start + length:
                break
            payload = buffer[start : start + length]
            position = start + length
            opcode = first & 0x0F
            if first & 0x80 and opcode:
                yield opcode, payload
                continue
            yield from self._fragment(first, opcode, payload)
        self._buffer = buffer[position:]

    def _fragment(self, first: int, opcode: int, payload: bytes) -> Iterator[tuple[int, bytes]]:
        if opcode:
            self._fragments, self._fragment_opcode = [payload], opcode
        elif not self._fragments:
            raise FrameError("a continuation without a beginning")
        else:
            self._fragments.append(payload)
        if sum(map(len, self._fragments)) > MAX_MESSAGE_BYTES:
            raise FrameError(f"a message of more than {MAX_MESSAGE_BYTES:,} bytes")
        if first & 0x80:
            whole = b"".join(self._fragments)
            self._fragments = []
            yield self._fragment_opcode, whole
