"""What capture files tell of their TCP connections."""
