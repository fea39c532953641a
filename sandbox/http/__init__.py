"""A lean HTTP/1.1 and WebSocket server on uvloop and httptools."""
