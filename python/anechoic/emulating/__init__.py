"""Emulations: real kernels and programs on the air and the wires of a scenario, in real time."""
