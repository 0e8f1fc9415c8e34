"""What a study's files say of a claim, in digests: whether they say something else by now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from anechoic.files import read_file
from anechoic.papers.claim import Claim
from anechoic.papers.digests import digest, of_scenario
from anechoic.papers.study import Study
from anechoic.papers.trial_record import TRIALS

CHECK = "its check"


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
        files = (self.study.mechanisms_file, self.study.folder / TRIALS)
        return [
            {name: str(term) for name, term in self.study.terms.items()},
            self.study.about.fewest_replications,
            *(read_file(file).decode("utf-8", "replace") for file in files if file.is_file()),
        ]

    def _scenario(self, experiment: str) -> str:
        if experiment not in self._scenarios:
            self._scenarios[experiment] = of_scenario(self.study, experiment)
        return self._scenarios[experiment]
