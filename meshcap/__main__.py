"""`python -m meshcap`."""

from meshcap.cli import main

main()
