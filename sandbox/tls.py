"""TLS for clients that insist on https and wss, with a certificate of the sandbox's own making or one that is given."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.config import SandboxConfigError

_VALID_DAYS = 30


class TlsError(SandboxConfigError):
    """No certificate can be had; the message says what to do."""


@dataclass(frozen=True)
class Tls:
    """A server's TLS. ca_bundle is the file that clients must trust, as in AWS_CA_BUNDLE or curl's --cacert."""

    context: ssl.SSLContext
    ca_bundle: Path


@contextmanager
def server_tls(certificate: Path | None, key: Path | None, host: str) -> Iterator[Tls]:
    """TLS from PEM files, or from a certificate made for this block and removed after it.

    Raises TlsError when the files do not fit or openssl, which makes the certificate, is not installed.
    """
    if certificate is not None and key is not None:
        yield Tls(_context(certificate, key), certificate)
        return
    with tempfile.TemporaryDirectory(prefix="meshcap-tls-") as folder:
        certificate, key = Path(folder) / "certificate.pem", Path(folder) / "key.pem"
        _make(certificate, key, host)
        yield Tls(_context(certificate, key), certificate)


def _context(certificate: Path, key: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key)
    except OSError as fault:  # ssl.SSLError is one
        raise TlsError(f"{certificate} and {key} are no certificate and its key in PEM form: {fault}") from fault
    context.set_alpn_protocols(["http/1.1"])
    return context


def _make(certificate: Path, key: Path, host: str) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        raise TlsError("making a certificate needs the program openssl; install it, or give a certificate and its key")
    names = ["DNS:localhost", "IP:127.0.0.1", "IP:::1"]
    own = f"IP:{host}" if host.replace(".", "").isdigit() or ":" in host else f"DNS:{host}"
    names += [own] if own not in names else []
    command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc"]
    command += ["-keyout", str(key), "-out", str(certificate), "-days", str(_VALID_DAYS)]
    command += ["-subj", "/CN=meshcap sandbox", "-addext", f"subjectAltName={','.join(names)}"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        raise TlsError(f"openssl could not make a certificate: {made.stderr.strip().splitlines()[-1:]}")
