"""The sections of a report: one file per question. Each reads a `Run` and returns a `Section` of plain text and charts."""
