"""How counts, times, rates and ends are written."""
