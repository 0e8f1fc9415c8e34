"""What a study's files say, in digests: whether they say something else by now."""

import hashlib
import json
from typing import Any

from anechoic.papers.study import Study
from anechoic.scenario.errors import ScenarioError
from anechoic.scenario.extends import read

_UNJUDGED = ("title", "figure")
"""What a scenario says that no result depends on."""


def digest(told: Any) -> str:
    """Name plain data by what it says."""
    text = json.dumps(told, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def of_scenario(study: Study, experiment: str) -> str:
    """Give the digest of an experiment's scenario."""
    # As it is written, not compiled: listing four hundred claims shall take no longer for it.
    try:
        data, _ = read(study.file(experiment))
    except ScenarioError:
        return ""  # It cannot be read any more, so it is not what it was.
    return digest({name: value for name, value in data.items() if name not in _UNJUDGED})
