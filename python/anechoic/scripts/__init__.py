"""Scripts in packetdrill's language against the simulated TCP endpoint."""
