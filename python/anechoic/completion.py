"""What a shell offers when a word of the command line is begun: experiments, paths, values."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ZshComplete,
    add_completion_class,
)
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


_OFFERED = '    if [ -n "$completions" ]; then'
_BEGUN = """\
    if [ -n "$begun" ]; then
        compadd -U -S '' -V unsorted -a begun
    fi

"""


class Zsh(ZshComplete):
    """Zsh, which shall let PATH= be written on: no space behind it."""

    source_template = (
        ZshComplete.source_template.replace(
            "    local -a completions\n", "    local -a completions\n    local -a begun\n"
        )
        .replace(
            'completions+=("$key")',
            'if [[ "$key" == *[=,] ]]; then begun+=("$key"); else completions+=("$key"); fi',
        )
        .replace(_OFFERED, _BEGUN + _OFFERED)
    )


class Fish(FishComplete):
    """Fish, which shall take V1,V2 for one word."""

    source_template = FishComplete.source_template.replace(
        'string split ","', 'string split --max 1 ","'
    )


for shell in (Bash, Zsh, Fish):
    add_completion_class(shell)


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


class OneOf(StringParamType):
    """A word, for which those of a list are offered, as they are known when it is begun."""

    name = "word"

    def __init__(self, words: Callable[[], Iterable[str]]) -> None:
        """Take who lists the words."""
        self.words = words

    def shell_complete(self, _ctx: click.Context, _param: click.Parameter, begun: str) -> Offered:
        """Offer them."""
        return _matching(begun, self.words())


class RealNode(StringParamType):
    """A node of the scenario that may be real, alone or with a command for it."""

    name = "node"

    def __init__(self, *, has_command: bool = False) -> None:
        """Take a node, or NODE=COMMAND."""
        self.ending = "=" if has_command else ""

    def shell_complete(self, ctx: click.Context, _param: click.Parameter, begun: str) -> Offered:
        """Offer them."""
        from anechoic.scenario.offers import real_nodes

        scenario = _scenario(ctx)
        names = [] if scenario is None else real_nodes(scenario)
        return _matching(begun, [f"{name}{self.ending}" for name in names])


class MetricName(StringParamType):
    """A metric that campaigns or measurements have that are named before it."""

    name = "metric"

    def shell_complete(self, ctx: click.Context, _param: click.Parameter, begun: str) -> Offered:
        """Offer those that one of them has."""
        from anechoic.comparing.side import side_of
        from anechoic.scenario.errors import ScenarioError

        known: dict[str, None] = {}
        for source in [*(ctx.params.get("sources") or ()), *ctx.args]:
            try:
                known |= side_of(str(source)).metrics()
            except ScenarioError:
                continue  # It is not written to its end, or is none.
        return _matching(begun, known)


class Condition(ScenarioName):
    """What a prediction is asked about: a scenario, or NAME=VALUE of a condition or a setting."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, begun: str) -> Offered:
        """Offer scenarios, conditions, and the values of one that is a choice."""
        from anechoic.predicting.factors import FACTORS, Choice

        name, equals, _ = begun.partition("=")
        if not equals:
            found = _matching(begun, [f"{name}=" for name in FACTORS])
            return [*super().shell_complete(ctx, param, begun), *found]
        kind = FACTORS[name].kind if name in FACTORS else None
        values = kind.values if isinstance(kind, Choice) else ()
        return _matching(begun, [f"{name}={value}" for value in values])


class ScenarioPath(StringParamType):
    """The path of a field of the scenario, alone or with what it shall be."""

    name = "path"

    def __init__(self, *, has_value: bool = False) -> None:
        """Take a path, or PATH=VALUE."""
        self.has_value = has_value

    def shell_complete(self, ctx: click.Context, _param: click.Parameter, begun: str) -> Offered:
        """Offer paths, and of one that is complete the values that the field may have."""
        from anechoic.scenario.offers import paths, values

        scenario = _scenario(ctx)
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


def places() -> Iterable[str]:
    """Name the places to run on that have a name."""
    from anechoic.campaign.cluster import LOCAL, QUEUES

    return [LOCAL, *QUEUES]


def _scenario(ctx: click.Context) -> "Scenario | None":
    from anechoic.running import located
    from anechoic.scenario.errors import ScenarioError
    from anechoic.scenario.load import load
    from anechoic.scenario.model import Scenario

    # While its value is being written, an option hides the arguments before it.
    file = ctx.params.get("file") or next(iter(ctx.args), None)
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
