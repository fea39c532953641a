"""A run of the generator: its processes, its clock, what they write, and whether it kept to its plan."""
