"""A study's TOML files, read with one message for whatever is wrong with the file."""

import tomllib
from pathlib import Path
from typing import Any

from anechoic.files import closed_folder
from anechoic.scenario.errors import Problem, ScenarioError


def read_toml(path: Path, holds: str) -> dict[str, Any]:
    """Read a file that holds this; raise ScenarioError if it cannot be read, or is empty."""
    try:
        data = tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        what = closed_folder(path) or f"cannot be read: {error.strerror or error}"
        raise ScenarioError(str(path), [Problem("", what, f"a file of {holds}")]) from None
    except RecursionError:
        raise ScenarioError(str(path), [Problem("", "nested too deeply")]) from None
    except ValueError as error:
        raise ScenarioError(str(path), [Problem("", f"not TOML: {error}")]) from None
    if not data:
        raise ScenarioError(str(path), [Problem("", "the file is empty", holds)])
    return data
