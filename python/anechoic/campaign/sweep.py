"""From axes to cells: columns of an axis go together, axes are crossed."""

import itertools
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from anechoic.campaign.cells import OWN_COLUMNS, Axis, Value
from anechoic.scenario.bounds import MOST_CELLS
from anechoic.scenario.compile import Plan, compile_scenario
from anechoic.scenario.core import core
from anechoic.scenario.errors import Problem, ScenarioError, listing, nearest_name, shown
from anechoic.scenario.experiment import AXIS_KEYS, Sweep
from anechoic.scenario.load import validated
from anechoic.scenario.model import Scenario
from anechoic.scenario.origin import Origin
from anechoic.scenario.paths import path_problem, with_values

COMMON = ("title", "run.seed", "run.backend")
"""What is the same for all cells, beside [replication]."""


@dataclass(frozen=True, slots=True)
class CellPlan:
    """A cell before it is run: its parameters and its plan.

    The plan is packed: a large sweep has tens of thousands, most of each the same words.
    """

    parameters: dict[str, Value]
    packed: bytes

    @classmethod
    def of(cls, parameters: dict[str, Value], plan: Plan) -> "CellPlan":
        """Pack a plan."""
        return cls(parameters, zlib.compress(json.dumps(plan).encode(), level=1))

    @property
    def plan(self) -> Plan:
        """Unpack the plan."""
        plan: Plan = json.loads(zlib.decompress(self.packed))
        return plan


def with_sweep(scenario: Scenario, sweep: Mapping[str, Sequence[Any]]) -> Scenario:
    """Give the scenario with axes added or changed, by the path or name of each.

    Values for a column that goes together with others choose rows of that axis, so that
    the columns still belong together; of an axis with labels, its name chooses rows by those.
    """
    axes = list(scenario.sweep)
    for key, values in sweep.items():
        place = next((at for at, axis in enumerate(axes) if _is_about(axis, key)), None)
        if place is None:
            axes.append(_new_axis(scenario, key, values))
        else:
            axes[place] = _changed(scenario, axes[place], key, values)
    return scenario.model_copy(update={"sweep": axes})


def axes_of(scenario: Scenario) -> list[Axis]:
    """Give the axes; raise ScenarioError if one is not well formed."""
    problems = _axis_problems(scenario)
    if problems:
        raise scenario.refused(problems)
    return [Axis(axis.title, tuple(map(_value, axis.shown))) for axis in scenario.sweep]


def cells_of(scenario: Scenario) -> list[CellPlan]:
    """Compile every cell; raise ScenarioError if any of them cannot be run."""
    axes = axes_of(scenario)
    _check_number(scenario, axes)
    compile_scenario(scenario)
    document, origin = scenario.document(), _of_cells(scenario)
    rows = [_rows(axis) for axis in scenario.sweep]
    cells: list[CellPlan] = []
    problems: list[Problem] = []
    for chosen in itertools.product(*(range(len(axis.values)) for axis in axes)):
        parameters = {axis.name: axis.values[at] for axis, at in zip(axes, chosen, strict=True)}
        values = dict(
            itertools.chain.from_iterable(
                row[at].items() for row, at in zip(rows, chosen, strict=True)
            )
        )
        try:
            cell = validated(with_values(document, values), origin)
            plan = compile_scenario(cell)
            _try(plan, scenario)
            cells.append(CellPlan.of(parameters, plan))
        except ScenarioError as error:
            problems += _in_cell(error.problems, parameters, problems)
    if problems:
        raise scenario.refused(problems)
    return cells


def _check_number(scenario: Scenario, axes: Sequence[Axis]) -> None:
    """Raise ScenarioError for more cells than a folder can hold, before any is compiled."""
    number = math.prod(len(axis.values) for axis in axes)
    if number > MOST_CELLS:
        crossed = " × ".join(str(len(axis.values)) for axis in axes)
        what = f"{crossed} values make {number} cells"
        raise scenario.refused([Problem("sweep", what, f"at most {MOST_CELLS} cells")])


def _try(plan: Plan, scenario: Scenario) -> None:
    # The core checks a plan whole before it runs it, and a run of a nanosecond takes no time.
    trial = {**plan, "duration_ns": 1, "warmup_ns": 0}
    trial |= {"series_step_ns": None, "tcp_info_step_ns": None}
    try:
        core().run(json.dumps(trial), 0)
    except ValueError as error:
        problem = Problem("", f"the core refuses the plan: {error}")
        raise scenario.refused([problem]) from None


def _of_cells(scenario: Scenario) -> Origin:
    # What is wrong with a swept value stands where the axis does.
    file = scenario.origin.file_of("sweep")
    swept = (path for axis in scenario.sweep for path in axis.columns)
    files = {**scenario.origin.files, **dict.fromkeys(swept, file)}
    return replace(scenario.origin, files=files)


def _rows(axis: Sweep) -> list[dict[str, Any]]:
    return [
        dict(zip(axis.columns, row, strict=True))
        for row in zip(*axis.columns.values(), strict=True)
    ]


def _value(written: Any) -> Value:
    return shown(written) if isinstance(written, list) else written


def _is_about(axis: Sweep, key: str) -> bool:
    return key == axis.name or key in axis.columns


def _new_axis(scenario: Scenario, path: str, values: Sequence[Any]) -> Sweep:
    problem = path_problem(scenario, path)
    if problem is not None:
        nearest = nearest_name(path, [axis.title for axis in scenario.sweep]) or problem.nearest
        raise scenario.refused([_asked_for(replace(problem, nearest=nearest))])
    if _is_common(path):
        raise scenario.refused([_asked_for(_common(path))])
    return _axis(scenario, None, path, values)


