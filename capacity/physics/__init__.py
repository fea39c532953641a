"""How DynamoDB admits, bursts, splits and throttles: one set of rules for the simulator and the live sandbox."""
