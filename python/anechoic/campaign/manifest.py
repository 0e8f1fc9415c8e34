"""What a campaign is, as its folder says it: all that its results depend on."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anechoic.campaign.cells import Axis
from anechoic.campaign.checksums import unsealed
from anechoic.campaign.replication import StoppingRule
from anechoic.campaign.sweep import CellPlan
from anechoic.files import closed_folder, read_file, readable
from anechoic.scenario.compile import Plan
from anechoic.scenario.errors import Problem, ScenarioError

if TYPE_CHECKING:
    from anechoic.scenario.model import Scenario

FORMAT = 2
MANIFEST = "campaign.json"
SEEDED_BY = ("version", "seed", "backend")
"""What the records of a campaign depend on beside the plans of its cells."""


def manifest_of(
    scenario: "Scenario",
    name: str,
    version: str,
    rule: StoppingRule,
    axes: Sequence[Axis],
    cells: Sequence[CellPlan],
) -> dict[str, Any]:
    """Say what a campaign is: all that its results depend on, and where it comes from."""
    return {
        "format": FORMAT,
        "campaign": {
            "name": readable(name),
            "title": scenario.title,
            "file": readable(scenario.source),
            "seed": scenario.run.seed,
            "version": version,
            "backend": scenario.run.backend,
            "replication": {
                "metric": rule.metric,
                "min": rule.minimum,
                "max": rule.maximum,
                "precision": rule.precision,
            },
            "set": dict(scenario.overrides),
        },
        "axes": [{"name": axis.name, "values": list(axis.values)} for axis in axes],
        "cells": [{"parameters": cell.parameters, "hash": cell_hash(cell.plan)} for cell in cells],
        "scenario": scenario.document(),
        "text": None if scenario.text is None else readable(scenario.text),
    }


def cell_hash(plan: Plan) -> str:
    """Name a cell by its plan: equal plans give equal records, whatever their parameters' names."""
    text = json.dumps(plan, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def rule_of(manifest: Mapping[str, Any]) -> StoppingRule:
    """Give the stopping rule that a campaign was run by."""
    rule = manifest["campaign"]["replication"]
    return StoppingRule(rule["metric"], rule["min"], rule["max"], rule["precision"])


def same_draws(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Say whether equal cells of two campaigns have equal records, drawn from the same streams."""
    return all(one["campaign"][field] == other["campaign"][field] for field in SEEDED_BY)


def read_manifest(root: Path) -> dict[str, Any] | None:
    """Read what a folder says of its campaign; None if there is none.

    Raise Damaged if it is not what was written, ScenarioError if it cannot be read.
    """
    try:
        text = read_file(root / MANIFEST, None)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        raise refused(root, "this is a file", "a folder") from None
    except OSError as error:
        what = f"{MANIFEST} cannot be read: {error.strerror or error}"
        raise refused(root, closed_folder(root / MANIFEST) or what, "another --out") from None
    _check_format(root, text)
    return unsealed(root / MANIFEST, text)


def _check_format(root: Path, text: bytes) -> None:
    try:
        known = json.loads(text)
    except (ValueError, RecursionError):
        return
    # What bears a checksum is of this format, if it is not damaged.
    if not isinstance(known, dict) or (known.get("format") != FORMAT and "checksum" not in known):
        what = f"{MANIFEST} is not of this program's format, {FORMAT}"
        raise refused(root, what, "another --out")


def refused(root: Path, what: str, allowed: str) -> ScenarioError:
    """Say what is wrong with a campaign's folder."""
    return ScenarioError(str(root), [Problem("", what, allowed)])
