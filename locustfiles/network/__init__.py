"""How requests and WebSocket frames travel: small clients driven by gevent's hub."""
