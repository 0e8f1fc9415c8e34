"""Two captures of one path, matched packet by packet."""
