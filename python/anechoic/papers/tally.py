"""How many claims have come to what, and which share of those that can be tested is settled."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from anechoic.papers.verdict import Status

_UNTESTED = (Status.INPUT, Status.NOT_TESTABLE)
_SETTLED = (Status.AGREES, Status.EXPLAINED)


@dataclass(frozen=True)
class Share:
    """A part of some claims."""

    count: int
    of: int

    def __str__(self) -> str:
        """Tell it in per cent, beside the numbers; nothing of nothing."""
        return f"{self.count} of {self.of} ({self.count / self.of:.0%})" if self.of else ""


@dataclass(frozen=True)
class Tally:
    """The statuses of some claims."""

    statuses: Sequence[Status]

    @cached_property
    def counts(self) -> dict[Status, int]:
        """How many have each status, of those that any has."""
        found = Counter(self.statuses)
        return {status: found[status] for status in Status if found[status]}

    @property
    def was_run(self) -> bool:
        """Whether any of them was judged."""
        return any(status is not Status.NOT_RUN for status in self.statuses)

    @property
    def settled(self) -> Share:
        """Those that agree, or disagree and are explained, of all that can be tested."""
        return self._of_testable(_SETTLED)

    @property
    def unexplained(self) -> Share:
        """Those that disagree without an explanation, of all that can be tested."""
        return self._of_testable((Status.UNEXPLAINED,))

    @property
    def agreeing(self) -> Share:
        """Those that agree, of all."""
        return Share(self.counts.get(Status.AGREES, 0), len(self.statuses))

    def _of_testable(self, wanted: Iterable[Status]) -> Share:
        testable = [status for status in self.statuses if status not in _UNTESTED]
        count = sum(self.counts.get(status, 0) for status in wanted)
        return Share(count, len(testable) if self.was_run else 0)
