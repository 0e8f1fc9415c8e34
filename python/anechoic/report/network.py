"""The network as a drawing: nodes, wires and radio links with their budgets."""

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from anechoic.campaign.results import Results
from anechoic.campaign.store import Store
from anechoic.report.html import figure
from anechoic.report.tables import table
from anechoic.scenario.core import core
from anechoic.scenario.hidden import hidden_pairs, radios_of
from anechoic.scenario.model import Scenario
from anechoic.scenario.radio_links import USABLE, error_rates, said_rates

Plan = Mapping[str, Any]

_MOST_BOXES = 40
"""More boxes are no drawing any more; the table has all links."""
_BOX = (132, 40)
_STEP = (262, 92)
_FAR = 0.58
"""Where on a slanting link its words stand: those of one box are further apart at their ends."""
_MARGIN = 28
"""Room around the boxes, for what is said of the uppermost link too."""
_KINDS = {"ap": "access point", "sta": "station", "segment": "shared cable"}
"""What people call the roles that plans abbreviate."""


@dataclass(frozen=True)
class Link:
    """What joins two boxes: a wire, or a station's radio link, by what is said of it."""

    ends: tuple[str, str]
    texts: tuple[str, ...]
    is_radio: bool


@dataclass
class Box:
    """A node, or several that a scenario counts under one name."""

    name: str
    kind: str
    count: int = 0
    links: list[Link] = field(default_factory=list)


@dataclass(frozen=True)
class Budget:
    """What arrives of a sender at a receiver."""

    sender: str
    receiver: str
    power_dbm: float
    loss_db: float
    noise_dbm: float | None
    is_to_station: bool
    error_rates: Mapping[float, float]
    """By rate in Mbit/s, the part of long frames that is lost; none where the noise is unknown."""

    @property
    def level_dbm(self) -> float:
        """Give the level at the receiver."""
        return self.power_dbm - self.loss_db

    @property
    def snr_db(self) -> float | None:
        """Give the level over the receiver's noise; none where that is not known."""
        return None if self.noise_dbm is None else self.level_dbm - self.noise_dbm

    @property
    def usable(self) -> str:
        """Name the rates at which little is lost; nothing where that is not known."""
        rates = [rate for rate, lost in self.error_rates.items() if lost <= USABLE]
        return said_rates(rates) if self.error_rates else ""

    @property
    def lost(self) -> str:
        """Give the part of frames that is lost at the highest rate; nothing where not known."""
        return f"{self.error_rates[max(self.error_rates)]:.1%}" if self.error_rates else ""


def network(results: Results) -> str:
    """Give the drawing of the first cell's network and its link budgets."""
    if results.out is None:
        return ""
    text = Store.open(results.out).plan(0)
    plan: Plan = json.loads(text)
    budgets = list(_budgets(plan, _noise_dbm(text)))
    boxes = _boxes(plan, results.scenario, budgets)
    where = f" The cell drawn is {results.cells[0].name}." if len(results.cells) > 1 else ""
    hidden = hidden_pairs(plan)
    said = (
        "Solid lines are wires, with rate and delay; dashed ones radio links, with the rates at "
        f"which at most {USABLE:.0%} of long frames are lost.{where}{_deaf(hidden)}"
    )
    arcs = _arcs(hidden, boxes)
    drawing = figure(f'<div class="scroll">{_drawing(boxes, arcs)}</div>', said) if boxes else ""
    return drawing + _table(plan, budgets)


def _noise_dbm(plan: str) -> float | None:
    try:
        return core().noise_dbm(plan)
    except ValueError:
        return None  # The plan is of another build.


def _budgets(plan: Plan, noise_dbm: float | None) -> Iterator[Budget]:
    """Give both directions of the link between each station and its access point."""
    nodes, air = plan["nodes"], plan["air"]
    for place, node in enumerate(nodes):
        for radio in radios_of(node):
            if radio["access_point"] is None:
                continue
            other = radio["access_point"]["node"]
            for sender, receiver in ((other, place), (place, other)):
                power = radio if sender == place else radios_of(nodes[other])[0]
                loss = air["loss_db"][sender][receiver]
                names = nodes[sender]["name"], nodes[receiver]["name"]
                power_dbm = power["tx_power_dbm"]
                rates = {}
                if noise_dbm is not None and power_dbm - loss >= air["preamble_detection_dbm"]:
                    snr_db = power_dbm - loss - noise_dbm
                    rates = error_rates(_mac_towards(power, receiver), snr_db, air["error_model"])
                yield Budget(*names, power_dbm, loss, noise_dbm, sender == other, rates)


def _mac_towards(radio: Mapping[str, Any], node: int) -> dict[str, Any]:
    """Give the MAC of a radio as it sends to a node: stations may have fewer rates than itself."""
    own = (each["mac"] for each in radio.get("receivers", ()) if each["at"]["node"] == node)
    return {**radio["mac"], **next(own, {})}


def _deaf(hidden: Sequence[tuple[str, str]]) -> str:
    pairs = [f"{one} and {other}" for one, other in hidden]
    return f" Hidden from each other, as dotted arcs: {_named(pairs, '; ')}." if pairs else ""


