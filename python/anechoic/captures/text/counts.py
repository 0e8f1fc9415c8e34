"""Counts in words."""


def counted(count: int, what: str) -> str:
    """Give a count and what is counted, which takes an s if they are several."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def times(count: int) -> str:
    """Say how often."""
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")
