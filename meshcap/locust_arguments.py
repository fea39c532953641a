"""What may follow `--` in `meshcap run`: any option of Locust that is not one of meshcap's own."""

from __future__ import annotations

from collections.abc import Sequence

from meshcap.errors import UserError

_INSTEAD = {
    "--host": "the target is that of --target, which is looked at before anything is sent to it",
    "--locustfile": "the locustfile is meshcap's; run your own with locust -f",
    "--api-key": "export it as MESHCAP_API_KEY: on a command line every user of this machine reads it",
    "--scenarios": "write --file before the --",
    "--scenario": "write the scenario's name before the --, like meshcap run classroom",
    "--run-dir": "write --runs before the --",
    "--i-own-this-endpoint": "write it before the --",
}
_SHORT = {"-H": "--host", "-f": "--locustfile"}


def check_locust_arguments(arguments: Sequence[str]) -> None:
    """Raises UserError, naming all of them, when arguments would change what meshcap has decided or tell a secret.

    Locust takes a long option by any beginning of it that is no other's, so beginnings are refused too.
    """
    faults = []
    for argument in arguments:
        given = argument.partition("=")[0]
        if given == "--":
            continue
        own = next((name for name in _INSTEAD if given.startswith("--") and name.startswith(given)), None)
        own = own or _SHORT.get(given[:2])
        if own is not None:
            faults.append(f"-- {given}: {_INSTEAD[own]}")
    if faults:
        raise UserError("\n".join(faults))
