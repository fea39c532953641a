"""The `meshcap` command."""


def main() -> None:
    """Run the command line."""
