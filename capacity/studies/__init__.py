"""Questions put to the model: what a heartbeat buys, what breaks first, is a table sized right."""
