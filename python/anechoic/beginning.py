"""The commands that list the scenarios that ship as examples, and write one to begin from."""

import json
from pathlib import Path

import click

from anechoic.completion import ExampleName
from anechoic.exits import guarded


@click.command("examples")
@click.option("--json", "is_json", is_flag=True, help="Write a document to stdout.")
def examples_command(is_json: bool) -> None:
    """List scenarios for common questions, each to be run by its name."""

    def listed() -> None:
        from anechoic.examples import line_tests, titles
        from anechoic.fitting import filled, width

        if is_json:
            click.echo(json.dumps(titles(), indent=2, ensure_ascii=False))
            return
        names = max(map(len, titles()))
        for name, title in titles().items():
            if name == next(iter(line_tests())):
                click.echo("\nby names that Flent's users know, for real lines as well:\n")
            first, *rest = filled(title, width() - names - 2)
            click.echo(f"{name.ljust(names)}  {first}")
            for line in rest:
                click.echo(f"{' ' * names}  {line}")
        click.echo("\nanechoic run NAME runs one, anechoic new NAME writes it to change it.")
        click.echo("anechoic measure NAME --ssh HOST measures the line to a host.")

    guarded(listed)


@click.command("new")
@click.argument("name", metavar="EXAMPLE", type=ExampleName())
@click.argument("file", required=False, type=click.Path(path_type=Path, readable=False))
def new_command(name: str, file: Path | None) -> None:
    """Write a scenario to begin from: a copy of EXAMPLE, as FILE or EXAMPLE.toml."""

    def written() -> None:
        path = new(name, file)
        click.echo(f"{path} is written; anechoic run {path} runs it")

    guarded(written)


def new(name: str, file: str | Path | None = None) -> Path:
    """Write a copy of the example of this name, never over a file that is there; give its path."""
    from anechoic.examples import examples, text_of
    from anechoic.scenario.errors import Problem, ScenarioError, unknown_name

    if name not in examples():
        raise ScenarioError("new", [unknown_name("", name, examples(), "example")])
    path = Path(file or f"{name}.toml")
    try:
        with path.open("x", encoding="utf-8") as fresh:
            fresh.write(text_of(examples()[name]))
    except FileExistsError:
        problem = Problem("", "it is there already", "the name of a new file")
        raise ScenarioError(str(path), [problem]) from None
    except OSError as error:
        problem = Problem("", f"cannot be written: {error.strerror}", "the name of a new file")
        raise ScenarioError(str(path), [problem]) from None
    return path
