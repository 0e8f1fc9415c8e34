"""Campaigns side by side, and beside measurements of other tools."""
