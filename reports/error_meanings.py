"""What the well-known answers of a target mean, so that a reader need not know the service's English."""

from __future__ import annotations

from reports.wording import Wording

_BEGINNINGS = {
    "The level of configured provisioned throughput for the table": "provisioned_table",
    "The level of configured provisioned throughput for one or more": "provisioned_index",
    "Throughput exceeds the current capacity of your table or index": "on_demand_table",
    "Throughput exceeds the current capacity for one or more global secondary indexes": "on_demand_index",
    "Throughput exceeds the maximum OnDemandThroughput": "on_demand_maximum",
    "Throughput exceeds the current throughput limit for your account": "account",
    "Transaction cancelled": "transaction",
    "The conditional request failed": "condition",
    "Rate Exceeded": "lambda",
    "You are not authorized": "unauthorized",
    "Group not found": "group",
    "no answer": "unanswered",
    "[Errno 111] Connection refused": "closed",
    "ConnectionResetError": "reset",
    "the other side ended the connection": "reset",
}
"""How a message begins -> the sentence that explains it; words of DynamoDB, AppSync, Mesh v2 and of our clients."""


def meaning(message: str, say: Wording) -> str | None:
    """A sentence on what a message means in the reader's language; None for one that is not well known."""
    for beginning, key in _BEGINNINGS.items():
        if message.startswith(beginning):
            return say(f"error_meaning.{key}")
    return None
