"""Writes requests that go to DynamoDB itself into the record of a run, as Mesh's requests are."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from locustfiles.running.parts import PartStream


@dataclass(frozen=True)
class Ended:
    """How a request ended: outcome as in requests.parquet, and what the answer said."""

    start_s: float
    end_s: float
    outcome: str = "ok"
    error_type: str | None = None
    error_message: str | None = None
    request_bytes: int = 0
    response_bytes: int = 0
    items: int | None = None
    request_id: str | None = None


class RequestRows:
    """The rows of one user of the run; `notes` counts what did not end well."""

    def __init__(self, stream: PartStream, notes: Counter[str], user: str) -> None:
        self._stream, self._notes, self._user = stream, notes, user

    def add(self, operation: str, key: str | None, intended_s: float, ended: Ended) -> None:
        """One request; `key` is the partition key that it asked for, where it matters."""
        if ended.outcome != "ok":
            self._notes[f"{operation} {ended.outcome}, {ended.error_type}"] += 1
        self._stream.append(
            (
                operation,
                self._user,
                None,
                key,
                intended_s,
                ended.start_s,
                (ended.end_s - ended.start_s) * 1000,
                (ended.end_s - intended_s) * 1000,
                ended.outcome,
                ended.error_type,
                ended.error_message,
                ended.request_bytes,
                ended.response_bytes,
                ended.items,
                ended.request_id,
                None,
            )
        )
