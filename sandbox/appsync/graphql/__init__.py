"""GraphQL itself: documents parsed and validated once, then run as prepared statements."""
