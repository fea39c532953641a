"""Writes docs/heartbeats.md, limits.md and costs.md with their drawings: python docs/studies.py

Each page is one command's answer for a shipped scenario; a test holds the pages against the model.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from capacity.pricing.cost_study import cost_study
from capacity.scenario import load_scenario
from capacity.studies.heartbeat import DEPLOYED, SEEDS_DEVELOPMENT, SEEDS_PRODUCTION, Sweep, beat_costs, saving, sweep
from capacity.studies.limits import Advice, study

DOCS = Path(__file__).parent
SCENARIOS = DOCS.parent / "scenarios.yaml"
NOTICE_S, FALSE_DROP = 180.0, 1e-4
AXES = {
    "domains": "schools",
    "groups_per_domain": "groups",
    "members_per_group": "members",
    "reports_per_s": "reports/s",
}


def heartbeats() -> str:
    """What an interval costs and what it buys, in the classroom."""
    scenario = load_scenario(SCENARIOS, "classroom")
    swept, costs = sweep(scenario), beat_costs(scenario)
    best = swept.recommend(NOTICE_S, FALSE_DROP)
    rows = [(name, row) for name, row in swept.known.items()]
    if best is not None:
        rows.append(("**recommended**", best))
    claims = [
        (str(members), f"{saving(SEEDS_DEVELOPMENT, SEEDS_PRODUCTION, members):.1%}")
        for members in (0, 1, 3, 5, 10, 39)
    ]
    deployed = swept.known[DEPLOYED.name]
    return _page(
        "# Heartbeats: what an interval costs and what it buys",
        f"""`meshcap heartbeat classroom`: {len(swept):,} combinations of host interval, member interval and TTL
        multiple, for ten groups of a host and three members, two lessons of 45 minutes on 20 days a month, one
        heartbeat in a
        hundred lost. Formulas and their assumptions: `capacity/studies/detection.py`.""",
        _table(
            (
                "setting",
                "host, s",
                "member, s",
                "beats/s",
                "dollars a month",
                "host noticed: mean, 95 %, worst",
                "member",
                "host dropped by mistake",
                "member",
            ),
            (_heartbeat_row(swept, name, row) for name, row in rows),
        ),
        f"""Recommended is the cheapest that notices 95 % within {NOTICE_S:g} s and drops fewer than one living node in
        {1 / FALSE_DROP:,.0f} a lesson. The deployed host setting fails the second: its TTL holds two beats and a half,
        so two losses in a row end a group, which is {swept.host_false_drop[deployed]:.2%} of lessons at this loss.""",
        "![Cost against time to notice; every dot is a combination](heartbeats.svg)",
        f"""**What a heartbeat is.** {costs["host"].appsync_share:.0%} of a host's heartbeat and
        {costs["member"].appsync_share:.0%} of a member's is the price of the AppSync request. A million of them cost
        ${costs["host"].usd * 1e6:.2f} and ${costs["member"].usd * 1e6:.2f}. A host's writes the table and both
        indexes.""",
        """**The seeds' claim** that 30/120 s saves about 70 % against 15/15 s is right for a host with one member; a
        group's members decide:""",
        _table(("members per group", "heartbeats saved"), claims),
        f"""**After the end.** Rows of a vanished member are read and charged until DynamoDB deletes them, 8 to 30
        minutes after they expire: with the deployed setting {swept.expired_row_s[deployed] / 60:.0f} minutes on
        average.
        A group lives {scenario.settings.max_connection_time_s / 60:g} minutes at most, whatever its heartbeats; the
        probabilities above are for one life or lesson, whichever is shorter.""",
    )


