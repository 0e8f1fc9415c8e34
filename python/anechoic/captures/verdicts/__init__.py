"""What happened to a connection, and what held its ends up, in words."""
