"""What a scenario should do to its target, before anything is sent."""
