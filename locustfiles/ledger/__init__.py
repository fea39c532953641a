"""What became of every message that a mutation owes its receivers."""
