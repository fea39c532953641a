"""The CloudWatch API over a store of per-period statistic sets."""
