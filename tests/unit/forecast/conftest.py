"""Generated examples are the same on every run, and take the time that a busy machine gives them."""

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")
