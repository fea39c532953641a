"""The model: what a workload sends, consumes, costs and what limits it. Pure, and it takes its clock as an argument."""