def limits() -> str:
    """What breaks first as one school grows, and side by side in the three layouts."""
    scenario = load_scenario(SCENARIOS, "one-school")
    found = study(scenario)
    layouts = {name: study(scenario, layout=name) for name in ("phase1", "architecture", "deployed")}
    rows = [
        (f"{row.name} ({row.where})", f"{row.use:,.0f} of {row.limit:,.0f} {row.unit}", f"{row.share:.1%}",
         *(_size(row.reached_at[axis]) for axis in AXES))
        for row in found.rows if row.share >= 0.01
    ]  # fmt: skip
    return _page(
        "# Limits: what breaks first",
        """`meshcap limits one-school`: one school of 100 groups of a host and three members behind one address. The
        last four columns say how far each axis can grow alone before the limit is met; a dash is out of reach.""",
        _table(("limit", "in use", "share", *AXES.values()), rows),
        f"""First met: {found.first}, at {_size(found.first_size)} groups.""",
        "![Share of each limit as the school's groups grow](limits.svg)",
        "**What moves it.** Each line is the model run again with that one change:",
        _table(
            ("change", "groups before", "after", "then first", "dollars an hour"),
            (
                (each.change, _size(each.size_before), _size(each.size_after), each.next_limit, _saved(each))
                for each in found.advice
            ),
        ),
        "**The three layouts side by side**, groups of one school until the first limit:",
        _table(
            ("layout", "groups", "first limit"),
            ((name, _size(each.first_size), each.first) for name, each in layouts.items()),
        ),
        """The write limit of the school's key is confirmed on the sandbox: a run at 90 % of it is clean, one at
        120 % is
        throttled on that key, `tests/sandbox/forecast/test_limits_confirmed.py`.""",
    )


def costs() -> str:
    """What a classroom costs, and how its throughput is best paid."""
    found = cost_study(load_scenario(SCENARIOS, "classroom"))
    calendar = found.calendar
    assert found.modes is not None
    return _page(
        "# Costs: a classroom by the lesson",
        f"""`meshcap cost classroom`: ten groups of a host and three members that report every second over WebSocket,
        {calendar.lessons_per_day:g} lessons of {calendar.lesson_minutes:g} minutes on {calendar.days_per_month:g} days
        a month, {calendar.months_per_year:g} months a year. Tokyo, list prices as of {found.prices_as_of}, free
        tiers not
        applied.""",
        _table(
            ("", "US dollars"),
            [
                ("one lesson", f"{found.lesson_usd:.2f}"),
                ("an hour of lessons", f"{found.lesson_hour_usd:.2f}"),
                ("of it, one group", f"{found.group_hour_usd:.3f}"),
                ("a month", f"{found.month_usd:.2f}"),
                ("a school year", f"{found.school_year_usd:.2f}"),
            ],
        ),
        _table(
            ("a month by service", "US dollars", "share"),
            ((each.name, f"{each.usd_per_month:.2f}", f"{each.share:.1%}") for each in found.by_service),
        ),
        _table(
            ("a month by cause", "US dollars", "share"),
            ((each.name, f"{each.usd_per_month:.2f}", f"{each.share:.1%}") for each in found.by_cause[:6]),
        ),
        "**Paying for DynamoDB's throughput**, a month:",
        _table(
            ("as", "US dollars", ""),
            ((each.mode, f"{each.usd_per_month:.2f}", each.note) for each in found.modes.modes),
        ),
        "Capacity by the hour is cheaper than requests above this use:",
        _table(
            ("mode", "units", "use around the clock", "hours of lessons a day"),
            (
                (each.mode, each.kind, f"{each.utilisation:.1%}", _size(each.lesson_hours_per_day, 1))
                for each in found.modes.break_even
            ),
        ),
        "![Dollars a month by hours of lessons a day, in each mode](costs.svg)",
        f"""Not in the sums: ${found.logging_usd_per_month:.2f} if AppSync logs every request, and
        ${found.transfer_usd_per_month:.2f} of data transfer.""",
    )


PAGES: dict[str, Callable[[], str]] = {"heartbeats": heartbeats, "limits": limits, "costs": costs}


# -- drawings


