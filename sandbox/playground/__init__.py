"""A page that shows a person what the sandbox is doing: groups, nodes, partitions, metrics, last requests."""
