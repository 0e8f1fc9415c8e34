"""What happened on the air that users feel: who has it, hidden stations, roaming."""

from collections.abc import Callable, Iterator, Sequence

from anechoic.campaign.cells import Cell
from anechoic.campaign.in_short import Finding
from anechoic.campaign.spans import Spans, percent, seconds
from anechoic.scenario.hidden import Plan, hidden_pairs, radios_of

_MANY = 0.05
"""Collisions of such a share of the frames with hidden stations are told."""
_AIRTIME = ".airtime_share"
_SEVERAL = 2
_MOST_OF_AIR = 0.5
"""A station that has more of the time than this leaves others less."""
_MOST_PAIRS = 3
"""Pairs of stations named in a sentence; the others are counted."""
_NO_RTS = 2347
"""The threshold that no frame exceeds (IEEE 802.11-2020 Annex C, dot11RTSThreshold)."""
_HIDDEN = "collision_probability_hidden"

_PARTS = {
    "unheard": "until it gave up the old one, which it no longer heard",
    "scan": "searching for another one",
    "join": "joining it",
    "register": "until Mobile IP had registered it",
    "resume": "between joining it and the first packet",
}
"""Parts of a change of access point, in the order of time."""


PlanOf = Callable[[Cell], Plan | None]
"""Gives the plan of a cell, where it is kept."""
LeftOf = Callable[[Cell], Sequence[float]]
"""Gives the times, in seconds, at which stations left access points in a cell's first run."""


def on_the_air(compared: Sequence[Cell], plan_of: PlanOf, left_of: LeftOf) -> Iterator[Finding]:
    """Tell who had the air, why frames collided, and what changes of access point took."""
    yield from _airtime(compared, plan_of)
    yield from _collisions(compared, plan_of)
    yield from _roams(compared, left_of)


def _airtime(compared: Sequence[Cell], plan_of: PlanOf) -> Iterator[Finding]:
    """Tell of the station that has most of the air, where there are others."""
    if not any(name.endswith(_AIRTIME) for cell in compared for name in cell.metrics):
        return
    plan = plan_of(compared[0])
    nodes = [] if plan is None else plan["nodes"]
    shares = {
        node["name"]: [_mean(cell, f"node.{node['name']}{_AIRTIME}") for cell in compared]
        for node in nodes
        if node["role"] == "sta"
    }
    if len(shares) < _SEVERAL:
        return
    name, most = max(shares.items(), key=lambda item: max(item[1]))
    if max(most) > _MOST_OF_AIR:
        told = Spans(compared).say(most, percent)
        yield Finding("airtime", f"Data to and from {name} took {told} of the time on the air.")


def _collisions(compared: Sequence[Cell], plan_of: PlanOf) -> Iterator[Finding]:
    shares = [_mean(cell, _HIDDEN) for cell in compared]
    if max(shares, default=0.0) <= _MANY:
        return
    worst = compared[shares.index(max(shares))]
    spans = Spans(compared)
    told = spans.say(shares, percent)
    text = f"Of the frames, {told} collided with one of a station that their sender does not hear."
    yield Finding("collisions", text + _who(plan_of(worst)))


def _who(plan: Plan | None) -> str:
    if plan is None:
        return ""
    pairs = [f"{one} and {other}" for one, other in hidden_pairs(plan)]
    if not pairs:
        return ""
    more = f", and {len(pairs) - _MOST_PAIRS} more pairs" if len(pairs) > _MOST_PAIRS else ""
    remedy = " RTS (rts_threshold = 0) makes each ask first." if _is_without_rts(plan) else ""
    return (
        f" Hidden from each other are {'; '.join(pairs[:_MOST_PAIRS])}{more}: neither waits while "
        f"the other sends.{remedy}"
    )


def _is_without_rts(plan: Plan) -> bool:
    radios = (radio for node in plan["nodes"] for radio in radios_of(node))
    return any(r["access_point"] and r["mac"]["rts_threshold"] >= _NO_RTS for r in radios)


def _roams(compared: Sequence[Cell], left_of: LeftOf) -> Iterator[Finding]:
    end = ".roam_resume_s"
    names = dict.fromkeys(name for cell in compared for name in cell.metrics if name.endswith(end))
    for station in (name.removesuffix(end) for name in names):
        parts = {
            part: [_mean(cell, f"{station}.roam_{part}_s") for cell in compared] for part in _PARTS
        }
        whole = [sum(each) for each in zip(*parts.values(), strict=True)]
        if not any(whole):
            continue
        at = whole.index(max(whole))
        longest = max(_PARTS, key=lambda part: parts[part][at])
        name, took = station.partition(".")[2], Spans(compared).say(whole, seconds)
        yield Finding(
            "roams",
            f"When {name} changed its access point, its packets came through again {took} after it "
            f"had last heard the old one. Most of the longest time, {seconds(parts[longest][at])}, "
            f"passed {_PARTS[longest]}.{_when(left_of(compared[at]))}",
        )


def _when(left_s: Sequence[float]) -> str:
    return f" In its first run that was at {left_s[0]:.1f} s." if left_s else ""


def _mean(cell: Cell, name: str) -> float:
    found = cell.metrics.get(name)
    return found.mean if found is not None and found.n else 0.0
