"""What is told of a capture as tables."""
