"""Whether a reading was right: no post twice, none missing that was there when it began, newest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Checked:
    """What was wrong with one reading that went to the end, or to a page."""

    posts: int
    duplicates: int
    out_of_order: int
    missing: int

    @property
    def faults(self) -> list[str]:
        """The names of what was wrong."""
        found = (("duplicate", self.duplicates), ("out of order", self.out_of_order), ("missing", self.missing))
        return [name for name, count in found if count]


class PostLedger:
    """The posts that this process knows were accepted, by when.

    An index follows its table a moment later, so a post counts as there only `settle_s` after it was accepted.
    """

    def __init__(self, settle_s: float) -> None:
        self._settle_s = settle_s
        self._accepted: list[tuple[float, int, str]] = []

    def accepted(self, now_s: float, process_at: int, timeline_id: str) -> None:
        """A post was acknowledged."""
        self._accepted.append((now_s, process_at, timeline_id))

    def __len__(self) -> int:
        return len(self._accepted)

    def known_at(self, now_s: float) -> dict[str, int]:
        """timeline_id -> process_at of the posts that a reading which begins now must find."""
        settled = now_s - self._settle_s
        return {timeline_id: process_at for at_s, process_at, timeline_id in self._accepted if at_s <= settled}

    def check(self, known: dict[str, int], shown: Iterable[tuple[int, str]], *, to_the_end: bool) -> Checked:
        """Judge what a reading showed, in order. Where it stopped early, posts older than its last one may be missing;
        those of the very same second can't be told, and are left out.
        """
        posts = list(shown)
        seen = {timeline_id for _, timeline_id in posts}
        oldest = posts[-1][0] if posts else None
        due = {
            timeline_id
            for timeline_id, process_at in known.items()
            if to_the_end or (oldest is not None and process_at > oldest)
        }
        return Checked(
            posts=len(posts),
            duplicates=len(posts) - len(seen),
            out_of_order=sum(later[0] > earlier[0] for earlier, later in pairwise(posts)),
            missing=len(due - seen),
        )
