"""What the figures rest on, and how to get them again."""

from __future__ import annotations

import shlex

from capacity.scenario import Scenario
from capacity.workloads.registry import workload_of
from reports.document import Block, Cell, Facts, Listing, Section, Table, Text, Tone
from reports.numbers import number
from reports.rules import rules
from reports.run import Run
from reports.wording import Wording


def section(run: Run, say: Wording) -> Section:
    """Scenario, settings, target, seed, versions, clock and the command that repeats the run."""
    record, scenario = run.record, run.record.scenario
    schedule = scenario.schedule
    billing = scenario.billing
    if billing.table is None:
        billed = say("assumptions.on_demand")
    else:
        parts = [("", billing.table), *billing.indexes.items()]
        billed = "; ".join(
            say(
                "assumptions.provisioned",
                resource=name or say("page.table"),
                read=number(part.read_units),
                write=number(part.write_units),
            )
            for name, part in parts
        )
    is_mesh = scenario.workload.name == "mesh"
    pairs = [
        *(_of_mesh(scenario) if is_mesh else []),
        (
            "schedule",
            say(
                "assumptions.times",
                ramp=number(schedule.ramp_s),
                hold=number(schedule.hold_s),
                drain=number(schedule.drain_s),
            ),
        ),
        ("layout", workload_of(scenario).layout),
        ("billing", billed),
        ("world", say.name_of("world", scenario.physics)),
        ("region", scenario.region),
        ("seed", str(scenario.seed)),
        ("digest", record.scenario_digest),
        ("target", f"{say.name_of('target', record.target.kind)}, {record.target.graphql_url}"),
        ("table", record.target.table_name),
        ("started", f"{record.started_at:%Y-%m-%d %H:%M:%S} UTC"),
    ]
    settings = [
        (say.name_of("setting", name), f"{number(value)} s" if is_mesh and isinstance(value, float) else str(value))
        for name, value in (scenario.settings if is_mesh else scenario.workload).model_dump().items()
    ]
    machine = [
        (name, str(value)) for part in (record.versions, record.host, record.clock) for name, value in part.items()
    ]
    blocks: list[Block] = [Facts([(say(f"assumptions.{name}"), value) for name, value in pairs])]
    blocks += [Text(say("assumptions.settings" if is_mesh else "assumptions.workload")), Facts(settings)]
    blocks += [_rules(say)]
    if run.forecast is not None and run.forecast.assumptions:
        blocks += [Text(say("assumptions.forecast", assumptions="; ".join(map(say.phrase, run.forecast.assumptions))))]
    if machine:
        blocks += [Text(say("assumptions.machine")), Facts(machine)]
    blocks += [Text(say.phrase(note)) for note in record.notes]
    if record.command:
        blocks += [Text(say("assumptions.again")), Listing(shlex.join(record.command))]
    return Section("assumptions", say("assumptions.title"), say("assumptions.lead"), blocks)


def _of_mesh(scenario: Scenario) -> list[tuple[str, str]]:
    population, traffic = scenario.population, scenario.traffic
    return [
        ("nodes", number(population.nodes)),
        ("groups", number(population.groups)),
        ("domains", number(population.domains)),
        ("websocket", f"{number(scenario.mode.websocket * 100)} %"),
        ("reports", f"{number(traffic.reports_per_s)}/s, {traffic.variables_per_report} × {traffic.value_bytes} B"),
        ("batches", f"{number(traffic.event_batches_per_s)}/s, {traffic.events_per_batch} × {traffic.payload_bytes} B"),
    ]


def _rules(say: Wording) -> Table:
    tones: dict[str, Tone] = {"high": "", "middle": "", "low": "warn"}
    rows: list[list[Cell | str]] = [
        [
            say.phrase(rule.meaning),
            number(rule.value),
            Cell(say(f"assumptions.confidence_{rule.confidence}"), tones[rule.confidence]),
            say.phrase(rule.source) or "–",
        ]
        for rule in rules()
    ]
    headings = [say(f"assumptions.{name}") for name in ("rule", "value", "confidence", "source")]
    return Table(headings, rows, say("assumptions.rules"), numeric=(1,))
