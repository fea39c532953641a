# ---
# jupyter:
#   jupytext:
#     text_representation: {extension: .py, format_name: percent}
# ---

# %% [markdown]
# # What does it cost, and what for?
#
# The forecast's cost lines, at list prices with dates, free tiers not applied. A month here is 730 hours at the rate of
# the hold. A school's month is far shorter, but provisioned units are paid at night too: `meshcap cost` reckons by the
# school's calendar.

# %%
import os
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd

from capacity.forecasting.forecast import read_forecast
from capacity.record import read_run

run_dir = Path(os.environ.get("MESHCAP_RUN") or max(Path("runs").glob("*/run.json")).parent)
run = read_run(run_dir)
forecast = read_forecast(run_dir)
assert forecast is not None, f"{run_dir} has no forecast.json"
cost = forecast.cost
print(f"{run.run_id}: {cost.run_usd:.4f} {cost.currency} for the run, {cost.monthly_usd:,.2f} a month at its rate")
print(f"{cost.region}, prices as of {cost.prices_as_of}; unverified: {', '.join(cost.unverified) or 'none'}")

# %%
lines = pd.DataFrame([line.model_dump() for line in cost.month])
lines["operation"] = lines["operation"].replace("", "not of one operation")

# %% [markdown]
# ## By service, and by what is billed

# %%
by_service = lines.groupby("service")["usd"].sum().sort_values(ascending=False)
by_cause = lines.groupby(["service", "cause"])["usd"].sum().sort_values(ascending=False)
print(by_service.round(2).to_string(), "\n")
print(by_cause.round(2).head(12).to_string())

# %% [markdown]
# ## By operation

# %%
by_operation = lines.pivot_table(index="operation", columns="service", values="usd", aggfunc="sum", fill_value=0.0)
by_operation = by_operation.loc[by_operation.sum(axis=1).sort_values().index]
figure, axis = plt.subplots(figsize=(9, 0.5 * len(by_operation) + 1.5))
by_operation.plot.barh(stacked=True, ax=axis)
axis.set(xlabel=f"{cost.currency} a month at the rate of the hold", ylabel="")
figure.tight_layout()
