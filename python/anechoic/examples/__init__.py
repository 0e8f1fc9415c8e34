"""Scenarios that ship for questions that many ask, each to be run as it is or begun from."""

import tomllib
from pathlib import Path

FOLDER = Path(__file__).parent


def examples() -> dict[str, Path]:
    """Give the files of the scenarios, by their names."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.toml"))}


def titles() -> dict[str, str]:
    """Say what each of them shows, by its name."""
    return {
        name: tomllib.loads(path.read_text(encoding="utf-8"))["title"]
        for name, path in examples().items()
    }
