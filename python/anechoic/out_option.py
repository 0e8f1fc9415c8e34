"""The folder that an option of the command line names."""

from pathlib import Path
from typing import Any

import click


class OutFolder(click.Path):
    """A path; an empty one, as of an unset variable, does not stand for the current folder."""

    def __init__(self) -> None:
        """Take any path; who writes to it says what is wrong with it."""
        super().__init__(path_type=Path, readable=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse an empty name."""
        if value == "":
            self.fail("an empty name is no folder; the current one is '.'", param, ctx)
        return super().convert(value, param, ctx)
