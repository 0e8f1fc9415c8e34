"""From a scenario, or words of a command line, to the point of the survey that is asked about."""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from anechoic.predicting.bench import NO_RTS, NOISE_DBM
from anechoic.predicting.factors import FACTORS, Choice, Point, Scale, Value, usual
from anechoic.scenario.errors import Problem, ScenarioError, listing, shown, unknown_name

SHAPE = "one host, one wire, one access point and its stations"
BULK = "bulk"
MAY_BE_NOTHING = ("delay", "loss")
"""What there may be nothing of, which is as the least that was surveyed."""


def point_of_words(words: Iterable[str]) -> dict[str, Value]:
    """Read ``NAME=VALUE`` of each factor that is said; the others are as usual."""
    point, problems = usual(), []
    for word in words:
        name, _, text = word.partition("=")
        if name not in FACTORS:
            problems.append(unknown_name("", name, list(FACTORS), "condition"))
            continue
        value = _value(name, text)
        if isinstance(value, Problem):
            problems.append(value)
        else:
            point[name] = value
    if problems:
        raise ScenarioError("predict", problems)
    return point


def _value(name: str, text: str) -> Value | Problem:
    kind = FACTORS[name].kind
    if isinstance(kind, Choice):
        if text in kind.values:
            return text
        return Problem(name, f"{shown(text)} is not one of the values", listing(kind.values))
    number, _, unit = text.partition(" ")
    try:
        value = float(number)
    except ValueError:
        value = float("nan")
    if name in MAY_BE_NOTHING and value == 0:
        return kind.low
    if unit in ("", kind.unit) and _is_possible(value, kind):
        return value
    allowed = f"a number, such as {kind.low:g}{' ' if kind.unit else ''}{kind.unit}"
    return Problem(name, f"{shown(text)} is refused", allowed)


def _is_possible(value: float, kind: Scale) -> bool:
    if kind.is_whole:
        return value >= 1 and value.is_integer()
    return isfinite(value) and (value > 0 or not kind.is_logarithmic)


def beyond(point: Point) -> list[str]:
    """Say which values lie outside of what was surveyed."""
    found = []
    for name, factor in FACTORS.items():
        kind = factor.kind
        if isinstance(kind, Choice):
            if point[name] not in kind.values:
                found.append(f"{factor.about} {point[name]}, not {listing(kind.values)}")
            continue
        part = kind.part(float(point[name]))
        if not -_SLACK <= part <= 1 + _SLACK:
            of = f"{kind.low:g} to {kind.high:g} {kind.unit}".rstrip()
            value = f"{float(point[name]):g} {kind.unit}".rstrip()
            found.append(f"{factor.about} {value}, not {of}")
    return found


_SLACK = 0.02


def point_of_plan(source: str, plan: Mapping[str, Any]) -> tuple[dict[str, Value], list[str]]:
    """Give the point that a scenario is nearest to, and what it has that the survey has not."""
    nodes = plan["nodes"]
    roles = [node["role"] for node in nodes]
    stations = [at for at, role in enumerate(roles) if role == "sta"]
    alone = (roles.count("host"), roles.count("ap"), len(plan["wires"]))
    if alone != (1, 1, 1) or not stations:
        raise ScenarioError(source, [Problem("", "its network is not surveyed", SHAPE)])
    host, ap = roles.index("host"), roles.index("ap")
    flows = [flow for flow in plan["flows"] if flow["app"]["kind"] == BULK]
    if not flows:
        kinds = listing(sorted({flow["app"]["kind"] for flow in plan["flows"]}))
        raise ScenarioError(source, [Problem("traffic", f"there is only {kinds}", BULK)])
    served = {flow["to"] if flow["from"] == host else flow["from"] for flow in flows}
    wire, air = plan["wires"][0], plan["air"]
    radio = nodes[ap]["interfaces"]
    mac = next(each["radio"]["mac"] for each in radio if each["radio"])
    queue = next(each["radio"]["queue"] for each in radio if each["radio"])
    # What the survey sets alike on all radios counts where data is sent from.
    is_down = flows[0]["from"] == host
    own = mac if is_down else nodes[flows[0]["from"]]["interfaces"][0]["radio"]["mac"]
    levels = [
        nodes[at]["interfaces"][0]["radio"]["tx_power_dbm"] - air["loss_db"][at][ap] - NOISE_DBM
        for at in sorted(served)
    ]
    point = usual() | {
        "standard": mac["standard"],
        "direction": "down" if is_down else "up",
        "stations": float(len(served)),
        "connections": len(flows) / len(served),
        "snr": min(levels),
        "delay": wire["delay_ns"] / 1e6,
        "loss": 100 * max((_drops(stage) for way in wire["impair"] for stage in way), default=0.0),
        "rate": wire["rate_bps"] / 1e6,
        "rate_control": own["rate_control"]["kind"],
        "rts": "off" if own["rts_threshold"] >= NO_RTS else "on",
        "fragments": float(own["fragmentation_threshold"]),
        "retries": float(own["short_retry_limit"]),
        "queue": "drop-tail" if queue is None else queue["kind"],
        "queue_packets": float((mac if queue is None else queue).get(_packets(queue)) or 0),
        "congestion_control": _stack(nodes, flows[0])["congestion_control"],
    }
    for name in MAY_BE_NOTHING:
        kind = FACTORS[name].kind
        if isinstance(kind, Scale):
            point[name] = max(float(point[name]), kind.low)
    return point, list(_unlike(plan, flows, host, levels))


def _radios(nodes: Sequence[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    return (each["radio"] for node in nodes for each in node["interfaces"] if each["radio"])


def _packets(queue: Mapping[str, Any] | None) -> str:
    return "queue_packets" if queue is None else "packets"


def _drops(stage: Mapping[str, Any]) -> float:
    return float(stage.get("probability") or 0.0) if stage["kind"] == "drop" else 0.0


def _stack(nodes: Sequence[Mapping[str, Any]], flow: Mapping[str, Any]) -> Mapping[str, Any]:
    stack: Mapping[str, Any] = flow["stacks"][0] or nodes[flow["from"]]["stack"]
    return stack


def _unlike(
    plan: Mapping[str, Any], flows: Sequence[Mapping[str, Any]], host: int, levels: Sequence[float]
) -> Iterable[str]:
    """Say what a scenario has that no scenario of the survey has."""
    air, nodes = plan["air"], plan["nodes"]
    others = sorted({flow["app"]["kind"] for flow in plan["flows"]} - {BULK})
    if others:
        yield f"traffic beside TCP transfers: {listing(others)}"
    if len({flow["from"] == host for flow in flows}) > 1:
        yield "transfers in both directions"
    families = {node["stack"]["family"] for node in nodes if node["stack"]}
    if families - {"linux"}:
        yield f"TCP of the family {listing(sorted(families - {'linux'}))}, not of Linux"
    if max(levels) - min(levels) > 1:
        yield "stations of different levels: the weakest stands for all"
    kinds = (("emitters", "noise"), ("fading", "links that fade"), ("lose", "lost frames"))
    for name, what in kinds:
        if air[name]:
            yield what
    if any(node_radio["mac"].get("edca") for node_radio in _radios(nodes)):
        yield "access categories"
    if air["motion"] is not None:
        yield "radios that move"
    stages = {stage["kind"] for way in plan["wires"][0]["impair"] for stage in way}
    if stages - {"drop"}:
        yield f"impairments of the wire beside drop: {listing(sorted(stages - {'drop'}))}"
