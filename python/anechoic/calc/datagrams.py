"""Datagrams and echoes on a shared channel: who gets through what it offers, and who is saturated.

A radio that offers more than its share of the channel is saturated, and the saturated ones share as
Bianchi's model says what the others leave. A lone one's throughput is the exact sum of its cycle.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isinf

from anechoic.calc.channel import Load, loads_of
from anechoic.calc.offers import NoForm
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

    @property
    def with_rate_per_second(self) -> float:
        """Packets a second of those that have a rate."""
        endless = self.endless
        return sum(load.offer.per_second for load in self.loads if load not in endless)

    @property
    def endless(self) -> list[Load]:
        """What is never out of packets; it leaves room in the queue for all else."""
        return [load for load in self.loads if isinf(load.offer.per_second)]

    def contender(self, per_second: float | None = None) -> Contender:
        """Give what others contend with, if it gets so many packets a second through."""
        parts = list(zip(self.parts(per_second), self.loads, strict=True))
        radio = self.loads[0].radio
        attempts = radio.mac["short_retry_limit"]
        difs = radio.spaces.difs_us
        return Contender(
            Backoff.of(radio.spaces, attempts),
            sum(part * load.exchange_us for part, load in parts),
            sum(part * load.exchange.first_us for part, load in parts) + difs,
            sum(part * load.exchange.msdus for part, load in parts),
        )

    def parts(self, per_second: float | None = None) -> list[float]:
        """In which parts its packets are of each flow.

        All that is offered gets through beside endless sources, which take turns at what is left.
        """
        endless = self.endless
        if not endless:
            return [load.offer.per_second / self.per_second for load in self.loads]
        if per_second is None:
            return [1 / len(endless) if load in endless else 0.0 for load in self.loads]
        rest = [0.0 if load in endless else load.offer.per_second for load in self.loads]
        left = max(per_second - self.with_rate_per_second, 0.0) / len(endless)
        given = [
            left if load in endless else rate for load, rate in zip(self.loads, rest, strict=True)
        ]
        return [each / sum(given) for each in given]


def shared(loads: Sequence[Load], taken: float) -> Shared:
    """Work the channel out of which this part is taken already."""
    groups = _groups(loads)
    endless, others, shares = _apart(groups, taken)
    _check(endless)
    if endless and sum(group.share for group in others) > OTHERS:
        raise NoForm("others take so much of the channel that collisions with them count")
    given = _per_second(endless, _left(taken, others))
    for group, rate in zip(endless, given, strict=True):
        if group.with_rate_per_second >= rate and (group.endless or not rate):
            raise NoForm(f"more is offered than {group.name} gets through: its queue decides")
    most = {
        **{group.name: rate for group, rate in zip(endless, given, strict=True)},
        **{group.name: shares[group.kind] for group in others},
    }
    through: dict[str, float] = {}
    capacity: dict[str, float] = {}
    for group in groups:
        for part, load in zip(group.parts(most[group.name]), group.loads, strict=True):
            here = most[group.name] * part if group in endless else load.offer.per_second
            through[load.offer.name] = min(through.get(load.offer.name, inf), here)
            capacity[load.offer.name] = min(capacity.get(load.offer.name, inf), most[group.name])
    busy = None
    if len(endless) > 1:
        own = [group.contender(most[group.name]) for group in endless]
        busy = _saturated(own, endless[0].loads[0].radio.spaces.slot_us)
    return Shared(through, capacity, tuple(group.name for group in endless), _collisions(busy))


def is_too_much(loads: Sequence[Load], taken: float) -> bool:
    """Whether a radio offers more than it gets through."""
    saturated, _, _ = _apart(_groups(loads), taken)
    return bool(saturated)


def _apart(
    groups: Sequence[_Group], taken: float
) -> tuple[list[_Group], list[_Group], dict[_Kind, float]]:
    """Give those that are saturated, the others, and what each kind of these would get if it were.

    All get the medium equally often: whom it does not suffice is who wants it most often.
    """
    endless = [group for group in groups if group.is_endless]
    others = [group for group in groups if not group.is_endless]
    shares: dict[_Kind, float] = {}
    while others:
        shares = _shares(endless, others, taken)
        worst = max(others, key=lambda group: group.per_second)
        if worst.per_second <= shares[worst.kind]:
            break
        endless += [group for group in others if group.kind == worst.kind]
        others = [group for group in others if group.kind != worst.kind]
    return endless, others, shares


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


def _check(saturated: Sequence[_Group]) -> None:
    """Raise NoForm where a queue decides who gets through, or collisions cost not all alike."""
    nodes = {group.loads[0].radio.node: group for group in saturated}
    for group in saturated:
        for load in group.loads:
            other = nodes.get(load.to)
            if other is not None and not _alike(load, other):
                raise NoForm(
                    f"{group.name} and {other.name} send each other frames of other lengths, and "
                    "do not wait alike when these collide"
                )
    for group in saturated:
        is_burst = any(load.offer.burst > 1 for load in group.loads)
        if not group.endless and (len(group.loads) > 1 or is_burst):
            raise NoForm(f"more is offered than {group.name} gets through: its queue decides")
        for load in group.loads:
            if len(loads_of(load.offer)) > 1:
                raise NoForm(
                    f"{group.name} is saturated, and {load.offer.name} crosses the air twice"
                )


def _alike(load: Load, other: _Group) -> bool:
    """Whether frames that collide end at about the same time (inferred: within a half)."""
    lengths = [load.exchange.first_us, *(each.exchange.first_us for each in other.loads)]
    return max(lengths) < ALIKE * min(lengths)


ALIKE = 1.5
OTHERS = 0.5
"""Part of the time up to which collisions with those that are not saturated are left out
(inferred: a half costs saturated stations about a tenth)."""


def _per_second(groups: Sequence[_Group], left: float) -> list[float]:
    """Give the packets a second of saturated radios in the part of the time that is left."""
    if not groups:
        return []
    if left <= 0:
        return [0.0] * len(groups)
    rates = _given(groups, [None] * len(groups), left)
    # What of its packets are of which flow hangs on how many there are, where some have a rate.
    for _ in range(_ROUNDS if any(len(group.loads) > 1 for group in groups) else 0):
        rates = _given(groups, rates, left)
    return rates


_ROUNDS = 30
"""Enough for a ten-thousandth: each leaves a part of what was wrong, as packets of other lengths
take other times."""


def _given(groups: Sequence[_Group], rates: Sequence[float | None], left: float) -> list[float]:
    own = [group.contender(rate) for group, rate in zip(groups, rates, strict=True)]
    if len(groups) == 1:
        spaces = groups[0].loads[0].radio.spaces
        cycle_us = spaces.mean_backoff_us + own[0].success_us
        return [left * 1e6 * own[0].payload_bits / cycle_us]
    model = _saturated(own, groups[0].loads[0].radio.spaces.slot_us)
    through = zip(model.contenders, model.goodputs_mbps(), strict=True)
    by_kind = {replace(kind, count=1): left * 1e6 * rate for kind, rate in through}
    return [by_kind[each] for each in own]


def _saturated(contenders: Sequence[Contender], slot_us: float) -> Saturated:
    """Give the model, stations that are alike taken together."""
    kinds = Counter(contenders)
    return Saturated(tuple(replace(kind, count=n) for kind, n in kinds.items()), slot_us)


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
