"""Closed forms: what can be worked out without a run."""
