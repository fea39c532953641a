# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---

# %% [markdown]
# # Did every message reach everybody it was for?
#
# The ledger knows, for each accepted message, which nodes it was owed to. `expected` is the sum of the outcomes beside
# it. In polling mode a report that the next one overwrote is *superseded*, not lost; an event that the client's own
# cursor rule skipped is *lost by cursor*.

# %%
import os
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pyarrow.parquet as pq

from capacity.judgement.figures import required_samples
from capacity.record import read_run
from capacity.run_tables import DELIVERY_COUNTS
from reports.histograms import Counts

run_dir = Path(os.environ.get("MESHCAP_RUN") or max(Path("runs").glob("*/run.json")).parent)
run = read_run(run_dir)
deliveries = pq.read_table(run_dir / "deliveries.parquet").to_pandas()
faults = pq.read_table(run_dir / "delivery_faults.parquet").to_pandas()
print(f"{run.run_id}: {deliveries['expected'].sum():,} deliveries were owed")

# %% [markdown]
# ## Outcomes

# %%
outcomes = deliveries.groupby(["mode", "message"], observed=True)[list(DELIVERY_COUNTS)].sum()
outcomes = outcomes.loc[:, outcomes.any()]
print(outcomes.to_string())

# %% [markdown]
# ## How long it took
# Every row keeps its whole histogram, to three digits: any selection has true percentiles, not averages of percentiles.

# %%
waits = {}
for kind, rows in deliveries.groupby(["mode", "message"], observed=True):
    counts = Counts(rows["latency_histogram"].dropna())
    known = [level for level in (50, 95, 99) if counts.total >= required_samples(level)]
    waits[kind] = {f"p{level}": counts.percentile_ms(level) for level in known} | {"max": counts.max_ms}
waits_ms = pd.DataFrame(waits, index=["p50", "p95", "p99", "max"]).T
print("from publishing to receiving, ms\n", waits_ms.astype(float).round(2).to_string(na_rep="too few"), sep="")

# %% [markdown]
# ## What went wrong, one by one

# %%
if faults.empty:
    print("nothing")
else:
    counted = faults.groupby(["outcome", "message"], observed=True).size()
    print(counted.to_string(), "\n")
    print(faults.sort_values("published").head(10).to_string(index=False, na_rep="-"))

# %% [markdown]
# ## Over time

# %%
per_second = deliveries.groupby("second")[["expected", "delivered"]].sum()
seconds = (per_second.index - per_second.index.min()).total_seconds()
figure, axis = plt.subplots(figsize=(9, 3))
axis.plot(seconds, per_second["expected"], linestyle="--", label="owed")
axis.plot(seconds, per_second["delivered"], label="delivered in order, in time")
axis.set(xlabel="seconds from the first publication", ylabel="deliveries per second", ylim=(0, None))
axis.legend()
figure.tight_layout()
