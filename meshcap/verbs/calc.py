"""`meshcap calc`: one question on DynamoDB, one answer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from meshcap.console import data, say
from meshcap.errors import UserError
from meshcap.options import AsJson

if TYPE_CHECKING:
    from capacity.calculators import Answer
    from capacity.calculators.units import Entry

app = typer.Typer(help="One question on DynamoDB, one answer; each with worked examples.", no_args_is_help=True)

Kind = Literal["read", "write"]
_KIND = typer.Option(help="What the units are: read or write.")


def _examples(*examples: tuple[str, str]) -> str:
    """Below a command's options: what an example shows, and how to ask. The sign keeps its lines as they are."""
    lines = [line for meaning, command in examples for line in (meaning, f"  {command}")]
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def _answer(calculate: Callable[[], Answer], name: str, as_json: bool) -> None:
    from capacity.calculators import CalculatorError
    from meshcap.calculator_documents import document_of

    try:
        answer = calculate()
    except CalculatorError as fault:
        raise UserError(str(fault)) from None
    if as_json:
        data(document_of(name, answer).model_dump_json(indent=2))
        return
    width = max((len(label) for label, _ in answer.lines), default=0)
    for label, value in answer.lines:
        data(f"{label:<{width}}  {value}".rstrip())
    for note in answer.notes:
        say(note)


