"""The `meshcap` command: its verbs, and what an error becomes on the way out."""

from __future__ import annotations

import errno
import signal
import sys
import traceback
from types import FrameType
from typing import NoReturn

import typer

from capacity.exit_codes import ExitCode, document
from meshcap import verbs
from meshcap.console import complain

_EPILOG = "Exit codes: " + " ".join(f"[{code}] {meaning}" for code, meaning in document().items())

app = typer.Typer(
    name="meshcap",
    help="Forecast, run, measure, compare and report the load on a DynamoDB table or an AppSync API.",
    epilog=_EPILOG,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
verbs.register(app)

_INTERRUPTED_BY_TYPER = 130
"""What typer makes of a KeyboardInterrupt."""
_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EMFILE)
"""What the system may refuse to any program: no defect of this one."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with a code of ExitCode."""
    from capacity.record import RunDirectoryError
    from capacity.scenario import ScenarioError
    from meshcap.errors import UserError

    _end_as_on_ctrl_c("SIGTERM", "SIGHUP")
    try:
        app(args=arguments, standalone_mode=True)
    except (ScenarioError, RunDirectoryError) as fault:
        complain(str(fault))
        sys.exit(ExitCode.BAD_CONFIGURATION)
    except UserError as fault:
        complain(str(fault))
        sys.exit(fault.exit_code)
    except SystemExit as leaving:
        if leaving.code == _INTERRUPTED_BY_TYPER:
            complain("Stopped.")
            sys.exit(ExitCode.INTERRUPTED)
        raise
    except BrokenPipeError:
        sys.exit(ExitCode.OK)  # the reader of our stdout has seen enough
    except OSError as fault:
        if fault.errno not in _OF_THE_DISK:
            _report_a_defect()
        complain(f"{fault.filename or 'a file'} cannot be written or read: {fault.strerror or fault}")
        sys.exit(ExitCode.BAD_CONFIGURATION)
    except Exception:
        _report_a_defect()


def _report_a_defect() -> NoReturn:
    traceback.print_exc()
    complain("This is a defect of meshcap, not a mistake of yours; please report it with the lines above.")
    sys.exit(ExitCode.INTERNAL)


def _end_as_on_ctrl_c(*names: str) -> None:
    """A terminal that closes or a job that is cancelled stops a run as Ctrl-C does, processes and groups included."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    for name in names:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:  # nohup's choice stands
            signal.signal(number, stop)


if __name__ == "__main__":
    main()
