"""The HTTP server on real sockets: what a client sends, byte by byte, and what it gets back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
import uvloop

from sandbox.http.server import HttpServer, Limits, Request, Response

Conversation = Callable[[HttpServer, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def converse(conversation: Conversation, handler=None, limits: Limits | None = None) -> None:
    """Run one client conversation against a fresh server."""

    async def run() -> None:
        server = HttpServer(handler or echo, limits=limits)
        await server.start()
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        try:
            await asyncio.wait_for(conversation(server, reader, writer), 20)
        finally:
            writer.close()
            await server.stop(grace_s=0.2)

    uvloop.run(run())


def echo(request: Request) -> Response:
    text = f"{request.method} {request.path} ?{request.query} {len(request.body)} {request.headers.get('x-a', '-')}"
    return Response(200, text.encode(), "text/plain")


async def answer(reader: asyncio.StreamReader, *, head_only: bool = False) -> tuple[int, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    status = int(head[0].split()[1])
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
    length = 0 if head_only else int(headers.get("content-length", "0"))
    return status, headers, await reader.readexactly(length)


def test_pipelined_requests_are_answered_in_order_even_when_the_first_takes_longest() -> None:
    delays_s = {"/slow": 0.05, "/mid": 0.01}

    async def later(request: Request) -> Response:
        await asyncio.sleep(delays_s[request.path])
        return echo(request)

    def handler(request: Request):
        return later(request) if request.path in delays_s else echo(request)

    async def conversation(server, reader, writer):
        writer.write(b"".join(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode() for path in ("/slow", "/now", "/mid")))
        bodies = [(await answer(reader))[2] for _ in range(3)]
        assert [body.split()[1] for body in bodies] == [b"/slow", b"/now", b"/mid"]

    converse(conversation, handler)


def test_a_thousand_pipelined_requests_to_a_client_that_reads_late_all_get_their_answer() -> None:
    async def conversation(server, reader, writer):
        writer.write(b"GET /big HTTP/1.1\r\nHost: x\r\n\r\n" * 1000)
        await asyncio.sleep(0.2)
        for _ in range(1000):
            status, _, body = await answer(reader)
            assert (status, len(body)) == (200, 20_000)

    converse(conversation, lambda request: Response(200, b"x" * 20_000))


def test_a_request_cut_into_single_bytes_is_understood() -> None:
    async def conversation(server, reader, writer):
        for byte in b"POST /a/b?c=d&e HTTP/1.1\r\nHost: x\r\nX-A: one\r\nx-a: two\r\nContent-Length: 3\r\n\r\nxyz":
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0)
        assert (await answer(reader))[2] == b"POST /a/b ?c=d&e 3 one, two"

    converse(conversation)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        pytest.param(b"NONSENSE\r\n\r\n", 400, id="not HTTP at all"),
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, id="a TLS hello on the plain port"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n", 400, id="a space in a header name"),
        pytest.param(
            b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400,
            id="two lengths, the start of request smuggling",
        ),
        pytest.param(b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400, id="a negative length"),
        pytest.param(b"GET / HTTP/1.1\r\nA: " + b"a" * 5000 + b"\r\n\r\n", 431, id="one header above the limit"),
        pytest.param(b"GET / HTTP/1.1\r\nA: " + b"a" * 5000, 431, id="a header that does not end"),
        pytest.param(b"GET /" + b"a" * 5000, 431, id="a target that does not end"),
        pytest.param(b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 2000 + b"\r\n", 431, id="very many headers"),
        pytest.param(b"POST / HTTP/1.1\r\nContent-Length: 1000001\r\n\r\n", 413, id="a declared body above the limit"),
        pytest.param(
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + (b"186a0\r\n" + b"x" * 100_000 + b"\r\n") * 2,
            413,
            id="a chunked body that grows above the limit",
        ),
        pytest.param(b"POST / HTTP/1.1\r\nExpect: magic\r\nContent-Length: 2\r\n\r\n", 417, id="an odd expectation"),
    ],
)
def test_a_bad_request_is_answered_with_its_status_and_the_connection_ends(sent: bytes, status: int) -> None:
    async def conversation(server, reader, writer):
        writer.write(sent)
        got, headers, body = await answer(reader)
        assert got == status
        assert headers["connection"] == "close"
        assert body.startswith(b'{"message":')
        assert await reader.read() == b""

    converse(conversation, limits=Limits(head_bytes=4096, body_bytes=150_000))


def test_a_refused_upload_still_reads_its_answer() -> None:
    """Closing at once with unread data would reset the connection under the client."""

    async def conversation(server, reader, writer):
        writer.write(b"POST / HTTP/1.1\r\nContent-Length: 3000000\r\n\r\n")
        writer.write(b"x" * 3_000_000)
        assert (await answer(reader))[0] == 413

    converse(conversation, limits=Limits(body_bytes=1_000_000))


def test_expect_100_continue_gets_its_interim_answer() -> None:
    async def conversation(server, reader, writer):
        writer.write(b"POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(b"ab")
        assert (await answer(reader))[2] == b"POST / ? 2 -"

    converse(conversation)


def test_head_has_the_length_and_no_body() -> None:
    async def conversation(server, reader, writer):
        writer.write(b"HEAD /h HTTP/1.1\r\n\r\nGET /g HTTP/1.1\r\n\r\n")
        status, headers, _ = await answer(reader, head_only=True)
        assert (status, headers["content-length"]) == (200, str(len("HEAD /h ? 0 -")))
        assert (await answer(reader))[2] == b"GET /g ? 0 -"

    converse(conversation)


@pytest.mark.parametrize(
    ("head", "kept"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", True),
        (b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", False),
        (b"GET / HTTP/1.0\r\n\r\n", False),
        (b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", True),
        (b"GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", True),
    ],
)
def test_connections_are_kept_as_the_client_asks(head: bytes, kept: bool) -> None:
    async def conversation(server, reader, writer):
        writer.write(head)
        status, headers, _ = await answer(reader)
        assert status == 200
        assert headers.get("connection", "keep-alive") == ("keep-alive" if kept else "close")
        if kept:
            writer.write(b"GET /again HTTP/1.1\r\n\r\n")
            assert (await answer(reader))[2].startswith(b"GET /again")
        else:
            assert await reader.read() == b""

    converse(conversation)


def test_very_many_offers_of_another_protocol_are_answered_one_by_one() -> None:
    offer = b"GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"

    async def conversation(server, reader, writer):
        writer.write(offer * 3000)
        for _ in range(3000):
            assert (await answer(reader))[0] == 200

    converse(conversation)


def test_a_client_that_half_closes_still_gets_its_answer() -> None:
    async def handler(request: Request) -> Response:
        await asyncio.sleep(0.02)
        return echo(request)

    async def conversation(server, reader, writer):
        writer.write(b"GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n")
        writer.write_eof()
        assert (await answer(reader))[2].startswith(b"GET /a")
        assert (await answer(reader))[2].startswith(b"GET /b")
        assert await reader.read() == b""

    converse(conversation, handler)


def test_a_handler_that_fails_is_answered_500_without_its_details(caplog) -> None:
    def handler(request: Request) -> Response:
        raise KeyError("secret detail")

    async def conversation(server, reader, writer):
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        status, _, body = await answer(reader)
        assert status == 500
        assert b"secret" not in body

    converse(conversation, handler)
    assert "secret detail" in caplog.text


def test_a_line_break_in_a_response_header_never_reaches_the_wire(caplog) -> None:
    async def conversation(server, reader, writer):
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        status, headers, _ = await answer(reader)
        assert status == 500
        assert "x-forged" not in headers

    converse(conversation, lambda request: Response(200, b"", headers=(("X-A", "1\r\nX-Forged: 1"),)))


def test_a_request_that_trickles_in_is_refused_in_time() -> None:
    async def conversation(server, reader, writer):
        writer.write(b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab")
        assert (await answer(reader))[0] == 408

    converse(conversation, limits=Limits(request_s=0.5))


def test_an_idle_connection_is_closed_and_a_slow_answer_is_no_idleness() -> None:
    async def handler(request: Request) -> Response:
        await asyncio.sleep(1.6)
        return echo(request)

    async def conversation(server, reader, writer):
        writer.write(b"GET /slow HTTP/1.1\r\n\r\n")
        assert (await answer(reader))[2].startswith(b"GET /slow")
        assert await reader.read() == b""

    converse(conversation, handler, limits=Limits(idle_s=0.3))


def test_connections_beyond_the_limit_are_told_so_and_a_free_place_is_used_again() -> None:
    async def conversation(server, reader, writer):
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert (await answer(reader))[0] == 200
        second_reader, second_writer = await asyncio.open_connection("127.0.0.1", server.port)
        assert (await answer(second_reader))[0] == 503
        second_writer.close()
        writer.close()
        while server.connections:
            await asyncio.sleep(0.01)
        third_reader, third_writer = await asyncio.open_connection("127.0.0.1", server.port)
        third_writer.write(b"GET / HTTP/1.1\r\n\r\n")
        assert (await answer(third_reader))[0] == 200

    converse(conversation, limits=Limits(connections=1))


def test_unfinished_bodies_of_all_connections_share_one_budget() -> None:
    async def conversation(server, reader, writer):
        writer.write(b"POST / HTTP/1.1\r\nContent-Length: 900000\r\n\r\n" + b"x" * 600_000)
        while server.bodies.in_flight_bytes < 600_000:
            await asyncio.sleep(0.01)
        other_reader, other_writer = await asyncio.open_connection("127.0.0.1", server.port)
        other_writer.write(b"POST / HTTP/1.1\r\nContent-Length: 900000\r\n\r\n" + b"x" * 600_000)
        assert (await answer(other_reader))[0] == 503
        writer.write(b"x" * 300_000)
        assert (await answer(reader))[0] == 200
        assert server.bodies.in_flight_bytes == 0

    converse(conversation, limits=Limits(bodies_in_flight_bytes=1_000_000))


def test_stop_lets_an_answer_in_progress_leave() -> None:
    async def handler(request: Request) -> Response:
        await asyncio.sleep(0.05)
        return echo(request)

    async def conversation(server, reader, writer):
        writer.write(b"GET /last HTTP/1.1\r\n\r\n")
        await asyncio.sleep(0.02)
        await server.stop(grace_s=1.0)
        assert (await answer(reader))[2].startswith(b"GET /last")

    converse(conversation, handler)
