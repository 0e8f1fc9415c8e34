"""The compiled plan for people: every value, where it comes from, and its source."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from anechoic.scenario.cells import channel_of, standard_of
from anechoic.scenario.compile import compile_scenario
from anechoic.scenario.core import core
from anechoic.scenario.costs import DeviceCost, HostCost
from anechoic.scenario.declared import declaration_of
from anechoic.scenario.emissions import Emission, emissions
from anechoic.scenario.errors import shown
from anechoic.scenario.field_notes import source_of, unit_of
from anechoic.scenario.links import Air, Segment, Wire
from anechoic.scenario.mac import (
    by_standard,
    parameters,
    queue_of,
    rate_control,
    resolved_radio,
)
from anechoic.scenario.model import Scenario
from anechoic.scenario.nodes import Host, Switch
from anechoic.scenario.noise import Noise
from anechoic.scenario.profiles import PROFILES
from anechoic.scenario.radio import AccessPoint, Radio, Router, Station
from anechoic.scenario.stack_rules import why
from anechoic.scenario.stacks import Layer, sources, stack_fields
from anechoic.scenario.standards import STANDARDS
from anechoic.scenario.traffic import Connection, ConnectionEnd

Machine = Host | Router | Switch | AccessPoint | Station
TABLES = (
    *("host", "port", "router", "switch", "ap", "sta", "group"),
    *("noise", "wire", "segment", "traffic", "tap"),
)
BY_STANDARD = ("standard", "rate", "basic_rates", "cw_min", "cw_max")


@dataclass(frozen=True, slots=True)
class Line:
    """One value of the plan."""

    path: str
    value: str
    origin: str
    source: str
    is_given: bool = False
    usual: str | None = None
    """What it would be if it had not been given; None where nothing would be."""

    def columns(self) -> tuple[str, str, str, str]:
        """Give the line's four columns."""
        return self.path, self.value, self.origin, self.source


HEAD = Line("field", "value", "from", "source of the value")


def explained(scenario: Scenario) -> list[Line]:
    """Give every value of a scenario as it is run; raise ScenarioError if it cannot be."""
    plan = compile_scenario(scenario)
    radiated = emissions(plan)
    lines = [*_part("run", scenario.run, scenario)]
    for table in TABLES:
        for name, part in getattr(scenario, table).items():
            path = f"{table}.{name}"
            nodes = [node for node in plan["nodes"] if _is_made_by(node, table, name, part)]
            addresses = _range([node["interfaces"][0]["address"] for node in nodes])
            lines += _part(path, part, scenario, addresses)
            if isinstance(part, Noise):
                lines += _emission(path, next(each for each in radiated if each.name == name))
            if isinstance(part, Radio):
                lines += _queue(path, part, scenario)
                lines += _movement(path, part, scenario)
            if isinstance(part, Machine):
                lines += _cost(f"{path}.cost", part, scenario)
            if isinstance(part, Host | Station) and nodes[0]["stack"]:
                layers = [Layer(path, part.stack, part.tcp)]
                lines += _stack(path, layers, nodes[0]["stack"], scenario)
            if isinstance(part, Router) and part.agent is not None:
                lines += _part(f"{path}.agent", part.agent, scenario)
            if isinstance(part, Station) and part.association is not None:
                lines += _part(f"{path}.association", part.association, scenario)
            if isinstance(part, AccessPoint):
                for station, towards in part.to.items():
                    lines += _part(f"{path}.to.{station}", towards, scenario)
            if isinstance(part, AccessPoint) and "associations" in plan:
                lines += _part(f"{path}.association", part.association, scenario)
            if isinstance(part, Station) and part.mobile_ip is not None:
                lines += _part(f"{path}.mobile_ip", part.mobile_ip, scenario)
            if isinstance(part, Router):
                radios = zip(part.radio.items(), nodes[0]["interfaces"], strict=False)
                for (own, radio), interface in radios:
                    address = interface["address"]
                    lines += _part(f"{path}.radio.{own}", radio, scenario, address)
                    lines += _queue(f"{path}.radio.{own}", radio, scenario)
            if isinstance(part, Wire | Segment):
                lines += _part(f"{path}.queue", part.queue, scenario)
            if isinstance(part, Wire):
                for end, queue in part.queue_at.items():
                    lines += _part(f"{path}.queue_at.{end}", queue, scenario)
                for own, stage in part.impair.items():
                    lines += _part(f"{path}.impair.{own}", stage, scenario)
            if isinstance(part, Connection):
                lines += _ends(path, part, plan, scenario)
    if scenario.air is not None:
        lines += _air(scenario)
    lines += _part("replication", scenario.replication, scenario)
    lines += _flows(plan)
    return lines


def _swept(scenario: Scenario) -> dict[str, list[Any]]:
    return {path: values for axis in scenario.sweep for path, values in axis.columns.items()}


