"""The sections of a report, one file per question: each reads a `Run` and returns a `Section`."""
