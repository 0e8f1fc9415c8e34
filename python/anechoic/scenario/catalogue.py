"""What the core says of the metrics and tables of records: names, labels, units, meanings."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from anechoic.scenario.core import core

OWNED = ("flow", "node", "wire", "segment")
"""Scopes of which there are many: their names stand before those of their metrics."""


_PERCENTILES = ("_p50", "_p95", "_p99", "_p999")
_MEDIAN = _PERCENTILES[0]


@dataclass(frozen=True)
class Metric:
    """A metric as people read it. ``traffic`` names the kinds whose flows have it."""

    name: str
    label: str
    unit: str
    description: str
    scope: str = ""
    traffic: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Give label and unit, as an axis carries them."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True)
class Column:
    """A column of a table that a replication leaves."""

    name: str
    unit: str
    description: str
    words: tuple[str, ...] = ()
    """What may stand in it, by their places; none where it holds numbers."""


def metric(name: str) -> Metric:
    """Look a metric up; one that the catalogue does not know is called by its name."""
    whole, _, window = name.partition("@")
    for pattern in metrics():
        if found := _pattern(pattern.name).fullmatch(whole):
            label = _filled(pattern.label, found.groupdict())
            label = f"{label}, {window}" if window else label
            return replace(pattern, name=name, label=label)
    return Metric(name, name, "", "")


def metric_of_each(name: str) -> Metric:
    """Look up a metric that each flow or node has, by the last part of its name."""
    whole, _, window = name.partition("@")
    for scope, owner in (("flow", "FLOW"), ("node", "NODE")):
        for pattern in metrics():
            if pattern.scope == scope and pattern.name == f"{scope}.{owner}.{whole}":
                label = pattern.label.removesuffix(f", {owner}")
                label = f"{label}, {window}" if window else label
                return replace(pattern, name=name, label=label)
    return Metric(name, name, "", "")


def quantity(name: str) -> Metric:
    """Look up what a distribution is of, by its full name; capitals stand for any."""
    for pattern in quantities():
        if found := _pattern(pattern.name).fullmatch(name):
            label = _filled(pattern.label, found.groupdict())
            return replace(pattern, name=name, label=label)
    return Metric(name, name, "", "")


def quantity_of_each(name: str) -> Metric:
    """Look up what a distribution is of that each flow or node has."""
    for scope, owner in (("flow", "FLOW"), ("node", "NODE")):
        found = quantity(f"{scope}.{owner}.{name}")
        if found.description:
            return replace(found, name=name, label=found.label.removesuffix(f", {owner}"))
    return Metric(name, name, "", "")


def percentiles_of(quantity: str) -> list[str]:
    """Name the percentiles of a quantity: ``flow.up.rtt_ms_p50`` and so on of its ``rtt_ms``."""
    whole, from_, end = quantity.partition("_from.")
    return [f"{whole}{percentile}{from_}{end}" for percentile in _PERCENTILES]


def quantities_in(names: Sequence[str]) -> list[str]:
    """Name the quantities whose percentiles are among these metrics."""
    return [name.replace(_MEDIAN, "", 1) for name in names if _MEDIAN in name and "@" not in name]


def together(name: str) -> Literal["sum", "mean", "largest"]:
    """Say what the values of several flows or nodes amount to, for such a metric."""
    if "_max" in name:
        return "largest"
    # What has no unit is a ratio, and percentiles add up to nothing.
    is_mean = any(part in name for part in ("_mean", "_rpm", *_PERCENTILES))
    return "mean" if is_mean or not metric_of_each(name).unit else "sum"


def scope_of(name: str) -> str:
    """Say what a metric is of: run, channel, flow, node or wire."""
    owner = name.partition(".")[0]
    return owner if owner in OWNED else metric(name).scope or "run"


@cache
def metrics() -> tuple[Metric, ...]:
    """Give every metric there is, with capitals in its name for what a scenario names."""
    return _entries("metrics")


@cache
def quantities() -> tuple[Metric, ...]:
    """Give all that distributions are kept of, as :func:`metrics` gives metrics."""
    return _entries("quantities")


@cache
def airtime_labels() -> Mapping[str, str]:
    """Name the uses of airtime, which add up to the measured time, in the ledger's order."""
    return {each["name"]: each["label"] for each in _catalogue()["airtime"]}


@cache
def table_columns(name: str) -> tuple[Column, ...]:
    """Give the columns of a table that a replication may leave."""
    table = next(each for each in _catalogue()["tables"] if each["name"] == name)
    return tuple(Column(each["name"], each["unit"], each["about"]) for each in table["columns"])


@cache
def radio_columns(name: str) -> tuple[Column, ...]:
    """Give the columns of a table of what radios of real machines are like."""
    return tuple(
        Column(each["name"], each["unit"], each["about"], _words(each["type"]))
        for each in json.loads(core().radio_tables())[name]
    )


def _words(kind: str | Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    return () if isinstance(kind, str) else tuple(kind["word"])


def metric_names(plan: Mapping[str, Any]) -> list[str]:
    """Name the metrics that runs of this plan can give; raise ValueError if it cannot be run."""
    # The core runs simulations and emulations; whose record it is, is no matter of its.
    known = {name: value for name, value in plan.items() if name != "backend"}
    return core().metric_names(json.dumps(known))


def _entries(table: str) -> tuple[Metric, ...]:
    return tuple(
        Metric(
            each["name"],
            each["label"],
            each["unit"],
            each["about"],
            each["scope"],
            tuple(each["traffic"]),
        )
        for each in _catalogue()[table]
    )


@cache
def _catalogue() -> Any:
    return json.loads(core().catalogue())


_PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b")


@cache
def _pattern(name: str) -> re.Pattern[str]:
    escaped = re.escape(name)
    return re.compile(_PLACEHOLDER.sub(lambda found: rf"(?P<{found[0]}>[^.]+)", escaped))


def _filled(label: str, names: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda found: names.get(found[0], found[0]), label)
