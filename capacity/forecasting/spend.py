"""What a run has cost so far: the forecast's own cost lines, scaled to what was really sent until now.

A request counts at the mean cost of its operation in the forecast: its units by the model, AppSync's request and the
messages it publishes, its Lambda call, at list prices. Refused requests count as if they were done. So the figure errs
upwards, and at the planned end of a run that kept to its plan it is the forecast's.
"""

from __future__ import annotations

from collections.abc import Mapping

from capacity.forecasting.forecast_record import Forecast
from capacity.pricing.cost import CostLine

_COMING = ("createGroup", "joinGroup")
_GOING = ("leaveGroup", "dissolveGroup")


class Spend:
    """Dollars and units so far. Told now and then how many requests of each operation were sent."""

    def __init__(self, forecast: Forecast) -> None:
        requests = {each.name: each.requests for each in forecast.operations}
        self._usd_per_request = dict.fromkeys(requests, 0.0)
        self._usd_per_connect = self._usd_per_minute = self._usd_per_s = 0.0
        live = forecast.deliveries
        for line in forecast.cost.run:
            if line.operation in requests:
                self._usd_per_request[line.operation] += line.usd / requests[line.operation]
            else:
                self._share_out(line, live.connections, live.connection_minutes, forecast.duration_s)
        self._dearest_usd = max(self._usd_per_request.values(), default=0.0)
        comers = sum(requests.get(name, 0) for name in _COMING)
        self._connections_per_comer = live.connections / comers if comers else 0.0
        self._units_per_request = {
            each.name: {
                (resource, kind): getattr(units, kind) / each.requests
                for resource, units in each.units.items()
                for kind in ("read", "write")
            }
            for each in forecast.operations
            if each.requests
        }
        self._minutes = 0.0
        self._elapsed_s = 0.0
        self._sent: Mapping[str, float] = {}

    def _share_out(self, line: CostLine, connections: int, minutes: float, duration_s: int) -> None:
        if line.price == "appsync.realtime_message":
            self._usd_per_connect += line.usd / max(1, connections)
        elif line.price == "appsync.connection_minute":
            self._usd_per_minute += line.usd / minutes if minutes else 0.0
        else:  # provisioned capacity, which time alone uses up
            self._usd_per_s += line.usd / max(1, duration_s)

    def advance(self, elapsed_s: float, sent: Mapping[str, float]) -> float:
        """Take in the state `elapsed_s` seconds after the run's zero, `sent` requests by operation; return `usd`."""
        self._minutes += self._connections(self._sent) * max(0.0, elapsed_s - self._elapsed_s) / 60.0
        self._elapsed_s = max(self._elapsed_s, elapsed_s)
        self._sent = dict(sent)
        return self.usd

    def _connections(self, sent: Mapping[str, float]) -> float:
        """WebSocket connections that are open: the share of those who came and have not left."""
        come, gone = (sum(sent.get(name, 0.0) for name in names) for names in (_COMING, _GOING))
        return max(0.0, come - gone) * self._connections_per_comer

    @property
    def usd(self) -> float:
        """US dollars so far. An operation that the forecast does not know counts as the dearest that it does."""
        come = sum(self._sent.get(name, 0.0) for name in _COMING)
        return (
            sum(count * self._usd_per_request.get(name, self._dearest_usd) for name, count in self._sent.items())
            + come * self._connections_per_comer * self._usd_per_connect
            + self._minutes * self._usd_per_minute
            + self._elapsed_s * self._usd_per_s
        )

    @property
    def units(self) -> dict[tuple[str, str], float]:
        """The model's units of what was sent so far, by resource and kind ("read" or "write")."""
        sums: dict[tuple[str, str], float] = {}
        for name, count in self._sent.items():
            for key, units in self._units_per_request.get(name, {}).items():
                sums[key] = sums.get(key, 0.0) + units * count
        return sums
