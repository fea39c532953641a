"""Errors as CloudWatch answers them: a code in the query protocol, a shape name in the newer ones, an HTTP status."""

from __future__ import annotations

# Codes of the service model (2010-08-01) and their error shapes; others bear one name in every protocol.
_SHAPES = {
    "InvalidParameterValue": "InvalidParameterValueException",
    "InvalidParameterCombination": "InvalidParameterCombinationException",
    "MissingParameter": "MissingRequiredParameterException",
    "InternalServiceError": "InternalServiceFault",
}


class CloudWatchError(Exception):
    """An answer that is not a result."""

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.status = status

    @property
    def shape(self) -> str:
        """The error's name in the JSON and CBOR protocols."""
        return _SHAPES.get(self.code, self.code)

    @property
    def fault(self) -> str:
        """Whose fault it is, as the query protocol says it."""
        return "Receiver" if self.status >= 500 else "Sender"


def invalid(message: str) -> CloudWatchError:
    """A value that is not allowed."""
    return CloudWatchError("InvalidParameterValue", message)


def missing(name: str) -> CloudWatchError:
    """A required parameter that was not given."""
    return CloudWatchError("MissingParameter", f"The parameter {name} is required.")


def contradictory(message: str) -> CloudWatchError:
    """Parameters that do not go together."""
    return CloudWatchError("InvalidParameterCombination", message)


def validation(message: str) -> CloudWatchError:
    """GetMetricData's own word for a bad request."""
    return CloudWatchError("ValidationError", message)
