"""Saturated stations that share a medium: how often they transmit, collide and succeed.

Two models of the distributed coordination function:

- G. Bianchi, "Performance Analysis of the IEEE 802.11 Distributed Coordination Function", IEEE
  JSAC 18(3), 2000: every station transmits in a slot with a probability that is the fixed point
  of its backoff and of how often it collides;
- G. Bianchi and I. Tinnirello, "Remarks on IEEE 802.11 DCF Performance Analysis", IEEE
  Communications Letters 9(8), 2005: a station that draws a backoff of zero after its success
  transmits again when no other can, and the slot behind a success moves no counter. As the ns-3
  project validates against it, the slot behind a collision does.

Retries may be limited, as in H. Wu, Y. Peng, K. Long, S. Cheng and J. Ma, "Performance of Reliable
Transport Protocol over IEEE 802.11 Wireless LAN", INFOCOM 2002; delay and loss are those of P.
Chatzimisios, A. C. Boucouvalas and V. Vitsas, "IEEE 802.11 Packet Delay: a Finite Retry Limit
Analysis", GLOBECOM 2003.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import inf, prod, sqrt
from typing import Literal

from anechoic.calc.timing import Exchange, Spaces

Model = Literal["bianchi-2000", "bianchi-tinnirello-2005"]


@dataclass(frozen=True)
class Backoff:
    """How a station backs off: windows of so many values, doubled after a failure."""

    window: int
    """Values of the first draw: CWmin + 1."""
    stages: int
    """How often it doubles."""
    attempts: float = inf
    """After so many a frame is given up."""

    @classmethod
    def of(cls, spaces: Spaces, attempts: float = inf) -> "Backoff":
        """Give that of a radio."""
        return cls(spaces.cw_min + 1, spaces.stages, attempts)

    @cached_property
    def windows(self) -> list[int]:
        """Give the window of each attempt; without a limit those of all stages."""
        count = self.stages + 1 if self.attempts == inf else int(self.attempts)
        return [self.window * 2 ** min(i, self.stages) for i in range(count)]

    def attempt_probability(self, p: float) -> float:
        """How likely the station transmits in a slot, if what it sends collides with p.

        Attempts over slots of a frame's service; without a limit Bianchi's equation 7.
        """
        weights = [p**i for i in range(len(self.windows))]
        if self.attempts == inf:
            # All attempts from the last stage on have its window.
            weights[-1] /= 1 - p
        slots = sum(w * (window + 1) / 2 for w, window in zip(weights, self.windows, strict=True))
        return sum(weights) / slots

    def loss_probability(self, p: float) -> float:
        """How likely a frame is given up."""
        return 0.0 if self.attempts == inf else p**self.attempts

    def slots_to_success(self, p: float) -> float:
        """Give the mean slots in front of a frame that is not given up (Chatzimisios et al.)."""
        if self.attempts == inf:
            return 1 / (self.attempt_probability(p) * (1 - p))
        lost = self.loss_probability(p)
        parts = enumerate(self.windows)
        return sum((w + 1) / 2 * (p**i - lost) / (1 - lost) for i, w in parts)


@dataclass(frozen=True)
class Contender:
    """Stations that are alike."""

    backoff: Backoff
    success_us: float
    """How long a success keeps the medium, the interframe space behind it included."""
    collision_us: float
    """The same of a collision whose longest frame is one of these."""
    payload_bits: float
    """What a success brings."""
    count: int = 1

    @classmethod
    def of(
        cls,
        spaces: Spaces,
        exchange: Exchange,
        payload_bytes: float,
        count: int = 1,
        *,
        attempts: float = inf,
        extended: bool = False,
    ) -> "Contender":
        """Give stations with this exchange.

        After a collision the medium is free again after DIFS or, where it is ``extended``, after
        EIFS, which is the first frame's answer longer: bystanders who could not read a frame wait
        that long, and its senders for about as long for their answer.
        """
        collision = exchange.answered_us if extended else exchange.first_us
        return cls(
            Backoff.of(spaces, attempts),
            exchange.duration_us + spaces.difs_us,
            collision + spaces.difs_us,
            8 * payload_bytes,
            count,
        )


@dataclass(frozen=True)
class Saturated:
    """A medium that these stations share, none of which is ever out of frames."""

    contenders: tuple[Contender, ...]
    slot_us: float
    model: Model = "bianchi-tinnirello-2005"

    @cached_property
    def attempt_probabilities(self) -> list[float]:
        """How likely a station of each kind transmits in a slot: the fixed point."""
        return _fixed_point([each.backoff for each in self.contenders], self._counts)

    @cached_property
    def collision_probabilities(self) -> list[float]:
        """How likely what a station of each kind sends collides."""
        return _collisions(self.attempt_probabilities, self._counts)

    @cached_property
    def slot_mean_us(self) -> float:
        """The mean time from one decrement of the counters to the next."""
        successes, collisions = self._outcomes
        busy = sum(
            success * self._success_us(each) + collision * each.collision_us
            for each, success, collision in zip(self.contenders, successes, collisions, strict=True)
        )
        return busy + (1 - sum(successes) - sum(collisions)) * self.slot_us

    def goodputs_mbps(self) -> list[float]:
        """Give what a station of each kind brings through."""
        successes, _ = self._outcomes
        return [
            success / each.count * each.payload_bits / (1 - self._again(each)) / self.slot_mean_us
            for each, success in zip(self.contenders, successes, strict=True)
        ]

    def throughput_mbps(self) -> float:
        """Give what all of them bring through."""
        return sum(
            each.count * goodput
            for each, goodput in zip(self.contenders, self.goodputs_mbps(), strict=True)
        )

    def airtime_shares(self) -> list[float]:
        """Give the part of the time that successes of all stations of each kind take."""
        successes, _ = self._outcomes
        return [
            success * each.success_us / (1 - self._again(each)) / self.slot_mean_us
            for each, success in zip(self.contenders, successes, strict=True)
        ]

    def collision_share(self) -> float:
        """Give the part of the time that collisions take."""
        _, collisions = self._outcomes
        parts = zip(self.contenders, collisions, strict=True)
        return sum(share * each.collision_us for each, share in parts) / self.slot_mean_us

    def delays_us(self) -> list[float]:
        """Give the mean time of a frame of each kind at the head of its queue until it is through.

        Chatzimisios, Boucouvalas and Vitsas 2003: mean slots of those that are not given up, each
        as long as the mean slot.
        """
        parts = zip(self.contenders, self.collision_probabilities, strict=True)
        return [each.backoff.slots_to_success(p) * self.slot_mean_us for each, p in parts]

    def losses(self) -> list[float]:
        """Give the part of the frames of each kind that are given up."""
        parts = zip(self.contenders, self.collision_probabilities, strict=True)
        return [each.backoff.loss_probability(p) for each, p in parts]

    @property
    def _counts(self) -> list[int]:
        return [each.count for each in self.contenders]

    @cached_property
    def _outcomes(self) -> tuple[list[float], list[float]]:
        """How likely in a slot one of each kind is alone, and that it is the longest of several."""
        taus, counts = self.attempt_probabilities, self._counts
        nobody = prod((1 - tau) ** n for tau, n in zip(taus, counts, strict=True))
        alone = [n * tau / (1 - tau) * nobody for tau, n in zip(taus, counts, strict=True)]
        several = [0.0] * len(taus)
        below = nobody
        for at in sorted(range(len(taus)), key=lambda at: self.contenders[at].collision_us):
            upto = below / (1 - taus[at]) ** counts[at]
            several[at] = max(upto - below - alone[at], 0.0)
            below = upto
        return alone, several

    def _again(self, contender: Contender) -> float:
        """How likely a success is followed by one without contention."""
        return 0.0 if self.model == "bianchi-2000" else 1 / contender.backoff.window

    def _success_us(self, contender: Contender) -> float:
        if self.model == "bianchi-2000":
            return contender.success_us
        return contender.success_us / (1 - self._again(contender)) + self.slot_us


def lone_goodput_mbps(spaces: Spaces, exchange: Exchange, payload_bytes: float) -> float:
    """Give what a saturated station brings through that has the medium for itself.

    A cycle is DIFS, a backoff of CWmin/2 slots in the mean, and the exchange; nothing collides.
    """
    cycle = spaces.difs_us + spaces.mean_backoff_us + exchange.duration_us
    return 8 * payload_bytes / cycle


def best_attempt_probability(stations: int, slot_us: float, collision_us: float) -> float:
    """Give the attempt probability at which throughput is largest, as Bianchi approximates it.

    Bianchi 2000, equation 28: 1 / (n √(Tc / 2σ)).
    """
    return 1 / (stations * sqrt(collision_us / slot_us / 2))


def throughput_at(
    tau: float, stations: int, slot_us: float, success_us: float, collision_us: float
) -> float:
    """Give successes per µs if each of so many stations transmits in a slot with tau.

    Bianchi 2000, equation 13, for a payload of one.
    """
    nobody = (1 - tau) ** stations
    alone = stations * tau * (1 - tau) ** (stations - 1)
    mean = nobody * slot_us + alone * success_us + (1 - nobody - alone) * collision_us
    return alone / mean


def _collisions(taus: Sequence[float], counts: Sequence[int]) -> list[float]:
    nobody = prod((1 - tau) ** n for tau, n in zip(taus, counts, strict=True))
    return [1 - nobody / (1 - tau) for tau in taus]


def _fixed_point(backoffs: Sequence[Backoff], counts: Sequence[int]) -> list[float]:
    """Find the attempt probabilities whose collisions lead to them.

    Given how likely the medium stays idle in a slot, each station's own equation has one root; the
    idle probability that these lead to falls as the given one rises.
    """
    if len(backoffs) == 1:
        others = counts[0] - 1
        return [_root(lambda tau: _excess(backoffs[0], (1 - tau) ** (others + 1), tau))]

    def attempts(idle: float) -> list[float]:
        return [_root(partial(_excess, each, idle)) for each in backoffs]

    def excess(idle: float) -> float:
        parts = zip(attempts(idle), counts, strict=True)
        return prod((1 - tau) ** n for tau, n in parts) - idle

    return attempts(_root(excess))


def _excess(backoff: Backoff, idle: float, tau: float) -> float:
    others_idle = min(idle / max(1 - tau, _CLOSE), 1.0)
    return backoff.attempt_probability(1 - max(others_idle, _CLOSE)) - tau


def _root(function: Callable[[float], float]) -> float:
    """Find where a function that falls through zero between 0 and 1 does so.

    False position, the end that stays put counted by halves (the Illinois rule: M. Dowell and P.
    Jarratt, BIT 11, 1971).
    """
    low, high = 0.0, 1.0
    above, below = function(low), function(high)
    for _ in range(_STEPS):
        at = (low * below - high * above) / (below - above)
        if not low < at < high:
            break
        value = function(at)
        if abs(value) < _CLOSE:
            return at
        if value > 0:
            low, above, below = at, value, below / 2
        else:
            high, below, above = at, value, above / 2
    return low


_CLOSE = 1e-12
_STEPS = 60
"""A step halves the interval at the least in every second one, and mostly does much better."""
