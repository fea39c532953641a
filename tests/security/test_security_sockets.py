"""Nothing listens beyond this machine unless it is told to, and then only with a key of one's own."""

from __future__ import annotations

import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import psutil
import pytest

from sandbox.config import SandboxConfig, SandboxConfigError
from tests.faults.conftest import CLEAN, Start, start_sandbox


def listening_on(pid: int) -> set[str]:
    return {each.laddr.ip for each in psutil.Process(pid).net_connections("inet") if each.status == psutil.CONN_LISTEN}


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="looks at sockets in /proc")
def test_no_process_of_a_run_listens_beyond_loopback(start: Start) -> None:
    run = start("brief", "--", "--processes", "2")
    run.wait_for_load()
    found = {pid: listening_on(pid) for pid in (*run.processes("sandbox"), *run.processes("locust"))}
    assert len(found) == 4
    assert set().union(*found.values()) == {"127.0.0.1"}
    run.over()


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "", "0", "192.0.2.7", "example.com", "127.0.0.1.example.com", "localhost.", "0x7f000001"]
)
def test_what_is_not_surely_loopback_needs_the_flag_and_a_key_of_its_own(host: str) -> None:
    with pytest.raises(SandboxConfigError, match="reachable from other machines"):
        SandboxConfig(host=host)
    with pytest.raises(SandboxConfigError, match="API key of your own"):
        SandboxConfig(host=host, allow_remote=True)


def test_on_a_network_the_command_refuses_to_serve_with_the_default_key() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "meshcap", "sandbox", "--host", "0.0.0.0", "--port", "0", "--allow-remote"],
        env=CLEAN,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 104
    assert "API key of your own" in done.stderr
    assert "Traceback" not in done.stderr


def test_on_a_network_nobody_without_the_key_sees_or_does_anything() -> None:
    remote = start_sandbox("--host", "0.0.0.0", "--allow-remote")
    url = f"http://127.0.0.1:{remote.info['url'].rpartition(':')[2]}"
    try:
        for path, body in (("/_sandbox/info", None), ("/", b"{}"), ("/graphql", b"{}"), ("/_sandbox/faults", b"{}")):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(urllib.request.Request(url + path, body), timeout=10)
            assert refused.value.code in (400, 401), path
            assert b"MeshV2Table" not in refused.value.read(), path
    finally:
        remote.end()
