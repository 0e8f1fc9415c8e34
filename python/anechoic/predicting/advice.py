"""Which settings do best under given conditions, and what they gain."""

from dataclasses import dataclass
from itertools import product

from anechoic.predicting.factors import SETTINGS, Choice, Point, Value
from anechoic.predicting.model import Prediction, predict

# Of each setting that is a number, the values that are tried: what people set.
TRIED: dict[str, tuple[float, ...]] = {
    "fragments": (512, 1024, 2346),
    "retries": (4, 7, 12),
    "queue_packets": (50, 100, 200, 500),
}
WORTH = 0.02
"""What a change makes less of than this part is not advised (inferred: half of what predictions of
goodput miss in the median)."""
CHEAP = 0.95
"""A shorter round trip may cost so little of the goodput that this much of it stays."""


@dataclass(frozen=True)
class Advice:
    """Settings to change, and what comes of it."""

    aim: str
    changes: dict[str, Value]
    goodput_mbps: Prediction
    rtt_ms: Prediction


def advise(point: Point) -> list[Advice]:
    """Give the settings that bring most through, and those whose round trips are shortest."""
    points = _candidates(point)
    goodputs = predict(points, "goodput_mbps")
    delays = predict(points, "rtt_ms")
    most = max(range(len(points)), key=lambda at: goodputs[at].value)
    enough = CHEAP * goodputs[0].value
    able = [at for at in range(len(points)) if goodputs[at].value >= enough]
    shortest = min(able, key=lambda at: delays[at].value)
    return [
        _worth("most goodput", point, points[most], "goodput_mbps"),
        _worth("shortest round trips", point, points[shortest], "rtt_ms"),
    ]


def _worth(aim: str, point: Point, better: Point, quantity: str) -> Advice:
    """Take back each change that makes less than `WORTH` of a difference to the aim."""
    kept = dict(better)
    for name in _changes(point, better):
        without = {**kept, name: point[name]}
        one, other = (each.value for each in predict([kept, without], quantity))
        if abs(other - one) < WORTH * one:
            kept = without
    (goodput,), (rtt,) = predict([kept], "goodput_mbps"), predict([kept], "rtt_ms")
    return Advice(aim, _changes(point, kept), goodput, rtt)


def _candidates(point: Point) -> list[dict[str, Value]]:
    """Give the point itself, then all combinations of the settings that are tried."""
    values: list[tuple[Value, ...]] = [
        setting.kind.values if isinstance(setting.kind, Choice) else TRIED[setting.name]
        for setting in SETTINGS
    ]
    names = [setting.name for setting in SETTINGS]
    return [
        dict(point),
        *({**point, **dict(zip(names, chosen, strict=True))} for chosen in product(*values)),
    ]


def _changes(asked: Point, better: Point) -> dict[str, Value]:
    return {
        setting.name: better[setting.name]
        for setting in SETTINGS
        if better[setting.name] != asked[setting.name]
    }
