"""AWS Amplify, which browsers use, under Node: it insists on https and wss and authenticates by subprotocol."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from mesh_api import KEY

from sandbox.config import SandboxConfig
from sandbox.server import Sandbox

SOURCE = Path(__file__).parent / "amplify"
CACHE = Path(__file__).parents[3] / ".cache" / "amplify"


@pytest.fixture(scope="module")
def amplify() -> Path:
    """A folder with the client and its packages, installed once into the git-ignored `.cache/`."""
    for program in ("node", "npm", "openssl"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed; AWS Amplify needs Node.js with npm, its wss a certificate")
    CACHE.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "client.mjs"):
        shutil.copy(SOURCE / name, CACHE / name)
    if not (CACHE / "node_modules" / "@aws-amplify" / "api").exists():
        command = ["npm", "install", "--no-audit", "--no-fund", "--silent"]
        installed = subprocess.run(command, cwd=CACHE, capture_output=True, text=True, timeout=250, check=False)
        if installed.returncode != 0:
            pytest.skip(f"npm cannot fetch AWS Amplify: {installed.stderr.strip()[-300:]}")
    return CACHE


@pytest.mark.node
def test_amplify_subscribes_and_receives_what_its_mutations_publish(amplify: Path) -> None:
    async def scenario() -> tuple[bytes, bytes]:
        async with Sandbox(SandboxConfig(tls=True, api_keys=(KEY,))) as sandbox:
            assert sandbox.tls is not None
            process = await asyncio.create_subprocess_exec(
                "node",
                "client.mjs",
                json.dumps({"endpoint": f"{sandbox.url}/graphql", "apiKey": KEY}),
                cwd=amplify,
                env={**os.environ, "NODE_EXTRA_CA_CERTS": str(sandbox.tls.ca_bundle)},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            return await asyncio.wait_for(process.communicate(), 90)

    told, complaints = asyncio.run(scenario())
    assert told, complaints.decode()
    result = json.loads(told)
    assert [each["nodeStatus"]["data"] for each in result["sent"]] == [
        [{"key": "温度", "value": "1"}],
        [{"key": "温度", "value": "2"}],
    ]
    assert result["received"] == result["sent"]
    assert result["refused"] == "GroupNotFound"
