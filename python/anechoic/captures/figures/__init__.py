"""The figures of one capture."""
