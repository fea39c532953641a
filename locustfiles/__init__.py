"""Simulated pupils: Locust users that behave as Mesh v2 hosts and members do."""
