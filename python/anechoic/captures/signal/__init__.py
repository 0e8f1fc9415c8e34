"""Signal levels beside what was transferred."""
