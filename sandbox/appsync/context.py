"""What a resolver function receives: `ctx`, with `ctx.util` for what JavaScript resolvers import from
`@aws-appsync/utils`. Names follow AppSync's, in this language's spelling.
"""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NoReturn

from sandbox.appsync.errors import EarlyReturn, ResolverError
from sandbox.appsync.typed_values import to_typed, to_typed_map


class Util:
    """Time, ids and errors for resolvers. `clock` gives epoch seconds; `ids` is seeded where a test needs it."""

    def __init__(self, clock: Callable[[], float] = time.time, ids: random.Random | None = None) -> None:
        self.clock = clock
        self._ids = ids or random.SystemRandom()
        self._second = (-1, "")  # one object, so that threads see a second with its own text

    def error(self, message: str, error_type: str | None = None, data: Any = None, error_info: Any = None) -> NoReturn:
        """End the resolver with an error; the field becomes null."""
        raise ResolverError(message, error_type, data, error_info)

    def auto_id(self) -> str:
        """A random UUID (version 4)."""
        return str(uuid.UUID(int=self._ids.getrandbits(128), version=4))

    def now_epoch_seconds(self) -> int:
        return int(self.clock())

    def now_epoch_ms(self) -> int:
        return int(self.clock() * 1000)

    def now_iso8601(self) -> str:
        """Now, UTC, with milliseconds: `2026-01-01T12:00:00.123Z`."""
        return self.epoch_ms_to_iso8601(int(self.clock() * 1000))

    def epoch_ms_to_iso8601(self, epoch_ms: int) -> str:
        second, milliseconds = divmod(epoch_ms, 1000)
        known, text = self._second
        if second != known:  # formatting dominates a resolver's time, and most calls fall into the same second
            text = datetime.fromtimestamp(second, UTC).strftime("%Y-%m-%dT%H:%M:%S.")
            self._second = (second, text)
        return f"{text}{milliseconds:03d}Z"

    @staticmethod
    @lru_cache(maxsize=4096)  # a group's expiry is looked at by every operation on it
    def iso8601_to_epoch_ms(text: str) -> int:
        """Epoch milliseconds; raises ValueError for text that is not ISO 8601."""
        return round(datetime.fromisoformat(text).timestamp() * 1000)

    to_dynamodb = staticmethod(to_typed)
    to_map_values = staticmethod(to_typed_map)


EXECUTION_LIMIT_S = 30.0
"""AppSync ends a request after this time, its data sources' included (quota page, read 2026-11)."""
TIMED_OUT = "Execution timed out."


class RequestInfo:
    """`ctx.request` and what a whole request shares: headers (lower-case names), the client's address, and `delay_s`,
    the seconds by which imitated services hold the answer up."""

    __slots__ = ("delay_s", "headers", "peer")

    def __init__(self, headers: Mapping[str, str], peer: str = "") -> None:
        self.headers = headers
        self.peer = peer
        self.delay_s = 0.0

    @property
    def forwarded_for(self) -> str:
        """`x-forwarded-for` as a resolver sees it: what the client sent, then the client's own address."""
        given = self.headers.get("x-forwarded-for")
        return f"{given}, {self.peer}" if given and self.peer else given or self.peer


class DataSourceError:
    """`ctx.error`: what a data source answered instead of a result."""

    __slots__ = ("message", "type")

    def __init__(self, message: str, error_type: str) -> None:
        self.message = message
        self.type = error_type


class Previous:
    """`ctx.prev`: the output of the function before this one."""

    __slots__ = ("result",)

    def __init__(self) -> None:
        self.result: Any = None


class Context:
    """`ctx` of one resolver run; `stash` lives as long as it does.

    `result` is decoded when a function first looks at it: many response handlers answer from `args` alone.
    """

    __slots__ = ("_decode", "_result", "appended", "args", "env", "error", "info", "prev", "request", "stash", "util")

    def __init__(self, args: dict[str, Any], request: RequestInfo, env: Any, util: Util, info: Any = None) -> None:
        self.args = args
        self.request = request
        self.env = env
        self.util = util
        self.info = info
        self.stash: dict[str, Any] = {}
        self.prev = Previous()
        self.error: DataSourceError | None = None
        self.appended: list[ResolverError] | None = None
        self._result: Any = None
        self._decode: Callable[[Any], Any] | None = None

    @property
    def result(self) -> Any:
        """What the data source answered; None before it ran, and for a missing item."""
        if self._decode is not None:
            self._result = self._decode(self._result)
            self._decode = None
        return self._result

    @result.setter
    def result(self, value: Any) -> None:
        self._result = value
        self._decode = None

    def answer(self, value: Any, decode: Callable[[Any], Any] | None = None) -> None:
        """Set by a data source: `decode` turns its answer into the result on first use."""
        self._result = value
        self._decode = decode

    def append_error(
        self, message: str, error_type: str | None = None, data: Any = None, error_info: Any = None
    ) -> None:
        """`util.appendError`: report an error and go on."""
        if self.appended is None:
            self.appended = []
        self.appended.append(ResolverError(message, error_type, data, error_info))

    def early_return(self, value: Any = None) -> NoReturn:
        """`runtime.earlyReturn`: from a request handler, go on without calling the data source."""
        raise EarlyReturn(value)

    def raise_error(self) -> None:
        """What most response handlers do first: report the data source's failure as the field's error."""
        if self.error is not None:
            raise ResolverError(self.error.message, self.error.type)
