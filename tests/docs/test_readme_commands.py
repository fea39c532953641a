"""What the documentation says of the commands is so: they run, verbs and options exist, links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from meshcap.cli import app
from sandbox.dynamodb.operations.registry import OPERATIONS

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").glob("*.md")])
READMES = [ROOT / "README.md", ROOT / "README.ja.md"]
NOTHING_IS_SENT = {"plan", "cost", "limits", "heartbeat", "calc", "lint"}
COMMAND: Any = typer.main.get_command(app)


def commands(page: Path) -> list[str]:
    """Every meshcap command in the shell blocks of a page, without its comment."""
    blocks = re.findall(r"^```(?:sh|bash|)\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return [line.split("  #")[0].strip() for line in lines if line.startswith("meshcap ")]


DOCUMENTED = {command: page for page in PAGES for command in commands(page)}
OFFLINE = sorted(
    {
        command
        for page in READMES
        for command in commands(page)
        if command.split()[1] in NOTHING_IS_SENT or command == "meshcap prices check"
    }
)


def found(words: list[str]) -> Any:
    """The command that the words lead to, and None when there is none."""
    command = COMMAND
    for word in words:
        inner = getattr(command, "commands", None)
        if inner is None:
            break
        command = inner.get(word)
        if command is None:
            return None
    return command if getattr(command, "commands", None) is None else None


def test_the_readmes_show_commands_that_send_nothing() -> None:
    assert {command.split()[1] for command in OFFLINE} >= NOTHING_IS_SENT | {"prices"}


@pytest.mark.parametrize("command", OFFLINE)
def test_a_command_that_sends_nothing_answers(command: str) -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("MESHCAP_", "AWS_"))}
    words = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(words, cwd=ROOT, env=clean, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 1


@pytest.mark.parametrize("command", sorted(DOCUMENTED))
def test_verb_and_options_of_a_documented_command_exist(command: str) -> None:
    words = shlex.split(command.split(" -- ")[0])[1:]
    if words[0].startswith("-"):
        return
    verb = found([word for word in words if not word.startswith("-")])
    assert verb is not None, f"{DOCUMENTED[command].name}: no such verb"
    known = {option for parameter in verb.params for option in (*parameter.opts, *parameter.secondary_opts)}
    used = {word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    assert used <= known | {"--help"}, DOCUMENTED[command].name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_verb_named_in_a_sentence_exists(page: Path) -> None:
    named = re.findall(r"`meshcap ([a-z][a-z-]*)", page.read_text(encoding="utf-8"))
    assert set(named) <= set(COMMAND.commands)


def test_the_readme_has_every_verb_in_its_table() -> None:
    listed = re.findall(r"^\| `meshcap ([a-z-]+)(?: ([a-z]+))?`((?:, `[a-z]+`)*) \|", READMES[0].read_text(), re.M)
    assert {verb for verb, _, _ in listed} == set(COMMAND.commands)
    for verb, first, more in listed:
        inner = {first, *re.findall(r"`([a-z]+)`", more)} - {""}
        assert inner == set(getattr(COMMAND.commands[verb], "commands", ()))


@pytest.mark.parametrize("page", READMES, ids=lambda page: page.name)
def test_a_readme_has_every_scenario_of_the_file(page: Path) -> None:
    listed = re.findall(r"^\| `([a-z-]+)` \|", page.read_text(encoding="utf-8"), re.M)
    scenarios = yaml.safe_load((ROOT / "scenarios.yaml").read_text(encoding="utf-8"))["scenarios"]
    assert listed == list(scenarios)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_to_a_file(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    local = [link.split("#")[0] for link in links if not link.startswith(("http:", "https:", "#", "mailto:"))]
    missing = [link for link in local if not (page.parent / link).exists()]
    assert not missing


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached, waiting = set(), [READMES[0]]
    while waiting:
        page = waiting.pop()
        if page in reached:
            continue
        reached.add(page)
        links = re.findall(r"\]\(([^)\s#]+\.md)", page.read_text(encoding="utf-8"))
        waiting += [path for link in links if (path := (page.parent / link).resolve()).exists()]
    assert {page.resolve() for page in PAGES if page.parent != ROOT} <= reached


@pytest.mark.parametrize("page", READMES, ids=lambda page: page.name)
def test_operations_that_the_sandbox_is_said_to_lack_are_unknown_to_it(page: Path) -> None:
    named = re.findall(r"`((?:Batch)?Execute[A-Za-z]+)`", page.read_text(encoding="utf-8"))
    assert set(named) == {"ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction"}
    assert not set(named) & set(OPERATIONS)
    lacking = ("Backup", "Export", "Import", "GlobalTable", "Kinesis", "Restore", "ContinuousBackups")
    assert not [operation for operation in OPERATIONS if any(word in operation for word in lacking)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_files_of_the_project_that_a_page_names_are_there(page: Path) -> None:
    named = re.findall(
        r"`((?:capacity|sandbox|locustfiles|reports|meshcap|tests|docs|benchmarks)/[\w./]+)`", page.read_text()
    )
    assert not [name for name in named if not (ROOT / name).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_modules_that_a_page_runs_are_there(page: Path) -> None:
    named = re.findall(r"python -m\s+([a-z_.]+)", page.read_text(encoding="utf-8"))
    ours = [name for name in named if (ROOT / name.split(".")[0]).is_dir()]
    assert not [name for name in ours if not (ROOT / f"{name.replace('.', '/')}.py").exists()]
