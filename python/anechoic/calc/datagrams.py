"""Datagrams and echoes on a shared channel: who gets through what it offers, and who is saturated.

A radio that offers more than its share of the channel is saturated, and the saturated ones share as
Bianchi's model says what the others leave. A lone one's throughput is the exact sum of its cycle.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isinf

from anechoic.calc.channel import Load
from anechoic.calc.saturation import Backoff, Contender, Saturated


@dataclass(frozen=True)
class Shared:
    """The channel, worked out."""

    per_second: dict[str, float]
    """Packets a second that get through, by flow."""
    capacity_per_second: dict[str, float]
    """The same if this flow's radio were saturated with it besides those that are."""
    saturated: tuple[str, ...]
    """The radios that are."""
    collision_probability: float | None


_Kind = tuple[Contender, float]


@dataclass(frozen=True)
class _Group:
    """What one radio sends."""

    name: str
    loads: tuple[Load, ...]

    @property
    def is_endless(self) -> bool:
        return any(isinf(load.offer.per_second) for load in self.loads)

    @property
    def per_second(self) -> float:
        return sum(load.offer.per_second for load in self.loads)

    @cached_property
    def kind(self) -> _Kind:
        """What other radios may have in common with it: its frames, and how many it offers."""
        return self.contender(), self.per_second

    @property
    def share(self) -> float:
        """The part of the time that its packets keep the medium, if all get through."""
        return sum(load.offer.per_second * load.busy_us for load in self.loads) / 1e6

    def parts(self) -> list[float]:
        """In which parts its packets are of each flow: as they are offered, endless ones alike."""
        endless = [load for load in self.loads if isinf(load.offer.per_second)]
        if endless:
            return [1 / len(endless) if load in endless else 0.0 for load in self.loads]
        return [load.offer.per_second / self.per_second for load in self.loads]

    def contender(self) -> Contender:
        parts = list(zip(self.parts(), self.loads, strict=True))
        radio = self.loads[0].radio
        attempts = radio.mac["short_retry_limit"]
        difs = radio.spaces.difs_us
        return Contender(
            Backoff.of(radio.spaces, attempts),
            sum(part * load.busy_us for part, load in parts),
            sum(part * load.exchange.first_us for part, load in parts) + difs,
            1.0,
        )


def shared(loads: Sequence[Load], taken: float) -> Shared:
    """Work the channel out of which this part is taken already."""
    groups = _groups(loads)
    endless = [group for group in groups if group.is_endless]
    others = [group for group in groups if not group.is_endless]
    while others:
        shares = _shares(endless, others, taken)
        # All get the medium equally often: whom it does not suffice is who wants it most often.
        worst = max(others, key=lambda group: group.per_second)
        if worst.per_second <= shares[worst.kind]:
            break
        endless += [group for group in others if group.kind == worst.kind]
        others = [group for group in others if group.kind != worst.kind]
    given = _per_second(endless, _left(taken, others))
    most = {
        **{group.name: rate for group, rate in zip(endless, given, strict=True)},
        **{group.name: shares[group.kind] for group in others},
    }
    through: dict[str, float] = {}
    capacity: dict[str, float] = {}
    for group in groups:
        for part, load in zip(group.parts(), group.loads, strict=True):
            here = most[group.name] * part if group in endless else load.offer.per_second
            through[load.offer.name] = min(through.get(load.offer.name, inf), here)
            capacity[load.offer.name] = min(capacity.get(load.offer.name, inf), most[group.name])
    busy = _saturated(endless) if len(endless) > 1 else None
    return Shared(through, capacity, tuple(group.name for group in endless), _collisions(busy))


def _shares(
    endless: Sequence[_Group], others: Sequence[_Group], taken: float
) -> dict[_Kind, float]:
    """Give what each kind of radio would get that were saturated besides these."""
    kinds = {group.kind: group for group in others}
    return {
        kind: _per_second([*endless, group], _left(taken, others, but=group))[-1]
        for kind, group in kinds.items()
    }


def _groups(loads: Sequence[Load]) -> list[_Group]:
    by_radio: dict[str, list[Load]] = {}
    for load in loads:
        by_radio.setdefault(load.radio.name, []).append(load)
    return [_Group(name, tuple(own)) for name, own in by_radio.items()]


def _left(taken: float, others: Sequence[_Group], but: _Group | None = None) -> float:
    return max(1 - taken - sum(group.share for group in others if group is not but), 0.0)


def _per_second(groups: Sequence[_Group], left: float) -> list[float]:
    """Give the packets a second of saturated radios in the part of the time that is left."""
    if not groups:
        return []
    own = [group.contender() for group in groups]
    if len(groups) == 1:
        spaces = groups[0].loads[0].radio.spaces
        return [left * 1e6 / (spaces.mean_backoff_us + own[0].success_us)]
    model = _saturated(groups)
    rates = zip(model.contenders, model.goodputs_mbps(), strict=True)
    by_kind = {replace(kind, count=1): left * 1e6 * rate for kind, rate in rates}
    return [by_kind[each] for each in own]


def _saturated(groups: Sequence[_Group]) -> Saturated:
    """Give the model, stations that are alike taken together."""
    kinds = Counter(group.contender() for group in groups)
    alike = (replace(kind, count=count) for kind, count in kinds.items())
    return Saturated(tuple(alike), groups[0].loads[0].radio.spaces.slot_us)


def _collisions(busy: Saturated | None) -> float | None:
    """Give the part of all transmissions that collide."""
    if busy is None:
        return None
    tries = [
        kind.count * tau
        for kind, tau in zip(busy.contenders, busy.attempt_probabilities, strict=True)
    ]
    lost = sum(t * p for t, p in zip(tries, busy.collision_probabilities, strict=True))
    return lost / sum(tries)
