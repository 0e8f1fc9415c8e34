"""The reference pages say what the sources hold and the core gives."""

import importlib.util
import inspect
import json
import re
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

import pytest
from pydantic import BaseModel

import anechoic as an
from anechoic import _core
from anechoic.scenario.catalogue import (
    metric_names,
    metrics,
    percentiles_of,
    quantities,
    table_columns,
)
from anechoic.scenario.declared import Declaration, declarations
from anechoic.scenario.errors import shown
from anechoic.scenario.model import Scenario
from anechoic.scenario.reference import fields_shown
from anechoic.scenario.validation import models_in

DOCS = Path(__file__).parents[2] / "docs"

# Everything that gives a metric or a series: each kind of traffic, radios, a processor, a wire, a
# segment.
EVERYTHING = """
[run]
duration = "2 s"
series_step = "500 ms"
tcp_info_step = "500 ms"
datagrams = true
attempts = true

[host.server]
stack = "windows-2000"

[host.printer]

[ap.office]
cost.per_packet = "100 us"
queue = "codel"

[sta.laptop]
ap = "office"
stack = "windows-xp"
association = {}
ledger = true

[wire.lan]
between = ["server", "office"]
impair.loss = { kind = "drop", probability = 0.01 }
impair.flips = { kind = "bit-error", ber = 1e-6 }

[segment.hub]
members = ["server", "printer"]

[air]

[air.lose.first]
number = 1_000_000

[traffic.script]
app = "chariot-throughput"
from = "server"
to = "laptop"
file_size = "1 kB"
transactions_per_record = 1

[traffic.download]
app = "bulk"
from = "server"
to = "laptop"

[traffic.flood]
app = "udp"
from = "laptop"
to = "server"
rate = "100 kbit/s"

[traffic.questions]
app = "script"
from = "laptop"
to = "server"

[traffic.questions.steps]
open = "connect"

[traffic.probe]
app = "ping"
from = "laptop"
to = "server"
interval = "100 ms"
"""

# What a field of each quantity may hold, where a kind of traffic has to be told.
EXAMPLES = {"rate": "1 Mbit/s", "duration": "100 ms", "size": 1000, "count": 1, "number": 0.5}


def every_other_kind_of_traffic() -> str:
    """Give the kinds that are not written above, each with what it has to be told."""
    others = [
        each for each in declarations("traffic") if f'app = "{each["name"]}"' not in EVERYTHING
    ]
    return "".join(map(traffic_of, others))


def traffic_of(kind: Declaration) -> str:
    told = [
        f"{field['name']} = {shown(EXAMPLES[field['quantity']])}"
        for field in kind["fields"]
        if field["default"] == "required"
    ]
    ends = ['from = "server"', 'to = "laptop"']
    return "\n".join([f"[traffic.{kind['name']}]", f'app = "{kind["name"]}"', *ends, *told, ""])


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> an.Plan:
    path = tmp_path_factory.mktemp("reference") / "everything.toml"
    path.write_text(EVERYTHING + every_other_kind_of_traffic(), encoding="utf-8")
    return an.compile_scenario(an.load(path))


@pytest.mark.parametrize("name", sorted(generator().PAGES))
def test_the_committed_pages_are_what_the_sources_say(name: str) -> None:
    page = (DOCS.parent / name).read_text(encoding="utf-8")
    assert page == generator().PAGES[name](), "run `make docs` and commit what it writes"


def test_every_name_of_the_package_stands_on_the_page_of_python() -> None:
    page = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
    assert [name for name in an.__all__ if f"| `an.{name}` |" not in page] == []


def test_every_field_of_a_scenario_stands_on_the_page() -> None:
    shown = list(fields_shown())
    assert len(set(shown)) == len(shown)
    models = {Scenario, *_models_below(Scenario)}
    # A field of a common base stands once, under the base.
    known = {(base, name) for model in models for base in model.__mro__ for name in _own(base)}
    assert {(model, name) for model, name in shown if name in _own(model)} == known


def test_the_page_has_a_row_for_every_metric_that_a_plan_can_give_and_for_no_other(
    plan: an.Plan,
) -> None:
    patterns = [metric.name for metric in metrics()]
    assert _unmatched(patterns, metric_names(plan)) == ([], [])
    page = (DOCS / "reference" / "metrics.md").read_text(encoding="utf-8")
    # Percentiles are told with what they are of.
    told = {name for each in quantities() for name in percentiles_of(each.name)}
    rows = [*(name for name in patterns if name not in told), *(q.name for q in quantities())]
    assert [name for name in rows if f"`{name}`" not in page] == []


def test_a_run_gives_no_other_metrics_than_its_plan_says(plan: an.Plan) -> None:
    given = _core.run(json.dumps(plan), 1).metrics().keys()
    assert given <= set(metric_names(plan))


def test_every_table_has_the_columns_that_are_declared(plan: an.Plan) -> None:
    tables = _core.run(json.dumps(plan), 1).tables()
    assert _unmatched([column.name for column in table_columns("series")], tables["series"]) == (
        [],
        [],
    )
    for name in ("distributions", "tcp_info", "timing", "transfers", "datagrams", "attempts"):
        assert list(tables[name]) == [column.name for column in table_columns(name)]


def _models_below(model: type[BaseModel]) -> set[type[BaseModel]]:
    inner = {
        each for info in model.model_fields.values() for each in models_in(info.annotation)
    } - {model}
    return inner.union(*(_models_below(each) for each in inner))


def _own(model: type) -> list[str]:
    """Give the fields that a class itself declares."""
    declared = inspect.get_annotations(model)
    fields = getattr(model, "model_fields", {})
    return [name for name in declared if name in fields]


def _unmatched(rows: list[str], given: Iterable[str]) -> tuple[list[str], list[str]]:
    """Give the names without exactly one row, and the rows without a name."""
    found = {name: [row for row in rows if _pattern(row).fullmatch(name)] for name in given}
    used = {row for matches in found.values() for row in matches}
    loose = [name for name, matches in found.items() if len(matches) != 1]
    return loose, [row for row in rows if row not in used]


def _pattern(row: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\b[A-Z]{3,}", r"[a-z0-9_-]+", re.escape(row)))
