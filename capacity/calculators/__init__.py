"""One question, one answer: the model behind `meshcap calc`, for people and as JSON."""

from capacity.calculators.answer import Answer, CalculatorError
from capacity.calculators.burst import burst
from capacity.calculators.partitions import partitions
from capacity.calculators.simulate import simulate
from capacity.calculators.size import size
from capacity.calculators.units import units

__all__ = ["Answer", "CalculatorError", "burst", "partitions", "simulate", "size", "units"]
