"""Measuring a scenario's traffic between real machines, over the sockets of their kernels."""
