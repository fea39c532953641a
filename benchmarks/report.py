"""What the report of a run of 1,000,000 requests costs: time and memory.

Goals: under 10 s of processor time and 1 GB of memory. The peer is what no report can do without: reading the columns
of requests.parquet that it draws. For people on stderr, one JSON object per result on stdout.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
REQUESTS = 1_000_000
REQUESTS_OF_SCALE_1 = 1_164
ROUNDS = 3
GOAL_S, GOAL_MB = 10.0, 1_000.0

BUILD = (
    "import sys; from pathlib import Path; sys.path.insert(0, '.'); from run_directory import build; "
    f"build(Path(sys.argv[1]), scale={REQUESTS / REQUESTS_OF_SCALE_1})"
)
RENDER = "import sys; from pathlib import Path; from reports import render; render(Path(sys.argv[1]))"
READ = "import sys; from pathlib import Path; from reports.run import Run; Run.open(Path(sys.argv[1])).requests"
MEASURE = (
    "import resource; used = resource.getrusage(resource.RUSAGE_SELF); "
    "print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1000)"
)


def cost_of(code: str, run: Path) -> tuple[float, float]:
    """Processor seconds and peak megabytes of a Python process that runs `code` on a run directory."""
    command = [sys.executable, "-c", f"{code}\n{MEASURE}", str(run)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    seconds, megabytes = answer.stdout.split()
    return float(seconds), float(megabytes)


def report(unit: str, ours: float, peers: float, goal: float) -> None:
    """One result: JSON on stdout, a sentence on stderr."""
    case = f"{REQUESTS:,} requests"
    result = {
        "benchmark": "report",
        "case": case,
        "unit": unit,
        "ours": round(ours, 2),
        "peer": "reading the requests",
        "peers": round(peers, 2),
        "ratio": round(ours / peers, 2),
        "goal": goal,
        "met": ours <= goal,
    }
    print(json.dumps(result), flush=True)
    print(f"report of {case}: {ours:,.1f} {unit}, goal {goal:g}; reading alone {peers:,.1f}", file=sys.stderr)


def main() -> None:
    """Build the run once, then render it and read it in turn."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        # In a process of its own: a child's peak memory starts at what its parent held.
        subprocess.run([sys.executable, "-c", BUILD, str(run)], check=True, cwd=ROOT / "tests" / "golden")
        rounds = [(cost_of(RENDER, run), cost_of(READ, run)) for _ in range(ROUNDS)]
    for position, (unit, goal) in enumerate((("s CPU", GOAL_S), ("MB peak", GOAL_MB))):
        ours, peers = (statistics.median(costs[who][position] for costs in rounds) for who in (0, 1))
        report(unit, ours, peers, goal)


if __name__ == "__main__":
    main()
