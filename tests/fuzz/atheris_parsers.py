"""Coverage-guided fuzzing of the parsers with atheris: `python -m tests.fuzz.atheris_parsers PARSER [-runs=100000]`.

atheris is no dependency of the project: its wheels come with libFuzzer for some machines and Python versions alone.
`pip install atheris` into a venv that has the development requirements, then run this; further arguments are
libFuzzer's. It begins with the inputs of tests/fuzz/corpus/PARSER, which CI tries without atheris, and ends at the
first exception that is not the parser's own, with the input in a file `crash-...`.
"""

from __future__ import annotations

import sys
import tempfile

import atheris

with atheris.instrument_imports(include=["capacity", "sandbox", "locustfiles", "graphql", "lark", "yaml"]):
    from tests.fuzz.parsers import CORPUS, PARSERS


def main() -> None:
    """Drive one parser."""
    if len(sys.argv) < 2 or sys.argv[1] not in PARSERS:
        sys.exit(f"give a parser: {', '.join(PARSERS)}")
    name = sys.argv[1]
    parser = PARSERS[name]

    def try_one(content: bytes) -> None:
        parser(content)

    found = tempfile.mkdtemp(prefix=f"meshcap-corpus-{name}-")  # libFuzzer writes new inputs into its first folder
    options = ["-runs=100000", "-max_len=4096", "-timeout=20", "-rss_limit_mb=2048"]
    given = [each.partition("=")[0] for each in sys.argv[2:]]
    options = [each for each in options if each.partition("=")[0] not in given]
    atheris.Setup([sys.argv[0], *options, *sys.argv[2:], found, str(CORPUS / name)], try_one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