def _arcs(hidden: Sequence[tuple[str, str]], boxes: Mapping[str, Box]) -> list[tuple[str, str]]:
    """Give the pairs of boxes that hold stations hidden from each other."""
    names = sorted(boxes, key=len, reverse=True)

    def box_of(station: str) -> str:
        return next(name for name in names if re.fullmatch(rf"{re.escape(name)}(-\d+)?", station))

    pairs = ((box_of(one), box_of(other)) for one, other in hidden if boxes)
    return list(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))


def _boxes(plan: Plan, scenario: Scenario, budgets: Sequence[Budget]) -> dict[str, Box]:
    counted = [name for name, station in scenario.sta.items() if station.count]
    boxes: dict[str, Box] = {}
    box_of = {}
    for node in plan["nodes"]:
        name = next((n for n in counted if re.fullmatch(rf"{re.escape(n)}-\d+", node["name"])), "")
        box_of[node["name"]] = name or node["name"]
        box = boxes.setdefault(name or node["name"], Box(name or node["name"], node["role"]))
        box.count += bool(name)
    boxes |= {each["name"]: Box(each["name"], "segment") for each in plan.get("segments", [])}
    if len(boxes) > _MOST_BOXES:
        return {}
    sense = plan["air"]["preamble_detection_dbm"] if plan["air"] else 0.0
    wired = (*_wires(plan, box_of), *_segments(plan, box_of))
    for link in (*wired, *_radio_links(budgets, box_of, sense)):
        for end in link.ends:
            boxes[end].links.append(link)
    return boxes


def _wires(plan: Plan, box_of: Mapping[str, str]) -> Iterator[Link]:
    for wire in plan["wires"]:
        first, second = (box_of[plan["nodes"][end["node"]]["name"]] for end in wire["ends"])
        texts = [wire["name"], f"{_rate(wire['rate_bps'])}, {_delay(wire['delay_ns'])}"]
        stages = [stage["name"] for chain in wire["impair"] for stage in chain]
        texts += [", ".join(dict.fromkeys(stages))] if stages else []
        yield Link((first, second), tuple(texts), is_radio=False)


def _segments(plan: Plan, box_of: Mapping[str, str]) -> Iterator[Link]:
    for segment in plan.get("segments", []):
        text = f"{_rate(segment['rate_bps'])}, {_delay(segment['delay_ns'])}"
        for member in segment["members"]:
            end = box_of[plan["nodes"][member["node"]]["name"]]
            yield Link((end, segment["name"]), (text,), is_radio=False)


def _radio_links(
    budgets: Sequence[Budget], box_of: Mapping[str, str], sense_dbm: float
) -> Iterator[Link]:
    """Give a link for each pair of boxes, with the span of what arrives at either end."""
    found: dict[tuple[str, str], list[Budget]] = {}
    for each in budgets[::2]:
        found.setdefault((box_of[each.sender], box_of[each.receiver]), []).append(each)
    for ends, links in found.items():
        texts = [f"{_span([each.loss_db for each in links])} dB"]
        ratios = [each.snr_db for each in links if each.snr_db is not None]
        texts += [f"SNR {_span(ratios)} dB"] if ratios else []
        weakest = min(links, key=lambda each: each.level_dbm)
        texts += [f"{weakest.usable} Mbit/s"] if weakest.usable else []
        texts += ["out of range"] if min(each.level_dbm for each in links) < sense_dbm else []
        yield Link(ends, tuple(texts), is_radio=True)


