"""`meshcap heartbeat SCENARIO`: what a heartbeat interval costs and what it buys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from meshcap.console import data, out, say
from meshcap.errors import UserError
from meshcap.options import SCENARIOS, AsJson, Lang, ScenarioFile, ScenarioName
from meshcap.served import for_mesh_alone
from meshcap.study_page import PageFile, write_page
from meshcap.tables import table

if TYPE_CHECKING:
    from rich.table import Table

    from capacity.scenario import Scenario
    from capacity.studies.heartbeat import BeatCost, Setting, Sweep
    from meshcap.json_documents import BeatSetting, DetectionTime


def command(
    scenario: ScenarioName = "classroom",
    file: ScenarioFile = SCENARIOS,
    notice: Annotated[float, typer.Option(help="Seconds within which 95 % of vanished nodes must be noticed.")] = 180,
    false_drop: Annotated[float, typer.Option(help="Largest share of living nodes dropped in a lesson.")] = 1e-4,
    loss: Annotated[float, typer.Option(help="Probability that one heartbeat does not arrive.")] = 0.01,
    page: PageFile = None,
    lang: Lang = "en",
    as_json: AsJson = False,
) -> None:
    """Sweep intervals and TTLs: requests, dollars, time to notice, mistaken drops; recommend one, on a page, too."""
    from capacity.scenario import load_scenario
    from capacity.studies.heartbeat import beat_costs, sweep

    for name, value in (("notice", notice), ("false-drop", false_drop)):
        if not value > 0:
            raise UserError(f"--{name} {value:g}: it must be greater than 0")
    chosen = load_scenario(file, scenario)
    for_mesh_alone("heartbeat", chosen, scenario, file, "no heartbeat to set")
    try:
        swept = sweep(chosen, loss=loss)
    except ValueError as fault:
        raise UserError(str(fault)) from None
    best = swept.recommend(notice, false_drop)
    costs = beat_costs(chosen)
    if as_json:
        _tell_machines(chosen, swept, best, costs)
    else:
        _show(scenario, chosen, swept, best, costs, notice, false_drop, loss)
    if page is not None or not as_json:
        from reports.studies import heartbeats

        asked = heartbeats.Asked(notice, false_drop, loss)
        write_page(
            "heartbeat",
            scenario,
            page,
            lang,
            lambda say, today: heartbeats.page(chosen, scenario, swept, costs, asked, say, today),
        )


def _tell_machines(chosen: Scenario, swept: Sweep, best: int | None, costs: dict[str, BeatCost]) -> None:
    from capacity.studies.heartbeat import SEEDS_DEVELOPMENT, SEEDS_PRODUCTION, saving
    from meshcap.json_documents import HeartbeatDocument

    saved = saving(SEEDS_DEVELOPMENT, SEEDS_PRODUCTION, chosen.population.members_per_group)
    rows = [*swept.known.values(), *swept.front.tolist(), *([] if best is None else [best])]
    document = HeartbeatDocument(
        combinations=len(swept),
        recommended=None if best is None else _figures(swept, best),
        settings=[_figures(swept, row) for row in dict.fromkeys(rows)],
        appsync_share_of_a_beat={"host": costs["host"].appsync_share, "member": costs["member"].appsync_share},
        seeds_production_saves=saved,
    )
    data(document.model_dump_json(indent=2))


def _show(
    scenario: str,
    chosen: Scenario,
    swept: Sweep,
    best: int | None,
    costs: dict[str, BeatCost],
    notice: float,
    false_drop: float,
    loss: float,
) -> None:
    from capacity.studies.heartbeat import DEPLOYED, SEEDS_DEVELOPMENT, SEEDS_PRODUCTION, saving

    saved = saving(SEEDS_DEVELOPMENT, SEEDS_PRODUCTION, chosen.population.members_per_group)
    say(f"{scenario}: {len(swept):,} combinations; one heartbeat in {1 / loss:,.0f} is lost.\n" if loss else scenario)
    out.print(_known(swept))
    out.print()
    out.print(_front(swept, best))
    out.print()
    if best is None:
        say(f"No combination notices within {notice:g} s and drops fewer than {false_drop:g}; allow more of either.")
    else:
        data(f"Recommended: {_words(swept, best)}, the cheapest that notices 95 % within {notice:g} s and drops fewer")
        data(f"than {false_drop:g} of the living in a lesson.")
    shares = ", ".join(f"{cost.appsync_share:.0%} of a {who}'s" for who, cost in costs.items())
    say(f"The AppSync request is {shares} heartbeat; the rest is DynamoDB.")
    say(f"Going from {SEEDS_DEVELOPMENT.name} to {SEEDS_PRODUCTION.name} saves {saved:.0%} of the heartbeats here;")
    say(f"the design document says about 70 %. The deployed setting is {_setting_words(DEPLOYED)}.")


def _figures(swept: Sweep, row: int) -> BeatSetting:
    from meshcap.json_documents import BeatSetting

    setting = swept.setting(row)
    return BeatSetting(
        name=setting.name or None,
        host_interval_s=setting.host_interval_s,
        host_ttl_s=setting.host_ttl_s,
        member_interval_s=setting.member_interval_s,
        member_ttl_s=setting.member_ttl_s,
        beats_per_s=swept.beats_per_s[row],
        start_peak_per_s=swept.start_peak_per_s[row],
        usd_per_month=swept.usd_per_month[row],
        units_per_s={f"{name} {kind}": each[row] for (name, kind), each in swept.units_per_s.items()},
        host_detection=_detection(swept, row, "host"),
        member_detection=_detection(swept, row, "member"),
        host_false_drop=swept.host_false_drop[row],
        member_false_drop=swept.member_false_drop[row],
        expired_row_s=swept.expired_row_s[row],
    )


def _detection(swept: Sweep, row: int, who: str) -> DetectionTime:
    from meshcap.json_documents import DetectionTime

    mean, p95, worst = (getattr(swept, f"{who}_detection_{name}_s")[row] for name in ("mean", "95", "worst"))
    return DetectionTime(mean_s=mean, p95_s=p95, worst_s=worst)


def _setting_words(setting: Setting) -> str:
    return (
        f"{setting.host_interval_s:g}/{setting.host_ttl_s:g} s for hosts, "
        f"{setting.member_interval_s:g}/{setting.member_ttl_s:g} s for members"
    )


def _words(swept: Sweep, row: int) -> str:
    return _setting_words(swept.setting(row))


def _rows(title: str, swept: Sweep, rows: list[int], names: list[str]) -> Table:
    made = table(
        title,
        "interval/TTL, s",
        *(
            "beats/s",
            "dollars a month",
            "host noticed 95 %",
            "worst",
            "member 95 %",
            "worst",
            "host dropped",
            "member dropped",
        ),
    )
    for row, name in zip(rows, names, strict=True):
        made.add_row(
            name,
            f"{swept.beats_per_s[row]:.3f}",
            f"{swept.usd_per_month[row]:.4f}",
            f"{swept.host_detection_95_s[row]:.0f} s",
            f"{swept.host_detection_worst_s[row]:.0f} s",
            f"{swept.member_detection_95_s[row]:.0f} s",
            f"{swept.member_detection_worst_s[row]:.0f} s",
            f"{swept.host_false_drop[row]:.1e}",
            f"{swept.member_false_drop[row]:.1e}",
        )
    return made


def _known(swept: Sweep) -> Table:
    names = [f"{name}: {_short(swept, row)}" for name, row in swept.known.items()]
    return _rows("Known settings", swept, list(swept.known.values()), names)


def _short(swept: Sweep, row: int) -> str:
    each = swept.setting(row)
    return f"{each.host_interval_s:g}/{each.host_ttl_s:g}, {each.member_interval_s:g}/{each.member_ttl_s:g}"


def _front(swept: Sweep, best: int | None) -> Table:
    front = swept.front.tolist()
    step = max(1, len(front) // 12)
    shown = sorted({*front[::step], *([] if best is None else [best])}, key=lambda row: swept.usd_per_month[row])
    names = [_short(swept, row) + (" *" if row == best else "") for row in shown]
    return _rows(
        f"{len(shown)} of the {len(front)} combinations that no other beats in every respect; * recommended",
        swept,
        shown,
        names,
    )
