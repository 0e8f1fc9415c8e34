"""What is written of an analysis, and where captures come from that are read."""
