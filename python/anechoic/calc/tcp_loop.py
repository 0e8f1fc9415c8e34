"""TCP over Wi-Fi whose windows circulate: data one way, acknowledgments the other.

Who sends data and who acknowledges contend for one medium. With enough of a window something always
waits on the one side or the other, and the other has what the first has let through: so that about
two stations contend at a time, however many there are (R. Bruno, M. Conti and E. Gregori,
"Throughput Analysis and Measurements in IEEE 802.11 WLANs with TCP and UDP Traffic Flows", IEEE
Trans. Mobile Computing 7(2), 2008). The chain of this file has the acknowledgments that wait as its
state; each station that has something to send transmits in a slot with Bianchi's probability for so
many stations.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import ceil, exp, log

from anechoic.calc.saturation import Backoff, Contender, Saturated


@dataclass(frozen=True)
class Side:
    """Those that send data, or those that acknowledge."""

    stations: int
    success_us: float
    """How long one exchange keeps the medium, DIFS included."""
    collision_us: float
    """The same of a collision."""


@dataclass(frozen=True)
class Loop:
    """Connections whose data go one way."""

    data: Side
    acks: Side
    backoff: Backoff
    slot_us: float
    segments_per_ack: float
    """What one side gets through for each frame of the other."""
    window_segments: float
    """Of all connections together; more than the chain needs to be full changes nothing."""

    ENOUGH = 64
    """Segments that fill the chain: two sides are rarely more than a few out of step."""

    @property
    def segments_per_us(self) -> float:
        """How many segments get through."""
        weights = self._weights()
        segments = sum(weight * state.data_wins for weight, state in weights)
        return segments / sum(weight * state.slot_us for weight, state in weights)

    @property
    def collision_probability(self) -> float:
        """How likely a transmission collides."""
        weights = self._weights()
        sent = sum(weight * state.transmissions for weight, state in weights)
        through = sum(weight * (state.data_wins + state.ack_wins) for weight, state in weights)
        return 1 - through / sent

    def _weights(self) -> list[tuple[float, "_State"]]:
        """Give each state with how often it is met, up to a common factor."""
        states = list(self._states())
        logs = [0.0]
        for below, above in pairwise(states):
            # As many ways lead up from a state as down from the one above it.
            logs.append(logs[-1] + log(below.data_wins / self.segments_per_ack / above.ack_wins))
        return [(exp(each - max(logs)), state) for each, state in zip(logs, states, strict=True)]

    def _states(self) -> Iterator["_State"]:
        """Give the states from no acknowledgment that waits to the most."""
        window = min(self.window_segments, self.ENOUGH * self.segments_per_ack)
        for waiting in range(int(window / self.segments_per_ack) + 1):
            state = self._state(waiting, window - waiting * self.segments_per_ack)
            yield state
            if state.data_wins == 0:
                return

    def _state(self, acks: int, segments: float) -> "_State":
        with_data = min(self.data.stations, ceil(segments / self.segments_per_ack))
        return _state(self, with_data, min(self.acks.stations, acks))


@dataclass(frozen=True, slots=True)
class _State:
    """A slot: how likely either side gets something through, and how long it is."""

    data_wins: float
    ack_wins: float
    transmissions: float
    slot_us: float


@cache
def _tau(backoff: Backoff, stations: int) -> float:
    alike = Contender(backoff, 1.0, 1.0, 0.0, stations)
    return Saturated((alike,), 1.0).attempt_probabilities[0]


def _state(loop: Loop, data: int, acks: int) -> _State:
    tau = _tau(loop.backoff, data + acks)
    idle = (1 - tau) ** (data + acks)
    alone = tau * (1 - tau) ** (data + acks - 1)
    wins, answers = data * alone, acks * alone
    several = 1 - idle - wins - answers
    # A collision lasts as long as the longest frame in it, almost always data.
    collision = loop.data.collision_us if data else loop.acks.collision_us
    slot = (
        idle * loop.slot_us
        + wins * loop.data.success_us
        + answers * loop.acks.success_us
        + several * collision
    )
    return _State(wins, answers, tau * (data + acks), slot)
