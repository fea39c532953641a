"""Workload models: which DynamoDB calls an operation makes, on items of which size."""
