"""What a shell offers when a word of the command line is begun: experiments, paths, values."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import BashComplete, CompletionItem, add_completion_class
from click.types import StringParamType

if TYPE_CHECKING:
    from anechoic.scenario.model import Scenario

Offered = list[CompletionItem]


class Bash(BashComplete):
    """Bash, which shall take PATH=VALUE for one word and let it be written on."""

    source_template = BashComplete.source_template.replace(
        "COMPREPLY+=($value)",
        "COMPREPLY+=($value)\n            [[ $value == *[=,] ]] && compopt -o nospace",
    ) + ("COMP_WORDBREAKS=${COMP_WORDBREAKS//=}\n")


add_completion_class(Bash)


class ScenarioName(click.Path):
    """The path of a scenario, or the name of an experiment or an example that ships."""

    def __init__(self) -> None:
        """Take any path; who reads it says what is wrong with it."""
        super().__init__(readable=False, path_type=str)

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, begun: str) -> Offered:
        """Offer scenarios in the folder, and names that ship."""
        from anechoic.examples import examples
        from anechoic.papers.study import experiments

        found = _files(begun) + _matching(begun, [*examples(), *experiments()])
        # First: shells forget what stands before it, and take files where nothing stands behind.
        return [CompletionItem(begun, type="file"), *found]


class ClaimName(StringParamType):
    """A study, an experiment or a claim that ships, or a file."""

    name = "claim"

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, begun: str) -> Offered:
        """Offer names that ship, and files."""
        return claim_names(begun)


def claim_names(begun: str) -> Offered:
    """Offer studies, experiments and claims that ship, and files."""
    from anechoic.papers.study import shipped

    known = [
        name
        for study in shipped()
        for name in (study.id, *study.experiments, *(claim.id for claim in study.claims))
    ]
    return [CompletionItem(begun, type="file"), *_matching(begun, known)]


class ExampleName(StringParamType):
    """A scenario that ships as an example."""

    name = "example"

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, begun: str) -> Offered:
        """Offer their names."""
        from anechoic.examples import examples

        return _matching(begun, examples())


class ScenarioPath(StringParamType):
    """The path of a field of the scenario, alone or with what it shall be."""

    name = "path"

    def __init__(self, *, has_value: bool = False) -> None:
        """Take a path, or PATH=VALUE."""
        self.has_value = has_value

    def shell_complete(self, ctx: click.Context, _param: click.Parameter, begun: str) -> Offered:
        """Offer paths, and of one that is complete the values that the field may have."""
        from anechoic.scenario.offers import paths, values

        # While its value is being written, an option hides the arguments before it.
        scenario = _scenario(ctx.params.get("file") or next(iter(ctx.args), None))
        if scenario is None:
            return []
        path, equals, value = begun.partition("=")
        if equals and self.has_value:
            whole, _, last = value.rpartition(",")
            lead = f"{path}={whole}{',' if whole else ''}"
            return [
                CompletionItem(f"{lead}{item.value}")
                for item in _matching(last, values(scenario, path))
            ]
        ending = "=" if self.has_value else ""
        return [
            CompletionItem(f"{item.value}{ending}") for item in _matching(path, paths(scenario))
        ]


def _scenario(file: Any) -> "Scenario | None":
    from anechoic.running import located
    from anechoic.scenario.errors import ScenarioError
    from anechoic.scenario.load import load
    from anechoic.scenario.model import Scenario

    try:
        source, _ = located(str(file))
        return source if isinstance(source, Scenario) else load(source)
    except ScenarioError:
        return None  # Nothing is offered of a scenario that cannot be read.


def _files(begun: str) -> Offered:
    folder, slash, _ = begun.rpartition("/")
    lead = f"{folder}{slash}"
    found = sorted(Path(lead or ".").glob("*.toml"))
    return _matching(begun, [f"{lead}{path.name}" for path in found])


def _matching(begun: str, names: Iterable[str]) -> Offered:
    return [CompletionItem(name) for name in names if name.startswith(begun)]
