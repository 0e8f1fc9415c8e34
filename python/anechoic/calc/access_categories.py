"""Saturated stations of several access categories: what each brings through.

J. W. Robinson and T. S. Randhawa, "Saturation Throughput Analysis of IEEE 802.11e Enhanced
Distributed Coordination Function", IEEE JSAC 22(5), 2004: Bianchi's slots, of which the first
behind each busy period belong to those with a short interframe space alone. How many slots the
medium has been idle is a Markov chain; a category meets the others in the slots it may use.

Transmission opportunities of one frame each, and no two categories of one station.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from anechoic.calc.saturation import Contender


@dataclass(frozen=True)
class Category:
    """Stations of one access category that are alike.

    The times of `contender` have the shortest interframe space of all categories behind them.
    """

    contender: Contender
    aifsn: int


@dataclass(frozen=True)
class SaturatedCategories:
    """A medium that these categories share, none of whose stations is ever out of frames."""

    categories: tuple[Category, ...]
    slot_us: float

    @cached_property
    def attempt_probabilities(self) -> list[float]:
        """How likely a station of each category transmits in a slot that it may use."""
        taus = [0.0] * len(self.categories)
        for _ in range(_STEPS):
            collisions = self._collisions(taus)
            found = [
                each.contender.backoff.attempt_probability(p)
                for each, p in zip(self.categories, collisions, strict=True)
            ]
            if max(abs(one - other) for one, other in zip(taus, found, strict=True)) < _CLOSE:
                break
            taus = [
                _DAMPED * old + (1 - _DAMPED) * new for old, new in zip(taus, found, strict=True)
            ]
        return taus

    @cached_property
    def collision_probabilities(self) -> list[float]:
        """How likely what a station of each category sends collides."""
        return self._collisions(self.attempt_probabilities)

    def goodputs_mbps(self) -> list[float]:
        """Give what a station of each category brings through."""
        taus = self.attempt_probabilities
        idle, shares = self._idle(taus), self._slots(taus)
        successes = [
            each.contender.count * tau / (1 - tau) * sum(share * quiet for share, quiet in usable)
            for each, tau, usable in self._with_usable(taus, shares, idle)
        ]
        silent = sum(share * quiet for share, quiet in zip(shares, idle, strict=True))
        collided = 1 - silent - sum(successes)
        longest = max(each.contender.collision_us for each in self.categories)
        mean = silent * self.slot_us + collided * longest
        mean += sum(
            success * each.contender.success_us
            for success, each in zip(successes, self.categories, strict=True)
        )
        return [
            success / each.contender.count * each.contender.payload_bits / mean
            for success, each in zip(successes, self.categories, strict=True)
        ]

    @cached_property
    def _waits(self) -> list[int]:
        """Slots that each category waits longer than the most urgent one."""
        least = min(each.aifsn for each in self.categories)
        return [each.aifsn - least for each in self.categories]

    def _idle(self, taus: Sequence[float]) -> list[float]:
        """How likely nobody transmits, by the slots that the medium has been idle."""
        parts = list(zip(self.categories, taus, self._waits, strict=True))
        return [
            prod((1 - tau) ** each.contender.count for each, tau, wait in parts if wait <= slot)
            for slot in range(max(self._waits) + 1)
        ]

    def _slots(self, taus: Sequence[float]) -> list[float]:
        """How much of all slots come after so many idle ones; the last stands for all behind."""
        idle = self._idle(taus)
        weights = [prod(idle[:slot]) for slot in range(len(idle))]
        weights[-1] /= max(1 - idle[-1], _CLOSE)
        return [weight / sum(weights) for weight in weights]

    def _with_usable(
        self, taus: Sequence[float], shares: Sequence[float], idle: Sequence[float]
    ) -> list[tuple[Category, float, list[tuple[float, float]]]]:
        slots = list(zip(shares, idle, strict=True))
        return [
            (each, tau, slots[wait:])
            for each, tau, wait in zip(self.categories, taus, self._waits, strict=True)
        ]

    def _collisions(self, taus: Sequence[float]) -> list[float]:
        found = []
        for _, tau, usable in self._with_usable(taus, self._slots(taus), self._idle(taus)):
            alone = sum(share * quiet / (1 - tau) for share, quiet in usable)
            found.append(1 - alone / sum(share for share, _ in usable))
        return found


_CLOSE = 1e-12
_STEPS = 10_000
_DAMPED = 0.7
"""Of each step so much stays as it was: the whole step would swing about the fixed point."""