def draw_heartbeats(axes: Any) -> None:
    """Every combination, the front, the known settings and the recommended one."""
    swept = sweep(load_scenario(SCENARIOS, "classroom"))
    safe = swept.false_drop < FALSE_DROP
    for chosen, colour, label in ((~safe, "#c9ced6", "drops more than 1 in 10,000"), (safe, "#4477aa", "drops fewer")):
        axes.scatter(
            swept.detection_95_s[chosen], swept.usd_per_month[chosen], s=4, color=colour, label=label, rasterized=True
        )
    front = swept.front[safe[swept.front]]  # of these, the cheapest for each time to notice
    front = front[np.minimum.accumulate(swept.detection_95_s[front]) == swept.detection_95_s[front]]
    axes.step(
        swept.detection_95_s[front], swept.usd_per_month[front], where="post", color="#228833", label="their front"
    )
    for name, row in swept.known.items():
        axes.scatter(swept.detection_95_s[row], swept.usd_per_month[row], s=40, color="#cc3311", zorder=3)
        axes.annotate(name, (swept.detection_95_s[row], swept.usd_per_month[row]), (6, 4), textcoords="offset points")
    best = swept.recommend(NOTICE_S, FALSE_DROP)
    if best is not None:
        axes.scatter(swept.detection_95_s[best], swept.usd_per_month[best], s=60, marker="*", color="#228833", zorder=3)
    axes.set(xscale="log", yscale="log", xlabel="95 % noticed within, s", ylabel="US dollars a month")
    axes.legend(frameon=False)


def draw_limits(axes: Any) -> None:
    """Share of each limit as the school grows."""
    curve = study(load_scenario(SCENARIOS, "one-school")).curve
    top = sorted(curve.shares.items(), key=lambda item: -item[1][-1])[:6]
    for name, shares in top:
        axes.plot(curve.sizes, shares, label=name)
    axes.axhline(1.0, color="#cc3311", linestyle="--")
    axes.set(xscale="log", yscale="log", xlabel="groups of one school", ylabel="share of the limit")
    axes.legend(frameon=False, fontsize=7)


def draw_costs(axes: Any) -> None:
    """Dollars by hours of lessons a day."""
    modes = cost_study(load_scenario(SCENARIOS, "classroom")).modes
    assert modes is not None
    for name, dollars in modes.curve.items():
        axes.plot(modes.hours_per_day, dollars, label=name)
    axes.set(xlabel="hours of lessons a day", ylabel="US dollars a month")
    axes.legend(frameon=False)


DRAWINGS: dict[str, Callable[[Any], None]] = {
    "heartbeats": draw_heartbeats, "limits": draw_limits, "costs": draw_costs,
}  # fmt: skip


# -- text


def _heartbeat_row(swept: Sweep, name: str, row: int) -> Sequence[str]:
    setting = swept.setting(row)
    times = [
        f"{getattr(swept, f'{who}_detection_mean_s')[row]:.0f}, {getattr(swept, f'{who}_detection_95_s')[row]:.0f}, "
        f"{getattr(swept, f'{who}_detection_worst_s')[row]:.0f} s"
        for who in ("host", "member")
    ]
    return (
        name,
        f"{setting.host_interval_s:g}/{setting.host_ttl_s:g}",
        f"{setting.member_interval_s:g}/{setting.member_ttl_s:g}",
        f"{swept.beats_per_s[row]:.2f}",
        f"{swept.usd_per_month[row]:.2f}",
        *times,
        f"{swept.host_false_drop[row]:.1e}",
        f"{swept.member_false_drop[row]:.1e}",
    )


def _saved(advice: Advice) -> str:
    share = advice.hour_usd_after / advice.hour_usd_before - 1
    return f"{advice.hour_usd_after:.2f} ({share:+.1%})"


def _size(size: float | None, digits: int = 0) -> str:
    if size is None:
        return "–"
    return f"{size:,.{digits}f}" if size >= 10 or digits else f"{size:.1f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _page(*parts: str) -> str:
    """Parts as paragraphs; text is wrapped, tables, titles and pictures are not."""
    return "\n\n".join(part if part.startswith(("|", "#", "!")) else _wrapped(part) for part in parts) + "\n"


def _wrapped(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), 118, break_long_words=False, break_on_hyphens=False)


def main() -> None:
    """Write every page and every drawing."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "meshcap", "font.size": 9, "savefig.dpi": 144})
    from matplotlib import pyplot

    for name, page in PAGES.items():
        (DOCS / f"{name}.md").write_text(page(), encoding="utf-8")
        figure, axes = pyplot.subplots(figsize=(7.2, 4.2), layout="constrained")
        DRAWINGS[name](axes)
        figure.savefig(DOCS / f"{name}.svg", metadata={"Date": None})
        pyplot.close(figure)


if __name__ == "__main__":
    main()