def as_text(lines: Sequence[Line]) -> str:
    """Align the lines for a file or a pipe."""
    rows = [line.columns() for line in (HEAD, *lines)]
    widths = [max(len(row[at]) for row in rows) for at in range(3)]
    return "\n".join(
        "  ".join(
            [*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]
        ).rstrip()
        for row in rows
    )


def _part(path: str, part: BaseModel, scenario: Scenario, address: str = "") -> Iterator[Line]:
    swept = _swept(scenario)
    for name, info in type(part).model_fields.items():
        value = getattr(part, name)
        where = f"{path}.{info.alias or name}"
        if where in swept:
            yield _swept_line(where, swept[where])
            continue
        if isinstance(part, Radio) and name == "rate_control":
            yield from _rate_control(where, part, scenario)
            continue
        if isinstance(value, dict | BaseModel):
            continue
        by_amendment = isinstance(part, Radio) and name in by_standard(
            part, standard_of(part, scenario)
        )
        if isinstance(part, Radio) and name in PROFILES[part.profile] and not by_amendment:
            yield _radio_line(where, part, name, scenario)
        elif isinstance(part, Radio) and (name in BY_STANDARD or by_amendment) and value is None:
            yield _by_standard(where, name, part, scenario)
        elif isinstance(part, AccessPoint) and name == "channel" and value is None:
            usual = str(channel_of(part, scenario))
            yield Line(where, usual, "default", "air.channel")
        elif isinstance(part, Air) and name == "channel" and value is None:
            usual = str(STANDARDS[part.standard].channel)
            yield Line(where, usual, "default", source_of(info) or "")
        elif name == "address" and value is None:
            yield Line(where, address, "default", "the next that is free")
        elif name in part.model_fields_set:
            default = None if info.is_required() else _written(info.get_default(), info)
            yield _given(where, _written(value, info), scenario, default)
        elif value is not None or source_of(info):
            yield Line(where, _written(value, info), "default", source_of(info) or "")


def _swept_line(path: str, values: list[Any]) -> Line:
    return Line(path, f"swept: {_plain(values)}", "sweep", "", is_given=True)


def _given(path: str, value: str, scenario: Scenario, usual: str | None = None) -> Line:
    return Line(path, value, scenario.origin.written_by(path), "", is_given=True, usual=usual)


def _radio_line(path: str, radio: Radio, name: str, scenario: Scenario) -> Line:
    setting = resolved_radio(radio)[name]
    info, usual = type(radio).model_fields[name], PROFILES[radio.profile][name]
    value = _written(setting.value, info)
    if getattr(radio, name) is not None:
        return _given(path, value, scenario, _written(usual.value, info))
    return Line(path, value, f"profile {radio.profile}", usual.source)


def _cost(path: str, part: Machine, scenario: Scenario) -> Iterator[Line]:
    """Give what takes a machine time, if anything does, be it in some cells only."""
    usual = HostCost() if isinstance(part, Host | Station) else DeviceCost()
    if part.cost is not None or any(each.startswith(f"{path}.") for each in _swept(scenario)):
        yield from _part(path, part.cost or usual, scenario)


def _emission(path: str, emission: Emission) -> Iterator[Line]:
    """Give what follows of what a noise radiates."""
    burst = "none" if emission.burst_us is None else f"{emission.burst_us:g} µs"
    yield Line(f"{path} radiates for", burst, "compiled", "")
    yield Line(f"{path} duty cycle", f"{100 * emission.duty_cycle:.3g} %", "compiled", "")
    mask = emission.mask or "none: as strong in every channel"
    yield Line(f"{path} mask", mask, "compiled", "")
    if emission.reaches_nobody:
        nobody = "nobody: it lies in no channel that a radio listens to"
        yield Line(f"{path} reaches", nobody, "compiled", "")
        return
    for radio, taken_in in emission.taken_in.items():
        taken_off = taken_in.taken_off_db
        kept = "all: outside its channel" if taken_off is None else f"{taken_off:.1f} dB"
        yield Line(f"{path} mask takes off at {radio}", kept, "compiled", "")
        if taken_in.duty_cycle != emission.duty_cycle:
            part = f"{100 * taken_in.duty_cycle:.3g} %"
            yield Line(f"{path} duty cycle in the channel of {radio}", part, "compiled", "")


def _queue(path: str, radio: Radio, scenario: Scenario) -> Iterator[Line]:
    queue = queue_of(radio)
    if queue is not None:
        yield from _part(f"{path}.queue", queue, scenario)


def _movement(path: str, radio: Radio, scenario: Scenario) -> Iterator[Line]:
    if radio.movement is not None:
        yield from _part(f"{path}.movement", radio.movement, scenario)


