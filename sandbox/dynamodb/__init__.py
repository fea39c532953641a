"""The DynamoDB JSON API over an in-memory store that meters, bursts, splits and throttles."""
