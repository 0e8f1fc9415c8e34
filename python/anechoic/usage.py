"""A wrong command is told in one line, as every other mistake is."""

import sys
from collections.abc import Callable
from typing import Any

import click

from anechoic.saying import say


class Program(click.Group):
    """The commands, with usage errors as a line and exit status 2."""

    def main(self, *words: Any, standalone_mode: bool = True, **options: Any) -> Any:
        """Run the command that the words, or else those of the command line, name."""
        run: Callable[..., Any] = super().main
        try:
            return run(*words, standalone_mode=False, **options)
        except click.exceptions.NoArgsIsHelpError as error:
            error.show()  # Who asks for nothing is shown what there is.
            sys.exit(error.exit_code)
        except click.ClickException as error:
            if not standalone_mode:
                raise
            say(told(error))
            sys.exit(error.exit_code)


def told(error: click.ClickException) -> str:
    """Say in a line what is wrong, and where help is."""
    what = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    if context is None:
        return f"anechoic: {what}"
    command = context.command_path
    return f"{command.replace(' ', ': ', 1)}: {what}; {command} --help says more"
