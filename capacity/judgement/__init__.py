"""Whether plan, sent and measured agree, and whether a run holds what was expected of it."""
