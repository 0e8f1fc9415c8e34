"""What people write, and its compilation into a plan."""
