"""What endpoints are to be measured by, each printed by `python benches/endpoint.py NAME`.

A module for each has `rows(asked)`, which yields the lines of its table.
"""
