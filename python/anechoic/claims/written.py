"""What a study's files say of a claim, in digests: whether they say something else by now."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from anechoic.files import read_file
from anechoic.papers.claim import Claim
from anechoic.papers.study import Study
from anechoic.scenario.errors import ScenarioError
from anechoic.scenario.extends import read

CHECK = "its check"
_UNJUDGED = ("title", "figure")
"""What a scenario says that no result depends on."""


@dataclass
class Writing:
    """The files of a study, each read once."""

    study: Study
    _scenarios: dict[str, str] = field(default_factory=dict)

    def of(self, claim: Claim, experiments: Iterable[str]) -> dict[str, str]:
        """Give digests of the claim's check, and of the scenarios that it takes in."""
        return {CHECK: self.check(claim), **{name: self._scenario(name) for name in experiments}}

    def check(self, claim: Claim) -> str:
        """Give a digest of all that decides a claim beside our rules and the results."""
        return digest([claim.says, *self._for_all_claims])

    def changed(self, claim: Claim, before: Mapping[str, str]) -> list[str]:
        """Name what says something else than it did: the check, or the file of a scenario."""
        now = self.of(claim, (name for name in before if name != CHECK))
        return [
            name if name == CHECK else self.study.file(name).name
            for name in now
            if now[name] != before.get(name)
        ]

    @cached_property
    def _for_all_claims(self) -> list[Any]:
        mechanisms = self.study.mechanisms_file
        return [
            {name: str(term) for name, term in self.study.terms.items()},
            self.study.about.fewest_replications,
            read_file(mechanisms).decode("utf-8", "replace") if mechanisms.is_file() else "",
        ]

    def _scenario(self, experiment: str) -> str:
        if experiment not in self._scenarios:
            self._scenarios[experiment] = _of_scenario(self.study, experiment)
        return self._scenarios[experiment]


def digest(told: Any) -> str:
    """Name plain data by what it says."""
    text = json.dumps(told, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def _of_scenario(study: Study, experiment: str) -> str:
    # As it is written, not compiled: listing four hundred claims shall take no longer for it.
    try:
        data, _ = read(study.file(experiment))
    except ScenarioError:
        return ""  # It cannot be read any more, so it is not what it was.
    return digest({name: value for name, value in data.items() if name not in _UNJUDGED})
