"""`meshcap runs` in a folder whose links lead back to it."""

from __future__ import annotations

from pathlib import Path

from meshcap.run_listing import listing
from tests.fuzz.run_files import run_directory


def test_links_are_listed_and_those_that_lead_back_are_not_followed(tmp_path: Path) -> None:
    """Each of three links back would otherwise be followed forty times, and within each the three again."""
    whole = run_directory()
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / whole.name).symlink_to(whole, target_is_directory=True)
    for name, target in (("self", "."), ("up", ".."), ("again", "../runs")):
        (runs / name).symlink_to(target, target_is_directory=True)
    (runs / "dangling").symlink_to("nowhere")
    listed = listing(runs)
    assert [each.run for each in listed.runs] == [whole.name]
