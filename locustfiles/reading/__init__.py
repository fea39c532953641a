"""The timeline app's readers, and whether what they read was right."""
