"""What DynamoDB charges and allows, rule by rule: sizes, units, tables, partitions, burst, quotas."""
