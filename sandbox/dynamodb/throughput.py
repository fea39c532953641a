"""What DynamoDB says when it refuses a request for lack of throughput: exception, message, reasons, metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capacity.physics.partition import Throttle
from sandbox.dynamodb.errors import DynamoDBError

if TYPE_CHECKING:
    from sandbox.dynamodb.tables import IndexState, TableState


PROVISIONED_TABLE = (
    "The level of configured provisioned throughput for the table was exceeded. "
    "Consider increasing your provisioning level with the UpdateTable API."
)
PROVISIONED_INDEX = (
    "The level of configured provisioned throughput for one or more global secondary indexes of the table was "
    "exceeded. Consider increasing your provisioning level for the under-provisioned global secondary indexes with the "
    "UpdateTable API."
)
ON_DEMAND_TABLE = (
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table or "
    "index so please try again shortly. If exceptions persist, check if you have a hot key: "
    "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
)
ON_DEMAND_INDEX = (
    "Throughput exceeds the current capacity for one or more global secondary indexes. "
    "DynamoDB is automatically scaling your index so please try again shortly."
)
ON_DEMAND_MAXIMUM = "Throughput exceeds the maximum OnDemandThroughput configured on table or index"
ACCOUNT = (
    "Throughput exceeds the current throughput limit for your account. "
    "To request a limit increase, contact AWS Support at https://aws.amazon.com/support"
)


class Refusals:
    """The refused events of one request, in the order table before index; counts them and words the exception."""

    __slots__ = ("causes", "table")

    def __init__(self, table: TableState):
        self.table = table
        self.causes: list[tuple[str, str, str, IndexState | None]] = []

    def add(self, kind: str, throttles: tuple[Throttle, ...], index: IndexState | None = None) -> None:
        """One event: a resource refused `kind`; metrics count on the resource that refused."""
        limits = tuple(throttle.limit for throttle in throttles)
        metrics = self.table.metrics if index is None else index.metrics
        if metrics is not None:
            metrics.throttled(kind, limits)
        where = "Table" if index is None else "Index"
        arn = self.table.arn if index is None else index.arn
        for limit in limits:
            self.causes.append((limit, f"{where}{kind.capitalize()}{limit}Exceeded", arn, index))

    def error(self) -> DynamoDBError:
        """The exception of a request that was refused whole (facts: API reference and captures of 2025-2026)."""
        reasons = [{"reason": reason, "resource": arn} for reason, arn in dict.fromkeys(c[1:3] for c in self.causes)]
        limit, _, _, index = self.causes[0]
        if limit == "AccountLimit":
            return DynamoDBError("RequestLimitExceeded", ACCOUNT, extra={"ThrottlingReasons": reasons})
        if self.table.is_on_demand():
            if limit == "MaxOnDemandThroughput":
                message = ON_DEMAND_MAXIMUM
                if index is not None and "Write" in reasons[0]["reason"]:
                    # Measured 2026-09: a write refused by an index's maximum comes as the provisioned exception.
                    return DynamoDBError(
                        "ProvisionedThroughputExceededException", message, extra={"ThrottlingReasons": reasons}
                    )
            else:
                message = ON_DEMAND_TABLE if index is None else ON_DEMAND_INDEX
            return DynamoDBError("ThrottlingException", message, extra={"throttlingReasons": reasons})
        message = PROVISIONED_TABLE if index is None else PROVISIONED_INDEX
        return DynamoDBError("ProvisionedThroughputExceededException", message, extra={"ThrottlingReasons": reasons})


def refused(
    table: TableState, kind: str, throttles: tuple[Throttle, ...], index: IndexState | None = None
) -> DynamoDBError:
    """The exception of a request that one resource refused; the event is counted."""
    refusals = Refusals(table)
    refusals.add(kind, throttles, index)
    return refusals.error()


def count_throttled(operation: str, tables: list[TableState]) -> None:
    """ThrottledRequests of a batch that was served in part: once per table that refused some of it (CloudWatch,
    troubleshooting throttling, 2026)."""
    for table in tables:
        table.metrics.of_operation("ThrottledRequests", operation).add(1.0)
