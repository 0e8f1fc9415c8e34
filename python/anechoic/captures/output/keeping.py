"""A folder for what captures tell: what it may hold before, and whose it is."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from anechoic.captures.output.pipe import is_read_once
from anechoic.files import closed_folder, write_whole
from anechoic.scenario.core import build
from anechoic.scenario.errors import Problem, ScenarioError

FORMAT = 1
MANIFEST = "capture.json"

Captures = str | list[str]
"""The capture that is told of, or the two."""


def check_free(out: Path, captures: Captures) -> None:
    """Refuse a folder that holds anything but what was told of the same captures."""
    try:
        text = (out / MANIFEST).read_bytes()
    except FileNotFoundError:
        if _holds_files(out):
            raise refused(out, "it holds other files", "another --out") from None
        return
    except NotADirectoryError:
        raise refused(out, "this is a file", "a folder") from None
    except OSError as error:
        what = f"{MANIFEST} cannot be read: {error.strerror or error}"
        raise refused(out, closed_folder(out / MANIFEST) or what, "another --out") from None
    known = _manifest(out, text)["file"]
    if known != captures:
        named = known if isinstance(known, str) else " and ".join(map(str, known))
        what = f"it holds the analysis of another capture: {named}"
        raise refused(out, what, "another --out")
    if isinstance(captures, str) and is_read_once(captures):
        source = "the standard input" if captures == "-" else "the pipe"
        what = f"it holds an analysis, and nothing tells that {source} gives the same capture"
        raise refused(out, what, "another --out")


def _holds_files(out: Path) -> bool:
    try:
        return out.is_dir() and any(out.iterdir())
    except OSError as error:
        what = f"its files cannot be listed: {error.strerror or error}"
        raise refused(out, what, "another --out") from None


def _manifest(out: Path, text: bytes) -> dict[str, Any]:
    try:
        manifest = json.loads(text)
    except ValueError:
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        what = f"{MANIFEST} is not of this program's format, {FORMAT}"
        raise refused(out, what, "another --out")
    return manifest


def refused(out: Path, what: str, allowed: str) -> ScenarioError:
    """Give the error that refuses a folder."""
    return ScenarioError(str(out), [Problem("", what, allowed)])


def begin(out: Path, captures: Captures, sometimes: Iterable[str]) -> None:
    """Say whose the folder is, and remove what may not be written again: these patterns."""
    manifest = {"format": FORMAT, "file": captures, "version": build()}
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    write_whole(out / MANIFEST, text.encode())
    for pattern in sometimes:
        for path in out.glob(pattern):
            path.unlink()