def _span(values: Sequence[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}"


def _rate(bits_per_s: float) -> str:
    for unit, size in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if bits_per_s >= size:
            return f"{bits_per_s / size:g} {unit}"
    return f"{bits_per_s:g} bit/s"


def _delay(nanoseconds: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:g} {unit}"
    return f"{nanoseconds:g} ns" if nanoseconds else "no delay"


def _drawing(boxes: Mapping[str, Box], arcs: Sequence[tuple[str, str]]) -> str:
    places = _places(boxes)
    bulge = max((_bulge(arc, places) for arc in arcs), default=0)
    width = max(x for x, _ in places.values()) + _BOX[0] + _MARGIN + bulge
    height = max(y for _, y in places.values()) + _BOX[1] + _MARGIN
    links = dict.fromkeys(link for box in boxes.values() for link in box.links)
    parts = [_line(link, places) for link in links]
    parts += [_node(box, places[name]) for name, box in boxes.items()]
    parts += [_arc(arc, places) for arc in arcs]
    parts += [_words(link, places) for link in links]
    names = ", ".join(boxes)
    return (
        f'<svg class="network" role="img" aria-label="The network: {escape(names)}" '
        f'viewBox="0 0 {width} {height}" width="{width}" height="{height}">{"".join(parts)}</svg>'
    )


def _places(boxes: Mapping[str, Box]) -> dict[str, tuple[float, float]]:
    """Give each box the place of its upper left corner: a column for each distance."""
    distance: dict[str, int] = {}
    for start in boxes:
        # What is joined to nothing so far begins a part of its own.
        waiting = deque([(start, 0)] if start not in distance else [])
        while waiting:
            name, far = waiting.popleft()
            if name in distance:
                continue
            distance[name] = far
            ends = (end for link in boxes[name].links for end in link.ends)
            waiting += [(end, far + 1) for end in ends]
    columns: dict[int, list[str]] = {}
    for name, far in distance.items():
        columns.setdefault(far, []).append(name)
    tallest = max(map(len, columns.values()))
    return {
        name: (_MARGIN + far * _STEP[0], _MARGIN + (row + (tallest - len(names)) / 2) * _STEP[1])
        for far, names in columns.items()
        for row, name in enumerate(names)
    }


def _line(link: Link, places: Mapping[str, tuple[float, float]]) -> str:
    (x1, y1), (x2, y2) = (_middle(places[end]) for end in link.ends)
    kind = "radio" if link.is_radio else "wire"
    return f'<line class="{kind}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"/>'


def _bulge(arc: tuple[str, str], places: Mapping[str, tuple[float, float]]) -> float:
    """Say how far an arc goes out: the further, the more boxes it passes."""
    (_, y1), (_, y2) = (places[end] for end in arc)
    return 12 + 18 * abs(y1 - y2) / _STEP[1]


def _arc(arc: tuple[str, str], places: Mapping[str, tuple[float, float]]) -> str:
    """Join the right sides of two boxes, around those between."""
    (x1, y1), (x2, y2) = ((x + _BOX[0], y + _BOX[1] / 2) for x, y in (places[end] for end in arc))
    out = max(x1, x2) + 4 / 3 * _bulge(arc, places)
    curve = f"M{x1:g} {y1:g}C{out:g} {y1:g} {out:g} {y2:g} {x2:g} {y2:g}"
    return f'<path class="hidden" d="{curve}"><title>{escape(" and ".join(arc))}</title></path>'


def _node(box: Box, place: tuple[float, float]) -> str:
    (x, y), (width, height) = place, _BOX
    title = f"{box.name} × {box.count}" if box.count else box.name
    middle = x + width / 2
    return (
        f'<rect class="{box.kind}" x="{x:g}" y="{y:g}" width="{width}" height="{height}" rx="6"/>'
        f'<text class="name" x="{middle:g}" y="{y + 17:g}">{escape(title)}</text>'
        f'<text class="kind" x="{middle:g}" y="{y + 32:g}">{_KINDS.get(box.kind, box.kind)}</text>'
    )


def _words(link: Link, places: Mapping[str, tuple[float, float]]) -> str:
    """Write what is said of a link where the boxes leave room, away from where links meet."""
    (x1, y1), (x2, y2) = (_middle(places[end]) for end in link.ends)
    far = 0.5 if y1 == y2 else _FAR
    x, y = x1 + far * (x2 - x1), y1 + far * (y2 - y1) - 13 * (len(link.texts) - 1)
    lines = (
        f'<tspan x="{x:g}" y="{y + 14 * row - 5:g}">{escape(text)}</tspan>'
        for row, text in enumerate(link.texts)
    )
    return f'<text class="link">{"".join(lines)}</text>'


def _middle(place: tuple[float, float]) -> tuple[float, float]:
    return place[0] + _BOX[0] / 2, place[1] + _BOX[1] / 2


def _table(plan: Plan, budgets: Sequence[Budget]) -> str:
    if not budgets:
        return ""
    sense = plan["air"]["preamble_detection_dbm"]
    alike: dict[tuple[Any, ...], list[Budget]] = {}
    for each in budgets:
        point = each.sender if each.is_to_station else each.receiver
        shown = each.power_dbm, each.loss_db, each.usable, each.lost
        key = (point, each.is_to_station, *shown)
        alike.setdefault(key, []).append(each)
    rows = []
    for links in alike.values():
        first = links[0]
        ratio = "" if first.snr_db is None else f"{first.snr_db:.1f}"
        cells = [f"{first.power_dbm:g}", f"{first.loss_db:g}", f"{first.level_dbm:g}", ratio]
        cells += [f"{first.level_dbm - sense:+.3g}", first.usable, first.lost]
        names = _named([each.sender for each in links]), _named([each.receiver for each in links])
        text = "".join(f'<td class="text word">{escape(name)}</td>' for name in names)
        rows.append(f"<tr>{text}{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    head = '<th class="text">From</th><th class="text">To</th>' + "".join(
        f"<th>{name} <small>{unit}</small></th>"
        for name, unit in (
            ("Sent at", "dBm"),
            ("Path loss", "dB"),
            ("Arrives at", "dBm"),
            ("SNR", "dB"),
            ("Over carrier sense", "dB"),
            ("Usable", "Mbit/s"),
            ("Lost at the highest rate", ""),
        )
    )
    count = len(alike)
    summary = "Link budgets" if count > 1 else "Link budget"
    return f"<details><summary>{summary}</summary>{table(head, rows)}</details>"


def _named(names: Sequence[str], between: str = ", ") -> str:
    different = list(dict.fromkeys(names))
    few = between.join(different[:3])
    return few if len(different) <= 3 else f"{few} and {len(different) - 3} more"
