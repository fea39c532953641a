"""Reports of finished runs: HTML for people, Markdown for pull requests, JUnit for machines."""

from pathlib import Path


def render(run_dir: Path, lang: str = "en") -> Path:
    """Write report.html, report.md and junit.xml into `run_dir`; return the path of the HTML. See reports.outputs."""
    from reports.outputs import render as render_report  # matplotlib and pandas load only when a report is wanted

    return render_report(run_dir, lang)


__all__ = ["render"]
