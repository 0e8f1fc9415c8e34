"""The options that replace a scenario's values, and sweep them."""

from collections.abc import Sequence
from typing import Any

import click

from anechoic.completion import ScenarioPath

SET = click.option(
    "--set",
    "values",
    type=ScenarioPath(has_value=True),
    multiple=True,
    metavar="PATH=VALUE",
    help="Replace a value of the scenario.",
)
SWEEP = click.option(
    "--sweep",
    "axes",
    type=ScenarioPath(has_value=True),
    multiple=True,
    metavar="PATH=V1,V2,…",
    help="Sweep a value, or change an axis of the scenario's sweep.",
)


def values_of(options: Sequence[str]) -> dict[str, Any]:
    """Give the values that options set, by the paths of their fields."""
    from anechoic.scenario.paths import parsed_value

    return {path: parsed_value(text) for path, text in _pairs("--set", "PATH=VALUE", options)}


def axes_of(options: Sequence[str]) -> dict[str, list[Any]]:
    """Give the values that options sweep, by the paths of their fields."""
    from anechoic.scenario.paths import parsed_list

    return {path: parsed_list(text) for path, text in _pairs("--sweep", "PATH=V1,V2,…", options)}


def _pairs(option: str, form: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    pairs = [text.partition("=") for text in texts]
    for text, (path, equals, value) in zip(texts, pairs, strict=True):
        if not (path and equals and value.strip(" ,")):
            what = f'"{text}" is refused; allowed: {form}'
            raise click.BadParameter(what, param_hint=option)
    return [(path.strip(), value.strip()) for path, _, value in pairs]
