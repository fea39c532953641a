"""What goes wrong on purpose: shares of nodes that behave as clients do in a real classroom at its worst.

Which nodes these are, and when it happens, is a hash of the seed, so every run of a scenario has the same ones. The
forecast knows nothing of faults: what they change shows as traffic that differed from the plan.
"""

from __future__ import annotations

from pydantic import Field

from capacity.scenario.part import Part


class Faults(Part):
    """Shares of nodes, each between 0 and 1."""

    vanishing_hosts: float = Field(0.0, ge=0, le=1, examples=[0.1])
    """Hosts that go during the hold without a word, as when a lid is shut: their groups run into the host's TTL."""
    silent_members: float = Field(0.0, ge=0, le=1, examples=[0.1])
    """Members that never send a heartbeat."""
    filtered: float = Field(0.0, ge=0, le=1, examples=[0.1])
    """Nodes behind a filter that blocks WebSocket: a host opens a polling group, a member of another group polls."""
    reconnecting: float = Field(0.0, ge=0, le=1, examples=[0.1])
    """Nodes whose WebSocket breaks once during the hold."""
