"""Trials of a reviewer of reliability, each repeated by `python benches/trials.py NAME`.

A module for each kind has `trial(count, seed)`, which gives what went wrong, a line each.
"""
