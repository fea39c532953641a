"""Templates as the CDK writes them: synthesised once per session into a folder of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CACHE = Path(__file__).parents[3] / ".cache" / "aws-cdk"
PACKAGES = ["aws-cdk-lib@2.276.0", "constructs@10.8.1"]


@pytest.fixture(scope="session")
def cdk_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the templates of cdk/app.js. Without npm the test is skipped with the reason; in CI it fails."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("Node.js and npm are not installed")
    if not (CACHE / "node_modules" / "aws-cdk-lib" / "package.json").exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--prefix", str(CACHE), *PACKAGES]
        fetched = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
        if fetched.returncode:
            pytest.skip(f"the CDK could not be installed: {fetched.stderr.strip()[-200:]}")
    out = tmp_path_factory.mktemp("cdk.out")
    made = subprocess.run(
        ["node", str(HERE / "cdk" / "app.js"), str(out)],
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        env=dict(os.environ, NODE_PATH=str(CACHE / "node_modules")),
    )
    assert made.returncode == 0, made.stderr
    return out
