# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---

# %% [markdown]
# # How long did a pupil wait?
#
# `latency_ms` counts from the moment a request was sent. `intended_latency_ms` counts from the moment it was due: when
# the target stalls for two seconds, it shows everything that had to wait, not one slow request. Judge that one.

# %%
import os
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from capacity.record import read_run
from reports.quantiles import quantiles

run_dir = Path(os.environ.get("MESHCAP_RUN") or max(Path("runs").glob("*/run.json")).parent)
run = read_run(run_dir)
requests = pq.read_table(run_dir / "requests.parquet").to_pandas()
judged = requests["intended_start"].between(run.measuring_from, run.measuring_until, inclusive="left")
answered = requests[judged & (requests["outcome"] != "error")]
print(f"{run.run_id}: {len(requests):,} requests, {judged.sum():,} of them judged, {len(answered):,} of those answered")

# %% [markdown]
# ## Quantiles by operation
# A percentile stands only where at least ten requests lie beyond it; elsewhere there are too few to know it.

# %%
LEVELS = [0.5, 0.95, 0.99]


def row(values_ms: pd.Series) -> dict[str, float | None]:
    """Median, p95, p99 and maximum of some latencies in milliseconds."""
    found = quantiles(values_ms.to_numpy(), LEVELS)
    names = [f"p{100 * level:g}" for level in LEVELS]
    return dict(zip(names, found, strict=True)) | {"max": float(values_ms.max()), "requests": len(values_ms)}


by_operation = {str(name): group for name, group in answered.groupby("operation", observed=True)}
by_operation["all"] = answered
due = pd.DataFrame({name: row(group["intended_latency_ms"]) for name, group in by_operation.items()}).T
sent = pd.DataFrame({name: row(group["latency_ms"]) for name, group in by_operation.items()}).T
print("from when it was due, ms\n", due.round(2).to_string(na_rep="too few"), sep="")
print("\nfrom when it was sent, ms\n", sent.round(2).to_string(na_rep="too few"), sep="")

# %% [markdown]
# ## Whom the average hides
# The share of requests on a logarithmic scale: the tail is where pupils complain.

# %%
figure, axis = plt.subplots(figsize=(9, 4))
for column, label in (("intended_latency_ms", "from when it was due"), ("latency_ms", "from when it was sent")):
    ordered = np.sort(answered[column].to_numpy())
    axis.plot(ordered, 1 - np.arange(len(ordered)) / max(1, len(ordered)), label=label)
axis.set(xscale="log", yscale="log", xlabel="latency, ms", ylabel="share of requests that took longer")
axis.legend()
figure.tight_layout()

# %% [markdown]
# ## Was it the target, or the load generator?
# If many requests started late, the generator or its machine was busy, and the latency from the due moment holds that.

# %%
lateness_ms = (answered["start"] - answered["intended_start"]).dt.total_seconds() * 1000
print(f"started late: median {lateness_ms.median():.2f} ms, largest {lateness_ms.max():.2f} ms")
if run.generator is not None:
    print(f"load generator: {run.generator.achieved:.1%} of the plan was sent;", *run.generator.reasons or ["valid"])
