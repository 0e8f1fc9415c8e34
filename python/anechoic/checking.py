"""Checking a scenario for people, or for editors and scripts."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from anechoic.campaign.api import prepared
from anechoic.campaign.sweep import cells_of
from anechoic.files import readable
from anechoic.running import located
from anechoic.saying import plain, say
from anechoic.scenario.errors import Problem, ScenarioError
from anechoic.scenario.remarks import remarks


def check_scenario(
    file: str | Path,
    *,
    set: Mapping[str, Any],  # noqa: A002 (as the command line calls it)
    sweep: Mapping[str, Sequence[Any]],
    is_json: bool,
) -> None:
    """Say whether a scenario can be run; raise ScenarioError with all that is wrong with it.

    As a document that stands on standard output whatever is wrong: `file`, `cells` (how many, null
    of what cannot be run), `problems` (each `file`, `path`, `found`, `allowed`, `nearest`, and the
    `message` of them all), and `remarks`.
    """
    try:
        source, _ = located(file)
        scenario = prepared(source, set=set, sweep=sweep)
        cells = cells_of(scenario)
    except ScenarioError as error:
        if is_json:
            told = [_told(error.source, each) for each in error.problems]
            _write(file, None, told, [])
        raise
    found = remarks(scenario, (cell.plan for cell in cells))
    if is_json:
        _write(file, len(cells), [], found)
        return
    click.echo(
        f"{plain(readable(str(file)))}: fine, {len(cells)} cell{'s' if len(cells) > 1 else ''}"
    )
    for text in found:
        say(f"{file}: {text}")


def _told(source: str, problem: Problem) -> dict[str, str | None]:
    return {
        "file": readable(problem.file or source),
        "path": problem.path,
        "found": problem.what,
        "allowed": problem.allowed,
        "nearest": problem.nearest,
        "message": problem.message(source),
    }


def _write(
    file: str | Path, cells: int | None, problems: Sequence[Any], remarks: list[str]
) -> None:
    document = {
        "file": readable(str(file)),
        "cells": cells,
        "problems": problems,
        "remarks": remarks,
    }
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))
