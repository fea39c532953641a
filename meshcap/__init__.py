"""The command line: one short file per verb."""

__version__ = "0.1.0"
