"""The compiled plan for people: every value, where it comes from, and its source."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from anechoic.scenario.compile import compile_scenario
from anechoic.scenario.errors import shown
from anechoic.scenario.mac import resolved_radio
from anechoic.scenario.model import Scenario
from anechoic.scenario.nodes import Host
from anechoic.scenario.profiles import PROFILES
from anechoic.scenario.radio import Radio, Station
from anechoic.scenario.stacks import described
from anechoic.scenario.standards import STANDARDS

TABLES = ("host", "port", "ap", "sta", "wire", "traffic", "tap")


@dataclass(frozen=True, slots=True)
class Line:
    """One value of the plan."""

    path: str
    value: str
    origin: str
    source: str

    def columns(self) -> tuple[str, str, str, str]:
        """Give the line's four columns."""
        return self.path, self.value, self.origin, self.source


HEAD = Line("field", "value", "from", "source of the value")


def explained(scenario: Scenario) -> list[Line]:
    """Give every value of a scenario as it is run; raise ScenarioError if it cannot be."""
    plan = compile_scenario(scenario)
    nodes = {node["name"]: node for node in plan["nodes"]}
    lines = [*_part("run", scenario.run, scenario)]
    for table in TABLES:
        for name, part in getattr(scenario, table).items():
            path = f"{table}.{name}"
            lines += _part(path, part, scenario)
            node = nodes.get(name) or nodes.get(f"{name}-1")
            if isinstance(part, Host | Station) and node and node["stack"]:
                lines += _stack(path, part, node["stack"])
    if scenario.air is not None:
        lines += _air(scenario)
    lines += _part("replication", scenario.replication, scenario)
    lines += _summary(plan)
    return lines


def as_text(lines: list[Line]) -> str:
    """Align the lines for a file or a pipe."""
    rows = [line.columns() for line in (HEAD, *lines)]
    widths = [max(len(row[at]) for row in rows) for at in range(3)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]])
        .rstrip()
        for row in rows
    )


def print_table(lines: list[Line], title: str) -> None:
    """Draw the lines as a table on a terminal."""
    from rich.console import Console
    from rich.table import Table

    table = Table(*HEAD.columns(), title=title or None, box=None, pad_edge=False)
    for line in lines:
        style = "bold" if line.origin in ("file", "--set") else None
        table.add_row(*line.columns(), style=style)
    Console().print(table, markup=False)


def _part(path: str, part: BaseModel, scenario: Scenario) -> Iterator[Line]:
    for name, info in type(part).model_fields.items():
        key = info.alias or name
        value = getattr(part, name)
        where = f"{path}.{key}"
        if isinstance(value, dict):
            continue
        if isinstance(part, Radio) and name in PROFILES[part.profile]:
            yield _radio_line(where, part, name, scenario)
            continue
        extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
        if name in part.model_fields_set:
            yield Line(where, _written(value, extra), _origin(where, scenario), "")
        elif value is not None or "source" in extra:
            yield Line(where, _written(value, extra), "default", str(extra.get("source", "")))


def _radio_line(path: str, radio: Radio, name: str, scenario: Scenario) -> Line:
    info = type(radio).model_fields[name]
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    setting = resolved_radio(radio)[name]
    value = _written(setting.value, extra)
    if getattr(radio, name) is not None:
        return Line(path, value, _origin(path, scenario), "")
    return Line(path, value, f"profile {radio.profile}", PROFILES[radio.profile][name].source)


def _stack(path: str, part: Host | Station, stack: dict[str, Any]) -> Iterator[Line]:
    assert part.stack is not None
    fields = described(part.stack)
    for name, value in stack.items():
        field = fields.get(name)
        unit = f" {field.unit}" if field and field.unit else ""
        if name in part.tcp:
            yield Line(f"{path}.tcp.{name}", f"{_plain(value)}{unit}", "file", "")
        else:
            source = field.source if field else ""
            yield Line(
                f"{path}.tcp.{name}", f"{_plain(value)}{unit}", f"stack {part.stack}", source
            )


def _air(scenario: Scenario) -> Iterator[Line]:
    assert scenario.air is not None
    yield from _part("air", scenario.air, scenario)
    for name, link in scenario.air.link.items():
        yield from _part(f"air.link.{name}", link, scenario)
    standard = STANDARDS[scenario.air.standard]
    origin = f"standard {standard.name}"
    yield Line("air.cw_min", f"{standard.cw_min} slots", origin, standard.source)
    yield Line("air.cw_max", f"{standard.cw_max} slots", origin, standard.source)


def _summary(plan: dict[str, Any]) -> Iterator[Line]:
    for node in plan["nodes"]:
        yield Line(f"node {node['name']}", node["address"], "compiled", node["role"])
    for flow in plan["flows"]:
        ends = (plan["nodes"][flow[end]]["name"] for end in ("from", "to"))
        yield Line(f"flow {flow['name']}", " → ".join(ends), "compiled", flow["app"]["kind"])


def _origin(path: str, scenario: Scenario) -> str:
    return "--set" if path in scenario.overrides else "file"


def _written(value: Any, extra: dict[str, Any]) -> str:
    text = _plain(value)
    unit = extra.get("unit")
    return f"{text} {unit}" if unit and isinstance(value, int | float) else text


def _plain(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return value if isinstance(value, str) else shown(value)
