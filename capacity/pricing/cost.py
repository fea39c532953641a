"""What use costs: quantities of billed things, by service, operation and cause, times list prices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from capacity.pricing.prices import PriceList

SERVICES = {
    "dynamodb": "DynamoDB",
    "appsync": "AppSync",
    "lambda": "Lambda",
    "cloudwatch": "CloudWatch",
    "transfer": "Data transfer",
}


@dataclass(frozen=True)
class Use:
    """A quantity of one billed thing; `price` is a key of the price list."""

    price: str
    quantity: float
    operation: str
    cause: str

    def times(self, factor: float) -> Use:
        """The same use, `factor` times as much."""
        return Use(self.price, self.quantity * factor, self.operation, self.cause)


class CostLine(BaseModel):
    """Dollars for one use."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    service: str
    operation: str
    cause: str
    price: str
    quantity: float
    unit: str
    usd: float


def cost_lines(uses: Iterable[Use], prices: PriceList) -> list[CostLine]:
    """One line per use, dearest first, free tiers not applied; raises prices.UnknownPrice."""
    lines = []
    for use in uses:
        price = prices.price(use.price)
        lines.append(
            CostLine(
                service=SERVICES.get(use.price.split(".", 1)[0], use.price.split(".", 1)[0]),
                operation=use.operation,
                cause=use.cause,
                price=use.price,
                quantity=use.quantity,
                unit=price.unit,
                usd=price.cost_usd(use.quantity),
            )
        )
    return sorted(lines, key=lambda line: -line.usd)


def total_usd(lines: Iterable[CostLine]) -> float:
    """Dollars of all lines."""
    return sum(line.usd for line in lines)


def breakdown(lines: Iterable[CostLine], by: Callable[[CostLine], str]) -> dict[str, float]:
    """Dollars by what `by` reads from a line, dearest first."""
    sums: dict[str, float] = {}
    for line in lines:
        sums[by(line)] = sums.get(by(line), 0.0) + line.usd
    return dict(sorted(sums.items(), key=lambda item: -item[1]))
