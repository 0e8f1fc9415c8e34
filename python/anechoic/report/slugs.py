"""Names of files for what has a title."""

import re


def slug_of(title: str) -> str:
    """Give a file name for a title."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "figure"


def numbered(slug: str, number: int) -> str:
    """Give the name of one of several files, of which the first needs no number."""
    return slug if number == 1 else f"{slug}-{number}"


def unused(slug: str, used: set[str]) -> str:
    """Give the first numbered name that is not used, and use it."""
    number = 1
    while numbered(slug, number) in used:
        number += 1
    used.add(numbered(slug, number))
    return numbered(slug, number)
