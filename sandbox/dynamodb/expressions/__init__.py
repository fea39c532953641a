"""DynamoDB's expression language: parsed once per text, bound once per set of names and value types, then run."""
