"""The `meshcap` command: its verbs, and what an error becomes on the way out."""

from __future__ import annotations

import sys
import traceback

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


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit with a code of ExitCode."""
    from capacity.record import RunDirectoryError
    from capacity.scenario import ScenarioError
    from meshcap.errors import UserError

    try:
        app(args=arguments, standalone_mode=True)
    except (ScenarioError, RunDirectoryError) as fault:
        complain(str(fault))
        sys.exit(ExitCode.BAD_CONFIGURATION)
    except UserError as fault:
        complain(str(fault))
        sys.exit(fault.exit_code)
    except KeyboardInterrupt:
        complain("Stopped.")
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        sys.exit(ExitCode.OK)  # the reader of our stdout has seen enough
    except Exception:
        traceback.print_exc()
        complain("This is a defect of meshcap, not a mistake of yours; please report it with the lines above.")
        sys.exit(ExitCode.INTERNAL)


if __name__ == "__main__":
    main()
