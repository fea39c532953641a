"""What is known of a run while it goes: counts of all workers, spend, when to stop, and metrics for Prometheus."""