def _changed(scenario: Scenario, axis: Sweep, key: str, values: Sequence[Any]) -> Sweep:
    path = key if key in axis.columns else next(iter(axis.columns))
    if axis.labels is not None and key == axis.title:
        return _chosen(scenario, axis, key, axis.labels, list(map(_as_label, values)))
    if len(axis.columns) == 1:
        return _axis(scenario, axis.name, path, values)
    return _chosen(scenario, axis, key, axis.columns[path], values)


def _chosen(
    scenario: Scenario, axis: Sweep, key: str, rows: Sequence[Any], values: Sequence[Any]
) -> Sweep:
    """Give the axis with those rows alone that have these values."""
    unknown = [value for value in values if value not in rows]
    if unknown:
        others = listing([path for path in axis.columns if axis.columns[path] is not rows])
        what = f"{shown(unknown[0])} is no row of this axis, whose other columns are {others}"
        if rows is axis.labels:
            what = f"{shown(unknown[0])} is no label of this axis"
        problem = Problem(key, what, listing([shown(row) for row in rows]))
        raise scenario.refused([_asked_for(problem)])
    places = [at for value in values for at, row in enumerate(rows) if row == value]
    columns = {path: [column[at] for at in places] for path, column in axis.columns.items()}
    labels = None if axis.labels is None else [axis.labels[at] for at in places]
    return Sweep(name=axis.name, labels=labels, columns=columns)


def _as_label(value: Any) -> str:
    # A label that looks like a number comes from the command line as one.
    return value if isinstance(value, str) else shown(value)


def _axis(scenario: Scenario, name: str | None, path: str, values: Sequence[Any]) -> Sweep:
    try:
        return Sweep(name=name, columns={path: list(values)})
    except ScenarioError:
        problem = Problem(path, f"{shown(values)} cannot be swept", "one or more values")
        raise scenario.refused([_asked_for(problem)]) from None


def _asked_for(problem: Problem) -> Problem:
    return replace(problem, path=f"--sweep {problem.path}")


def _axis_problems(scenario: Scenario) -> list[Problem]:
    problems: list[Problem] = []
    names: set[str] = set()
    paths: set[str] = set()
    for place, axis in enumerate(scenario.sweep):
        at = f"sweep[{place}]"
        if axis.title in names:
            problems.append(_other_name(at, f"{shown(axis.title)} names two axes"))
        names.add(axis.title)
        if axis.title.lower() in OWN_COLUMNS:
            what = f"{shown(axis.title)} is a column of the results already"
            problems.append(_other_name(at, what))
        problems += _column_problems(scenario, at, axis, paths)
        paths |= axis.columns.keys()
    return problems


def _other_name(at: str, what: str) -> Problem:
    return Problem(f"{at}.name", what, "another name")


def _column_problems(scenario: Scenario, at: str, axis: Sweep, paths: set[str]) -> list[Problem]:
    problems = []
    lengths = {path: len(values) for path, values in axis.columns.items()}
    if len(set(lengths.values())) > 1:
        what = "columns of different length: " + ", ".join(
            f"{path} has {length}" for path, length in lengths.items()
        )
        problems.append(Problem(at, what, "columns of one length, taken row by row"))
    problems += _row_problems(at, axis)
    for path in axis.columns:
        problem = path_problem(scenario, path)
        if problem is not None:
            nearest = problem.nearest or nearest_name(path, AXIS_KEYS)
            problems.append(replace(problem, nearest=nearest).below(at))
        elif path in scenario.overrides:
            what = "the sweep gives this another value in every cell"
            problems.append(Problem(f"--set {path}", what, f"--sweep {path}=…"))
        elif path in paths:
            problems.append(Problem(f"{at}.{path}", "another axis sweeps this too", "one axis"))
        elif _is_common(path):
            problems.append(_common(path).below(at))
    return problems


def _row_problems(at: str, axis: Sweep) -> list[Problem]:
    rows = len(next(iter(axis.columns.values())))
    if axis.labels is not None and len(axis.labels) != rows:
        what = f"{len(axis.labels)} labels for {rows} rows"
        return [Problem(f"{at}.labels", what, "a label for each row")]
    if len({shown(value) for value in axis.shown}) == len(axis.shown):
        return []
    if axis.labels is not None:
        what = f"a label stands twice in {shown(axis.labels)}"
        return [Problem(f"{at}.labels", what, "each label once")]
    what = f"a value stands twice in {shown(axis.shown)}"
    return [Problem(at, what, "each value once, or labels that tell the rows apart")]


def _is_common(path: str) -> bool:
    return path.partition(".")[0] == "replication" or path in COMMON


def _common(path: str) -> Problem:
    allowed = f"any field but {', '.join(COMMON)} and those of [replication]"
    return Problem(path, "this is the same for all cells", allowed)


def _in_cell(
    problems: Sequence[Problem], parameters: Mapping[str, Value], known: Sequence[Problem]
) -> list[Problem]:
    cell = ", ".join(f"{name} = {value}" for name, value in parameters.items())
    where = f" (in the cell {cell})" if cell else ""
    seen = {(problem.path, problem.what.partition(" (in the cell")[0]) for problem in known}
    return [
        replace(problem, what=f"{problem.what}{where}")
        for problem in problems
        if (problem.path, problem.what) not in seen
    ]
