"""Data sources: what runs the request objects that resolvers return."""
