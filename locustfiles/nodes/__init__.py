"""Hosts and members: what a pupil's client does, when, and in which order."""
