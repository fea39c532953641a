"""The errors DynamoDB answers with: code, words, HTTP status.

Sources of the words: the API reference, and captures published by others (dynamodb-conformance, 2026), read 2026-11-30.
"""

from __future__ import annotations

from typing import Any

CORAL_SERVICE = "com.amazon.coral.service#"
CORAL_VALIDATE = "com.amazon.coral.validate#"
DYNAMODB = "com.amazonaws.dynamodb.v20120810#"

_NAMESPACES = {
    "ValidationException": CORAL_VALIDATE,
    "SerializationException": CORAL_SERVICE,
    "UnknownOperationException": CORAL_SERVICE,
    "MissingAuthenticationTokenException": CORAL_SERVICE,
    "IncompleteSignatureException": CORAL_SERVICE,
    "InvalidSignatureException": CORAL_SERVICE,
    "UnrecognizedClientException": CORAL_SERVICE,
    "ThrottlingException": CORAL_SERVICE,
}

INVALID = "One or more parameter values were invalid: "


class DynamoDBError(Exception):
    """A refusal as the wire carries it: `code`, `message`, HTTP `status` and further fields of the body in `extra`."""

    def __init__(self, code: str, message: str | None = None, status: int = 400, extra: dict[str, Any] | None = None):
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.status = status
        self.extra = extra or {}

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    def body(self) -> dict[str, Any]:
        """The JSON body of the answer; most errors spell the text `message`, serialization errors `Message`."""
        body: dict[str, Any] = {"__type": _NAMESPACES.get(self.code, DYNAMODB) + self.code}
        if self.message is not None:
            spelling = (
                "Message" if self.code in ("SerializationException", "TransactionCanceledException") else "message"
            )
            body[spelling] = self.message
        body.update(self.extra)
        return body


def validation(message: str) -> DynamoDBError:
    return DynamoDBError("ValidationException", message)


def invalid(message: str) -> DynamoDBError:
    """A ValidationException that opens with DynamoDB's usual words."""
    return DynamoDBError("ValidationException", INVALID + message)


def enveloped(error: DynamoDBError) -> DynamoDBError:
    """PutItem, UpdateItem and DeleteItem count what is wrong with a request before its table is looked up, as the
    checks of shapes do (dynamodb-conformance, both regions of 2026-10-09)."""
    message = error.message or ""
    if error.code != "ValidationException" or " validation error" in message[:30]:
        return error
    return DynamoDBError("ValidationException", f"1 validation error detected: {message}")


def serialization(message: str) -> DynamoDBError:
    return DynamoDBError("SerializationException", message)


def cancelled(reasons: list[dict[str, Any]]) -> DynamoDBError:
    """A transaction refused, with one reason per action; Code None where that action was not the cause."""
    codes = ", ".join(reason["Code"] for reason in reasons)
    return DynamoDBError(
        "TransactionCanceledException",
        f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]",
        extra={"CancellationReasons": reasons},
    )


def empty_key_value(text: str) -> DynamoDBError:
    """An empty key value, which transactions report for the whole request, not as an action's reason."""
    return DynamoDBError("ValidationException", f"One or more parameter values are not valid. {text}")


def is_empty_key_value(error: DynamoDBError) -> bool:
    return error.message is not None and error.message.startswith("One or more parameter values are not valid.")


def table_not_found(name: str | None = None) -> DynamoDBError:
    """Data operations do not name the table, control operations do."""
    if name is None:
        return DynamoDBError("ResourceNotFoundException", "Requested resource not found")
    return DynamoDBError("ResourceNotFoundException", f"Requested resource not found: Table: {name} not found")


def condition_failed(item: dict[str, Any] | None = None) -> DynamoDBError:
    extra = {"Item": item} if item is not None else None
    return DynamoDBError("ConditionalCheckFailedException", "The conditional request failed", extra=extra)
