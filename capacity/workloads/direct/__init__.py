"""Load on one table by DynamoDB's own operations."""
