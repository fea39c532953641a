"""Mesh v2: its schema, and its operations over three table layouts."""