@app.command(
    epilog=_examples(
        (
            "Size, units, storage, and the entry in an index.",
            """meshcap calc size '{"pk": "a", "sk": "b", "body": "text"}' --key pk,sk --index body:KEYS_ONLY""",
        ),
    )
)
def size(
    item: Annotated[str, typer.Argument(help="An item as JSON, plain or DynamoDB JSON; - reads it from stdin.")],
    key: Annotated[str | None, typer.Option(help="Key of the table: pk or pk,sk.")] = None,
    index: Annotated[
        list[str] | None, typer.Option(metavar="<index>", help="Key and projection: gk,gs or gk:INCLUDE:a,b.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Size of an item to the byte, its units and storage, and its entry in each index."""
    from capacity import calculators

    text = sys.stdin.read() if item == "-" else item
    _answer(lambda: calculators.size(text, key=key, indexes=index or ()), "size", as_json)


@app.command(
    epilog=_examples(
        ("The guide's: an eventual read of 10 KB takes 1.5 units.", "meshcap calc units get --size 10KiB"),
        ("A batch of 500 B and 3.5 KB takes 5.", "meshcap calc units batch-write --size 500B --size 3.5KiB"),
    )
)
def units(
    operation: Annotated[str, typer.Argument(help="get, query, put, transact-write, ...; a wrong one lists them.")],
    size: Annotated[
        list[str] | None, typer.Option(metavar="<size>", help="Size of an item after the call, such as 1.5KiB.")
    ] = None,
    was: Annotated[list[str] | None, typer.Option(metavar="<size>", help="Size of the item before a write.")] = None,
    consistency: Annotated[str, typer.Option(help="eventual, strong or transactional.")] = "eventual",
    index: Annotated[Literal["GSI", "LSI"] | None, typer.Option(help="A Query or Scan reads an index.")] = None,
    entry: Annotated[
        list[str] | None,
        typer.Option(metavar="<old,new>", help="Index entry that a write touches: old,new or old,new,moved in bytes."),
    ] = None,
    per_second: Annotated[float | None, typer.Option(help="Also the throughput for so many a second.")] = None,
    as_json: AsJson = False,
) -> None:
    """Units of one operation on items of given sizes."""
    from capacity import calculators
    from capacity.dynamodb.units import Consistency

    given = (_sizes(size), _sizes(was))
    if consistency not in set(Consistency):
        raise UserError(f"--consistency {consistency!r} is unknown; choose from {', '.join(Consistency)}")
    _answer(
        lambda: calculators.units(
            operation,
            given[0],
            were_bytes=given[1],
            consistency=Consistency(consistency),
            index=index,
            entries=[_entry(text) for text in entry or ()],
            per_second=per_second,
        ),
        "units",
        as_json,
    )


@app.command(
    epilog=_examples(
        (
            "The Black Belt deck's: 3 partitions of 1,666.67 RCU and 166.67 WCU.",
            "meshcap calc partitions --read 5000 --write 500 --gb 8",
        ),
    )
)
def partitions(
    read: Annotated[float, typer.Option(help="Provisioned read units per second.")] = 0.0,
    write: Annotated[float, typer.Option(help="Provisioned write units per second.")] = 0.0,
    gb: Annotated[float, typer.Option(help="Size of the table.")] = 0.0,
    then: Annotated[
        list[str] | None, typer.Option(metavar="<read,write>", help="A later setting: read,write units.")
    ] = None,
    then_gb: Annotated[list[float] | None, typer.Option(help="A later size.")] = None,
    on_demand: Annotated[bool, typer.Option("--on-demand", help="A table without provisioned units.")] = False,
    as_json: AsJson = False,
) -> None:
    """How many partitions a table has, what each may do, and how changes thin or split them."""
    from capacity import calculators

    if not (read or write or gb or on_demand or then or then_gb):
        raise UserError("nothing is given; write the setting, like --read 5000 --write 500 --gb 8, or --on-demand")
    later = [_pair(text) for text in then or ()]
    _answer(
        lambda: calculators.partitions(read, write, size_gb=gb, then=later, then_gb=then_gb or (), on_demand=on_demand),
        "partitions",
        as_json,
    )


@app.command(
    epilog=_examples(
        (
            "The knowledge centre's: 150 units provisioned and 200 asked for last 900 s.",
            "meshcap calc burst --supply 150 --demand 200 --kind read",
        ),
    )
)
def burst(
    supply: Annotated[float, typer.Option(help="Provisioned units per second.")],
    demand: Annotated[float, typer.Option(help="Units per second asked for.")],
    kind: Annotated[Kind, _KIND] = "write",
    for_: Annotated[str | None, typer.Option("--for", help="How long the demand lasts, such as 10m.")] = None,
    partitions: Annotated[int | None, typer.Option(help="Partitions; by default those of a new table.")] = None,
    key_share: Annotated[float, typer.Option(help="Part of the demand on one key, 0 to 1.")] = 0.0,
    as_json: AsJson = False,
) -> None:
    """How long a bank of 300 s of unused throughput lasts, and what is throttled then."""
    from capacity import calculators

    for_s = None if for_ is None else _duration(for_)
    _answer(
        lambda: calculators.burst(supply, demand, kind=kind, for_s=for_s, partitions=partitions, key_share=key_share),
        "burst",
        as_json,
    )


@app.command(
    epilog=_examples(
        ("20 minutes at 200 on 150 provisioned units.", "meshcap calc simulate 200:20m --supply 150 --world static"),
    )
)
def simulate(
    demand: Annotated[list[str], typer.Argument(help="Units per second and duration: 200:20m, or a ramp 0..400:10m.")],
    world: Annotated[str, typer.Option(help="static (the deck's), adaptive or on_demand.")] = "adaptive",
    supply: Annotated[float | None, typer.Option(help="Provisioned units per second.")] = None,
    kind: Annotated[Kind, _KIND] = "write",
    keys: Annotated[int, typer.Option(help="Partition keys that share the demand.")] = 100,
    key_share: Annotated[float | None, typer.Option(help="Part of the demand on the first key.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the keys' places.")] = 0,
    as_json: AsJson = False,
) -> None:
    """What is consumed and throttled, second by second, in one of three worlds."""
    from capacity import calculators

    chosen: Any = world
    _answer(
        lambda: calculators.simulate(
            demand, world=chosen, supply=supply, kind=kind, keys=keys, key_share=key_share, seed=seed
        ),
        "simulate",
        as_json,
    )


def _sizes(texts: list[str] | None) -> list[int]:
    from capacity.scenario.quantities import parse_size_bytes

    try:
        return [parse_size_bytes(text) if not text.isdigit() else int(text) for text in texts or ()]
    except ValueError as fault:
        raise UserError(str(fault)) from None


def _duration(text: str) -> float:
    from capacity.scenario.quantities import parse_duration_s

    try:
        return parse_duration_s(text)
    except ValueError as fault:
        raise UserError(str(fault)) from None


def _pair(text: str) -> tuple[float, float]:
    try:
        read, write = (float(part) for part in text.split(","))
    except ValueError:
        raise UserError(f"--then {text!r} is no setting; write read,write units, like --then 5000,10000") from None
    return read, write


def _entry(text: str) -> Entry:
    from capacity.calculators.units import Entry

    parts = text.split(",")
    try:
        old, new = int(parts[0]), int(parts[1])
    except (ValueError, IndexError):
        raise UserError(f"--entry {text!r} is no index entry; write old,new bytes, like --entry 0,300") from None
    return Entry(old, new, key_changed=parts[2:] == ["moved"])
