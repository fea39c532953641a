"""AppSync: GraphQL over HTTP, real time over WebSocket, and the Mesh v2 resolvers."""
