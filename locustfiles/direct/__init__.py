"""Load on any table by DynamoDB's own API."""
