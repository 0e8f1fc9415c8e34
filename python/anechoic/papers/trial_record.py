"""What trials of a study came to, as it is kept in ``trials.json`` beside its claims.

They take hours. Each claim has a digest of what was tried: what says something else by now is not
used.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from anechoic.files import read_file
from anechoic.papers.claim import Claim
from anechoic.papers.digests import digest, of_scenario
from anechoic.papers.study import Study
from anechoic.papers.verdict import Status

TRIALS = "trials.json"
MODELS, VALUES = "models", "values"
"""The kinds of trials: changed models, and other values of what the bench was given."""


@dataclass(frozen=True)
class Recorded:
    """What the trials of a study came to: by kind and claim the digest, and the statuses."""

    study: Study
    kinds: Mapping[str, Mapping[str, Any]]
    _digests: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, study: Study) -> "Recorded":
        """Read what a study has; nothing if it has nothing."""
        path = study.folder / TRIALS
        return cls(study, json.loads(read_file(path)) if path.is_file() else {})

    def trials(self, kind: str, claim: Claim, experiments: Iterable[str]) -> dict[str, Status]:
        """Give what a claim came to in each trial of a kind; nothing if it has changed since."""
        known = self._known(kind, claim, experiments)
        return {name: Status(status) for name, status in known["with"].items()}

    def moving(self, claim: Claim, experiments: Iterable[str]) -> list[str]:
        """Name the values of the bench with which a claim comes to something else."""
        known = self._known(VALUES, claim, experiments)
        return [name for name, status in known["with"].items() if status != known["own"]]

    def _known(self, kind: str, claim: Claim, experiments: Iterable[str]) -> Mapping[str, Any]:
        known: Mapping[str, Any] | None = self.kinds.get(kind, {}).get(claim.id)
        is_there = known is not None and known["written"] == self.written(claim, experiments)
        return known if known is not None and is_there else {"own": "", "with": {}}

    def written(self, claim: Claim, experiments: Iterable[str]) -> str:
        """Give a digest of the claim and of the scenarios that it takes in."""
        return digest([claim.says, *(self._digest(name) for name in sorted(experiments))])

    def with_(self, kind: str, claims: Mapping[str, Any]) -> "Recorded":
        """Give the same with what the trials of a kind came to now."""
        return Recorded(self.study, {**self.kinds, kind: {**self.kinds.get(kind, {}), **claims}})

    def as_json(self) -> str:
        """Give all of it as the file has it."""
        return json.dumps(self.kinds, indent=1, sort_keys=True, ensure_ascii=False) + "\n"

    def _digest(self, experiment: str) -> str:
        if experiment not in self._digests:
            self._digests[experiment] = of_scenario(self.study, experiment)
        return self._digests[experiment]
