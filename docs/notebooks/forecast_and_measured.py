# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---

# %% [markdown]
# # Did AWS consume what the formulas said?
#
# *Planned* is the forecast, made before the run. *Sent* is the same model, applied to the requests that were really
# sent. *Measured* is CloudWatch. A difference between planned and sent is traffic; between sent and measured, it is the
# model or somebody else on the table.

# %%
import os
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from capacity.judgement.comparison import Comparison
from capacity.record import read_run

run_dir = Path(os.environ.get("MESHCAP_RUN") or max(Path("runs").glob("*/run.json")).parent)
run = read_run(run_dir)
comparison = Comparison.model_validate_json((run_dir / "comparison.json").read_text(encoding="utf-8"))
print(run.run_id, "-", run.verdict.sentence if run.verdict else "without a verdict")

# %% [markdown]
# ## Units of the whole run
# Unknown is not zero: where CloudWatch had no points, the measured units and their errors stay empty.

# %%
units = pd.DataFrame([each.model_dump() for each in comparison.units]).set_index(["resource", "kind"])
units = units[(units["planned"].fillna(0) > 0) | (units["sent"] > 0) | (units["measured"].fillna(0) > 0)]
print(units[["planned", "sent", "measured"]].round(1).to_string(na_rep="unknown"))
print()
print((100 * units[["traffic_error", "model_error", "prediction_error"]]).round(2).to_string(na_rep="unknown"), "\n(%)")

# %% [markdown]
# ## Where the difference comes from
# `measured - planned` of each row, split into other traffic, other units per call, and calls that nothing explains.

# %%
causes = units[["traffic_units", "model_units", "unexplained_units"]]
print(causes.round(2).to_string(na_rep="unknown"))

# %% [markdown]
# ## Over time

# %%
series = [each for each in comparison.series if any(each.sent) or any(value for value in each.measured if value)]
figure, axes = plt.subplots(len(series), 1, figsize=(9, 2.4 * len(series)), sharex=True, squeeze=False)
for each, axis in zip(series, axes[:, 0], strict=True):
    seconds = [start_s - comparison.start_s for start_s in each.start_s]
    measured = [float("nan") if value is None else value / each.period_s for value in each.measured]
    axis.step(seconds, measured, where="post", label="measured")
    axis.step(seconds, [value / each.period_s for value in each.sent], where="post", linestyle=":", label="sent")
    if each.planned is not None:
        axis.step(
            seconds, [value / each.period_s for value in each.planned], where="post", linestyle="--", label="planned"
        )
    axis.set_title(f"{each.resource}, {each.kind}s", loc="left")
    axis.set_ylabel("units/s")
axes[0, 0].legend(ncols=3)
axes[-1, 0].set_xlabel("seconds from the start of the run")
figure.tight_layout()

# %% [markdown]
# ## Throttles

# %%
throttles = pd.DataFrame([each.model_dump() for each in comparison.throttles]).set_index(["resource", "kind"])
print(throttles[["forecast", "measured", "forecast_first_s", "measured_first_s"]].to_string(na_rep="-"))
