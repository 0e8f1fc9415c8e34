"""Scenarios that ship for questions that many ask, each to be run as it is or begun from.

Those in the folder `flent` bear the names that Flent's users know, and are for real lines as well:
`anechoic measure rrul --ssh HOST`.
"""

import tomllib
from pathlib import Path

FOLDER = Path(__file__).parent
TESTS = FOLDER / "flent"
BENCH = "bench.toml"
"""What stands under the tests there; it is none."""


def examples() -> dict[str, Path]:
    """Give the files of the scenarios, by their names: first those that show one thing each."""
    return _named(FOLDER) | line_tests()


def line_tests() -> dict[str, Path]:
    """Give the files of those that are for measuring a line."""
    found = _named(TESTS)
    del found[Path(BENCH).stem]
    return found


def titles() -> dict[str, str]:
    """Say what each of them shows, by its name."""
    return {
        name: tomllib.loads(path.read_text(encoding="utf-8"))["title"]
        for name, path in examples().items()
    }


def text_of(path: Path) -> str:
    """Give the text of a scenario, with what stands under it where it extends that."""
    text = path.read_text(encoding="utf-8")
    extends = f'extends = "{BENCH}"\n'
    if extends not in text:
        return text
    return f"{text.replace(extends, '')}\n{(path.parent / BENCH).read_text(encoding='utf-8')}"


def _named(folder: Path) -> dict[str, Path]:
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}
