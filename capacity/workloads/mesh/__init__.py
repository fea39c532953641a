"""The Mesh v2 workload model: what each GraphQL operation costs in DynamoDB, in each table layout."""
