"""Checksums of what a campaign keeps, so that no damage changes a result in silence.

Files are told by a list beside them, `NAME.sha256`, as `sha256sum --check` reads it; a document of
JSON bears its own, over what it says and not how that is written.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from anechoic.files import open_regular, read_file, write_whole
from anechoic.scenario.errors import Problem, ScenarioError

ENDING = ".sha256"
_FIELD = "checksum"
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


class Damaged(ScenarioError):
    """A file of a campaign that is not what was written: its checksum is another, or it is gone."""

    def __init__(self, path: Path, what: str, allowed: str = "") -> None:
        """Name the file and say what is wrong with it."""
        self.file = path
        self.what = what
        how = allowed or "what the command wrote, which makes it again"
        super().__init__(str(path), [Problem("", what, how)])


OTHER = "it is damaged: it is not what its checksum says"


def write_list(path: Path, sums: Mapping[str, str]) -> None:
    """Write the list of the checksums of files beside it."""
    write_whole(path, "".join(f"{each}  {name}\n" for name, each in sums.items()).encode())


def read_list(path: Path) -> dict[str, str]:
    """Read a list: a checksum for each file; raise Damaged where it is none."""
    try:
        lines = read_file(path).decode("ascii").splitlines()
    except FileNotFoundError:
        raise Damaged(path, "there is no such file") from None
    except OSError as error:
        raise Damaged(path, f"it cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise Damaged(path, "it is damaged: it is no list of checksums") from None
    found = [_LINE.fullmatch(line) for line in lines]
    if not found or not all(found):
        raise Damaged(path, "it is damaged: it is no list of checksums")
    return {line[2]: line[1] for line in found if line is not None}


def of_bytes(data: Any) -> str:
    """Give the checksum of bytes."""
    return hashlib.sha256(data).hexdigest()


def of_file(path: Path) -> str:
    """Give the checksum of a file, however large."""
    with os.fdopen(open_regular(path, os.O_NOFOLLOW), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check(path: Path, wanted: str | None) -> None:
    """Raise Damaged unless a file has this checksum."""
    try:
        if of_file(path) == wanted:
            return
    except FileNotFoundError:
        raise Damaged(path, "there is no such file any more") from None
    except OSError as error:
        raise Damaged(path, f"it cannot be read: {error.strerror or error}") from None
    raise Damaged(path, OTHER)


def are_whole(listed: Path, names: Iterable[str]) -> bool:
    """Say whether a list has all of these files, and each is what it was when it was written."""
    try:
        sums = read_list(listed)
        for name in names:
            check(listed.with_name(name), sums.get(name))
    except Damaged:
        return False
    return True


def sealed(document: Mapping[str, Any]) -> str:
    """Give a document as JSON that bears its checksum."""
    whole = {**document, _FIELD: _of_document(document)}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def unsealed(path: Path, text: bytes) -> dict[str, Any]:
    """Give the document that a file's JSON tells; raise Damaged unless its checksum is right."""
    try:
        document = json.loads(text)
        wanted = document.pop(_FIELD, None)
        if wanted == _of_document(document):
            found: dict[str, Any] = document
            return found
    except (ValueError, RecursionError, AttributeError, TypeError):
        pass
    raise Damaged(path, OTHER)


def _of_document(document: Mapping[str, Any]) -> str:
    # What JSON has no word for, such as tuples, is told as it will be read again.
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return of_bytes(text.encode())