def _by_standard(path: str, name: str, radio: Radio, scenario: Scenario) -> Line:
    standard, info = standard_of(radio, scenario), type(radio).model_fields[name]
    if name == "standard":
        return Line(path, standard.name, "default", source_of(info) or "")
    setting = by_standard(radio, standard)[name]
    value = _written(setting.value, info)
    return Line(path, value, f"standard {standard.name}", setting.source)


def _rate_control(path: str, radio: Radio, scenario: Scenario) -> Iterator[Line]:
    own, used = radio.rate_control, rate_control(radio)
    written = set() if own is None else own.model_fields_set
    usual = parameters(radio.profile, declaration_of(used)["name"])
    for line in _part(path, used, scenario):
        name = line.path.rpartition(".")[2]
        place = path if name == "kind" else line.path
        if line.origin == "sweep":
            yield line
        elif name in written:
            yield replace(_given(place, line.value, scenario), path=place)
        elif name in usual:
            yield Line(place, line.value, f"profile {radio.profile}", usual[name].source)
        else:
            yield replace(line, path=place)


def _ends(path: str, part: Connection, plan: dict[str, Any], scenario: Scenario) -> Iterator[Line]:
    """Give the TCP of a connection's ends, as far as it is not their nodes'."""
    flow = next(flow for flow in plan["flows"] if flow["name"] == f"{path.partition('.')[2]}-1")
    for name, node, stack in zip(
        ("sender", "receiver"), (flow["from"], flow["to"]), flow["stacks"], strict=True
    ):
        end = getattr(part, name) or ConnectionEnd()
        where = f"{path}.{name}"
        yield from _part(where, end, scenario)
        if stack is None:
            continue
        layers = [Layer(path, part.stack, part.tcp), Layer(where, end.stack, end.tcp)]
        if not any(layer.profile for layer in layers):
            common = plan["nodes"][node]["stack"]
            stack = {field: value for field, value in stack.items() if value != common[field]}
        yield from _stack(where, layers, stack, scenario)


def _stack(
    path: str, layers: list[Layer], stack: dict[str, Any], scenario: Scenario
) -> Iterator[Line]:
    swept = _swept(scenario)
    profile = next((layer.profile for layer in reversed(layers) if layer.profile), None)
    fields, why_given = stack_fields(), sources(profile) if profile else {}
    given = json.loads(core().stack_profile(profile)) if profile else {}
    for name, value in stack.items():
        paths = [f"{layer.path}.tcp.{name}" for layer in reversed(layers)]
        if found := next((each for each in paths if each in swept), None):
            yield _swept_line(found, swept[found])
            continue
        text = f"{_plain(value)} {fields[name].unit}".rstrip()
        writer = next((layer for layer in reversed(layers) if name in layer.overrides), None)
        if writer is not None:
            where = f"{writer.path}.tcp.{name}"
            usual = f"{_plain(given[name])} {fields[name].unit}".rstrip() if given else None
            yield replace(_given(where, text, scenario, usual), path=f"{path}.tcp.{name}")
        elif given and given[name] == value:
            yield Line(f"{path}.tcp.{name}", text, f"stack {profile}", why_given[name])
        else:
            yield Line(f"{path}.tcp.{name}", text, "follows", why(name))


def _air(scenario: Scenario) -> Iterator[Line]:
    assert scenario.air is not None
    yield from _part("air", scenario.air, scenario)
    if scenario.air.propagation is not None:
        yield from _part("air.propagation", scenario.air.propagation, scenario)
    for name, link in scenario.air.link.items():
        yield from _part(f"air.link.{name}", link, scenario)
    for name, lost in scenario.air.lose.items():
        yield from _part(f"air.lose.{name}", lost, scenario)


def _flows(plan: dict[str, Any]) -> Iterator[Line]:
    for flow in plan["flows"]:
        ends = (plan["nodes"][flow[end]]["name"] for end in ("from", "to"))
        yield Line(f"flow {flow['name']}", " → ".join(ends), "compiled", "")


def _is_made_by(node: dict[str, Any], table: str, name: str, part: BaseModel) -> bool:
    if node["role"] != table:
        return False
    if isinstance(part, Station) and part.count is not None:
        return bool(node["name"].rpartition("-")[0] == name)
    return bool(node["name"] == name)


def _range(values: list[str]) -> str:
    return values[0] if len(values) == 1 else f"{values[0]} … {values[-1]}" if values else ""


def _written(value: Any, info: FieldInfo) -> str:
    text, unit = _plain(value), unit_of(info)
    if unit is None or not isinstance(value, int | float):
        return text
    return f"{text} {unit.removesuffix('s') if value == 1 else unit}"


def _plain(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(f"[{_plain(e)}]" if isinstance(e, list) else _plain(e) for e in value)
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_plain(each)}' for key, each in value.items())} }}"
    return value if isinstance(value, str) else shown(value)
