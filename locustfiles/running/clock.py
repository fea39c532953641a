"""The generator's clock: UTC epoch seconds that never step."""

from capacity.steady_clock import now_s

__all__ = ["now_s"]
