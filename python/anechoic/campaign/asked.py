"""The quantities that a scenario asks for: what its users feel, then what its machines get."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, count
from math import fsum, isnan, nan
from statistics import fmean
from typing import Literal

from anechoic.campaign.cells import Cell
from anechoic.campaign.replication import Summary, summarise
from anechoic.campaign.spans import milliseconds, number, seconds
from anechoic.scenario.catalogue import metric
from anechoic.scenario.model import Scenario
from anechoic.scenario.traffic import Flow

_USUAL = "goodput_mbps"
"""The metric of the stopping rule where a scenario names none."""
_OF_DISTRIBUTIONS = ("_p50", "_p99")
_MOST_SENDERS = 3
"""Traffics whose goodput is told one by one; that of more is told together."""
_MANY_COLLIDE = 0.05
"""Collisions of such a share of the frames with hidden ones are told without being asked for."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity of each cell, as a table and a sentence tell it."""

    label: str
    unit: str
    """That of its values; what is told in percent is a share among the metrics."""
    said: str
    """A subject and a verb before a value; empty for what the table alone tells."""
    of_names: Callable[[Cell], Sequence[str]]
    """Names the metrics of a cell that make it."""
    written: Callable[[float], str]
    of: str
    """Names the traffic or the metric that it is of."""
    measured: str
    """Names its metric, as it stands behind the flow or node that has it."""
    is_sum: bool = False
    """Says that several metrics add up; otherwise their mean is told."""
    better: Literal["less", "more", ""] = "less"
    """Says what its users want of it; empty where that is not known."""

    @property
    def head(self) -> str:
        """Label and unit, as the head of a column has them."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    def summary(self, cell: Cell) -> Summary:
        """Summarise it over the replications of a cell."""
        names = self.of_names(cell)
        found = [cell.metrics[name].values for name in names if name in cell.metrics]
        return summarise([self._together(run) for run in zip(*found, strict=True)])

    def mean(self, cell: Cell) -> float | None:
        """Return its mean over the replications; None where none gave it."""
        found = self.summary(cell)
        return found.mean if found.n else None

    def known(self, cell: Cell) -> float:
        """Return its mean in a cell of which replications gave it."""
        return self.summary(cell).mean

    def _together(self, values: Sequence[float]) -> float:
        given = [value for value in values if not isnan(value)]
        if not given:
            return nan
        value = fsum(given) if self.is_sum else fmean(given)
        return 100 * value if self.unit == "%" else value


def window_of(scenario: Scenario) -> str:
    """Return the window that the stopping rule or a figure asks for; empty for the whole time."""
    names = [scenario.replication.metric, *_of_figures(scenario)]
    windows = (name.partition("@")[2] for name in names)
    return next(filter(None, windows), "")


def asked(scenario: Scenario, cells: Sequence[Cell]) -> list[Quantity]:
    """Return the quantities that a scenario asks for, the most wanted one first."""
    window = window_of(scenario)
    end = f"@{window}" if window else ""
    felt = chain.from_iterable(
        _FELT[kind](name, flow, end) for name, flow, kind in _traffics(scenario) if kind in _FELT
    )
    hidden = _hidden(cells, end)
    collisions = _collisions(end) if hidden or _asks_for_collisions(scenario) else ()
    goodputs = _goodputs(scenario, end)
    machines = [*collisions, *goodputs] if hidden else [*goodputs, *collisions]
    found = [*felt, *_gaps(cells, end), *machines]
    if not scenario.run.distributions:
        found = [each for each in found if not each.measured.endswith(_OF_DISTRIBUTIONS)]
    return _first_wanted(scenario.replication.metric, found)


def _of_figures(scenario: Scenario) -> list[str]:
    return [name for figure in scenario.figure for name in figure.metrics]


def _traffics(scenario: Scenario) -> Iterator[tuple[str, Flow, str]]:
    for name, flow in scenario.traffic.items():
        is_transfer = flow.app == "bulk" and flow.bytes is not None
        yield name, flow, "transfer" if is_transfer else flow.app


def _first_wanted(rule: str, found: list[Quantity]) -> list[Quantity]:
    """Move what the stopping rule names to the front, unless it is the usual one."""
    whole = rule.partition("@")[0]
    if whole == _USUAL:
        return found
    of = whole.split(".")[1].rpartition("-")[0] if whole.startswith("flow.") else whole
    wanted = [each for each in found if each.of == of]
    if not wanted and whole.startswith("rtt_ms"):
        wanted = [each for each in found if "rtt_ms" in each.measured]
    if not wanted and "goodput" not in whole:
        wanted = [_named(rule)]
    return [*wanted, *(each for each in found if each not in wanted)]


def _named(name: str) -> Quantity:
    about = metric(name)
    unit = f" {about.unit}" if about.unit else ""
    subject = f"{about.label[:1].lower()}{about.label[1:]} was"

    def written(value: float) -> str:
        return number(value) + unit

    names = _only(name)
    return Quantity(about.label, about.unit, subject, names, written, name, name, better="")


def _only(name: str) -> Callable[[Cell], Sequence[str]]:
    return lambda _: [name]


def _of_flows(traffic: str, name: str, end: str) -> Callable[[Cell], Sequence[str]]:
    """Return what names a metric of each flow of a traffic."""

    def names(cell: Cell) -> list[str]:
        found: list[str] = []
        for place in count(1):
            flow = f"flow.{traffic}-{place}"
            if f"{flow}.goodput_mbps" not in cell.metrics:
                return found
            found.append(f"{flow}.{name}{end}")
        raise AssertionError

    return names


def _flow(
    traffic: str,
    name: str,
    end: str,
    about: tuple[str, str, str],
    written: Callable[[float], str],
) -> Quantity:
    label, unit, said = about
    names = _of_flows(traffic, name, end)
    better: Literal["less", "more"] = "more" if name.startswith("mos") else "less"
    return Quantity(label, unit, said, names, written, traffic, name, better=better)


def _with_way(name: str, flow: Flow) -> str:
    """Name a traffic, and its ends where neither has its name."""
    ends = (str(flow.from_), str(flow.to))
    return name if name in ends else f"{name} from {ends[0]} to {ends[1]}"


def _pings(name: str, flow: Flow, end: str) -> Iterator[Quantity]:
    half = f"{name} median", "ms", f"the median ping of {_with_way(name, flow)} took"
    yield _flow(name, "rtt_ms_p50", end, half, milliseconds)
    most = f"{name} p99", "ms", ""
    yield _flow(name, "rtt_ms_p99", end, most, milliseconds)


def _calls(name: str, flow: Flow, end: str) -> Iterator[Quantity]:
    ways = (("mos", flow.from_, flow.to), ("mos_back", flow.to, flow.from_))
    for own, from_, to in ways:
        way = f"from {from_} to {to}"
        about = f"{name} MOS to {to}", "", f"the mean opinion score of {name} {way} was"
        yield _flow(name, own, end, about, _score)


def _timed(what: str) -> Callable[[str, Flow, str], Iterator[Quantity]]:
    def records(name: str, _: Flow, end: str) -> Iterator[Quantity]:
        label = name if what in name else f"{name} {what}"
        said = f"a {what}" if name == what else f"a {what} of {name}"
        about = f"{label} mean", "ms", f"{said} took on average"
        yield _flow(name, "response_ms_mean", end, about, milliseconds)

    return records


def _transfers(name: str, _: Flow, end: str) -> Iterator[Quantity]:
    half = f"{name} median", "s", f"the median transfer of {name} took"
    yield _flow(name, "transfer_s_p50", end, half, seconds)
    most = f"{name} p99", "s", ""
    yield _flow(name, "transfer_s_p99", end, most, seconds)


def _shares(what: str, *metrics: str) -> Callable[[str, Flow, str], Iterator[Quantity]]:
    def shares(name: str, flow: Flow, end: str) -> Iterator[Quantity]:
        for own in metrics:
            to = flow.from_ if own in ("missed_frames_back", "late_updates") else flow.to
            about = f"{name} {what} at {to}", "%", f"the share of {what} of {name} at {to} was"
            yield _flow(name, own, end, about, _percent)

    return shares


def _films(name: str, _: Flow, end: str) -> Iterator[Quantity]:
    about = f"{name} stalled", "s", f"the picture of {name} stood for"
    yield _flow(name, "playback_stalled_s", end, about, seconds)


_FELT: Mapping[str, Callable[[str, Flow, str], Iterator[Quantity]]] = {
    "voip": _calls,
    "video-call": _shares("late or lost frames", "missed_frames", "missed_frames_back"),
    "game": _shares("late messages", "late_updates", "late_events"),
    "film": _films,
    "web": _timed("page"),
    "ftp": _timed("file"),
    "gentragen": _timed("transfer"),
    "transfer": _transfers,
    "ping": _pings,
}
"""The traffics whose users feel something else than goodput."""


def _gaps(cells: Sequence[Cell], end: str) -> Iterator[Quantity]:
    """Give the time without an access point of each station that had any."""
    found = f".outage_s{end}"
    outages = dict.fromkeys(
        name
        for cell in cells
        for name in cell.metrics
        if name.endswith(found) and cell.metrics[name].max > 0
    )
    for name in outages:
        node = name.split(".")[1]
        about = f"{node} gap", "s", f"{node} had no access point for"
        yield Quantity(*about, _only(name), seconds, name.partition("@")[0], "outage_s")
        resumed = f"node.{node}.roam_resume_s{end}"
        label = f"{node} first packet"
        yield Quantity(label, "s", "", _only(resumed), seconds, resumed, "roam_resume_s")


def _goodputs(scenario: Scenario, end: str) -> Iterator[Quantity]:
    flows = {name: flow for name, flow, kind in _traffics(scenario) if kind not in _FELT}
    if len(flows) > _MOST_SENDERS:
        about = "goodput of all", "Mbit/s", "the goodput of all together was"
        yield Quantity(*about, _only(f"{_USUAL}{end}"), _mbps, _USUAL, _USUAL, better="more")
        return
    for name, flow in flows.items():
        about = name, "Mbit/s", f"the goodput of {_with_way(name, flow)} was"
        names = _of_flows(name, _USUAL, end)
        yield Quantity(*about, names, _mbps, name, _USUAL, is_sum=True, better="more")


def _hidden(cells: Sequence[Cell], end: str) -> bool:
    """Say whether stations that do not sense each other collide often in any cell."""
    name = f"collision_probability_hidden{end}"
    shares = [cell.metrics[name] for cell in cells if name in cell.metrics]
    return any(share.n and share.mean > _MANY_COLLIDE for share in shares)


def _asks_for_collisions(scenario: Scenario) -> bool:
    names = [scenario.replication.metric, *_of_figures(scenario)]
    return any("collision" in name for name in names)


def _collisions(end: str) -> Iterator[Quantity]:
    name = "collision_probability"
    about = "collided", "%", "the share of frames that collided was"
    yield Quantity(*about, _only(f"{name}{end}"), _percent, name, name)


def _score(value: float) -> str:
    return f"{value:.1f}"


def _percent(value: float) -> str:
    return f"{number(value)} %"


def _mbps(value: float) -> str:
    return f"{number(value)} Mbit/s"
