"""Closed forms: what can be worked out without a run.

A subject to a file, each form a function with its unit at the end of its name and its source in its
text. Times are in microseconds. What 802.11 fixes comes from the MAC that simulates it (`timing`).
"""
