"""Charts and documents of a finished run."""
