"""Our frames against the `websockets` library: it reads what we write, we read what it writes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.protocol import OPEN, SERVER, Protocol

from locustfiles.network.frames import CLOSE, MAX_MESSAGE_BYTES, PING, TEXT, FrameError, FrameReader, encode

# Lengths around each change of the length field, and contents that differ.
LENGTHS = st.one_of(st.integers(0, 130), st.integers(65_533, 65_538))
PAYLOADS = st.builds(lambda length, byte: bytes([byte]) * length, LENGTHS, st.integers(0, 255))


def server_frame(opcode: Opcode, payload: bytes, fin: bool = True) -> bytes:
    return Frame(opcode, payload, fin).serialize(mask=False)


@given(payload=PAYLOADS)
def test_the_library_reads_our_frames(payload: bytes) -> None:
    server = Protocol(SERVER, state=OPEN, max_size=None)
    server.receive_data(encode(0x2, payload))
    (frame,) = server.events_received()
    assert bytes(frame.data) == payload


@given(
    payloads=st.lists(PAYLOADS, max_size=5),
    cuts=st.lists(st.integers(0, 200_000), max_size=12),
)
def test_we_read_the_librarys_frames_however_they_are_cut(payloads: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(server_frame(Opcode.TEXT, payload) for payload in payloads)
    edges = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    reader, read = FrameReader(), []
    for start, end in pairwise(edges):
        read += list(reader.feed(stream[start:end]))
    assert read == [(TEXT, payload) for payload in payloads]


def test_fragments_are_joined_and_a_ping_may_come_in_between() -> None:
    reader = FrameReader()
    stream = (
        server_frame(Opcode.TEXT, b"one ", fin=False)
        + server_frame(Opcode.PING, b"there?")
        + server_frame(Opcode.CONT, b"two", fin=True)
        + server_frame(Opcode.CLOSE, b"\x03\xe8")
    )
    assert list(reader.feed(stream)) == [(PING, b"there?"), (TEXT, b"one two"), (CLOSE, b"\x03\xe8")]


@pytest.mark.parametrize(
    "frame",
    [
        pytest.param(encode(TEXT, b"x"), id="a server must not mask"),
        pytest.param(b"\xc1\x01x", id="a reserved bit without an extension"),
        pytest.param(b"\x81\x7f" + (MAX_MESSAGE_BYTES + 1).to_bytes(8, "big"), id="longer than any message may be"),
        pytest.param(b"\x80\x01x", id="a continuation of nothing"),
    ],
)
def test_a_broken_frame_is_an_error(frame: bytes) -> None:
    with pytest.raises(FrameError):
        list(FrameReader().feed(frame))
