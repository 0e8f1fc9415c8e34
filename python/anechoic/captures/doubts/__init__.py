"""What to know of a capture before trusting what it tells."""
