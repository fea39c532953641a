"""A local stand-in for the target: DynamoDB with throughput physics, AppSync with Mesh v2, and CloudWatch."""
