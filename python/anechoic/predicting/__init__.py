"""Predictions from stored results and closed forms, and what would do better."""
