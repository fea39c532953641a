"""The AWS CLI and the JavaScript SDK, each fetched once into the git-ignored `.cache/`, run a smoke script."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from served_engine import Served

from sandbox.dynamodb.engine import Engine
from tests.aws_cli import aws_cli

SMOKE = Path(__file__).with_name("smoke")
CACHE = Path(__file__).parents[3] / ".cache"
JAVASCRIPT = ["@aws-sdk/client-dynamodb@3.1169.0", "@aws-sdk/lib-dynamodb@3.1169.0"]


def run(command: list[str], **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, **more)  # type: ignore[call-overload, no-any-return]


@pytest.fixture
def engine(make_engine: Callable[..., Engine]) -> Engine:
    """One that checks every signature, by the real time, as signatures need it."""
    engine = make_engine(secret_access_key="secret")
    engine.clock = time.time
    return engine


@pytest.fixture
def javascript_home() -> Path:
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("Node.js and npm are not installed")
    home = CACHE / "aws-sdk-js"
    if not (home / "node_modules" / "@aws-sdk" / "lib-dynamodb").exists():
        home.mkdir(parents=True, exist_ok=True)
        fetched = run(["npm", "install", "--silent", "--prefix", str(home), *JAVASCRIPT])
        if fetched.returncode:
            pytest.skip(f"the JavaScript SDK could not be installed: {fetched.stderr.strip()[-200:]}")
    return home


def test_the_aws_cli(engine: Engine, serve: Callable[[Engine], Served]) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(CACHE),  # no settings of the person who runs this
        "LC_ALL": "C.UTF-8",
        "AWS": str(aws_cli()),
        "AWS_ENDPOINT_URL": serve(engine).url,
        "AWS_REGION": "ap-northeast-1",
        "AWS_DEFAULT_REGION": "ap-northeast-1",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_PAGER": "",
    }
    done = run(["sh", str(SMOKE / "aws_cli.sh")], env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("all as expected\n")


@pytest.mark.node
def test_the_javascript_sdk(javascript_home: Path, engine: Engine, serve: Callable[[Engine], Served]) -> None:
    done = run(["node", str(SMOKE / "javascript.mjs"), serve(engine).url], cwd=javascript_home)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("all as expected\n")
