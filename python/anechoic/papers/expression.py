"""Expressions of metrics: what a claim's check compares.

    tcp.retransmissions / tcp.segments_sent
    jain(flow.*.goodput_mbps)
    1 - goodput_mbps / at(goodput_mbps, loss = 0)

Python's own grammar reads them and a few of its nodes are understood; nothing of Python is run.
A name may hold dots and, as names of nodes and flows do, dashes. So a minus sign stands between
spaces.
"""

import ast
import operator
import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, isnan, nan
from typing import Protocol

from anechoic.scenario.errors import nearest_name

Scalar = bool | int | float | str

_TOKEN = re.compile(
    r"""(?P<text>"[^"]*"|'[^']*')
      | (?P<number>\d+\.?\d*(?:[eE][+-]?\d+)?)
      | (?P<name>[A-Za-z_]\w*(?:-\w+)*(?:\.(?:\*|\w+(?:-\w+)*(?:-\*)?))*(?:@\w+(?:-\w+)*)?)""",
    re.VERBOSE,
)
_ALLOWED = "names, numbers, + - * / ( ), one comparison at a time, and, or, not, functions"
_WORDS = ("and", "or", "not")
_OPERATORS: Mapping[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_COMPARISONS: Mapping[type, Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def jain(values: Sequence[float]) -> float:
    """Give Jain's fairness index (R. Jain et al., DEC-TR-301, 1984): 1 if all get the same."""
    return sum(values) ** 2 / (len(values) * sum(value * value for value in values))


def _spread(values: Sequence[float]) -> float:
    return statistics.stdev(values) if len(values) > 1 else nan


OF_SEVERAL: Mapping[str, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "min": min,
    "max": max,
    "mean": statistics.fmean,
    "sd": _spread,
    "jain": jain,
}
SAME_UNIT = ("sum", "min", "max", "mean", "sd")
OF_ONE: Mapping[str, Callable[[float], float]] = {"abs": abs, "ceil": ceil, "floor": floor}
ELSEWHERE: Mapping[str, Callable[[float, float], float]] = {
    "at": lambda _here, there: there,
    "ratio": operator.truediv,
    "loss": lambda here, there: 1 - here / there,
}
"""Functions of a value here and in another cell, which their named arguments choose."""
FUNCTIONS = (*OF_SEVERAL, *OF_ONE, *ELSEWHERE)


class NotAnExpression(ValueError):
    """A text that is none: what was found, and what is allowed."""

    def __init__(self, what: str, allowed: str) -> None:
        """Say both."""
        self.allowed = allowed
        super().__init__(what)


class Place(Protocol):
    """Where an expression is worked out: one replication of one cell."""

    def value(self, name: str) -> float:
        """Give a metric, a term, or the cell's parameter along an axis."""

    def values(self, pattern: str) -> list[float]:
        """Give all metrics that a name with ``*`` stands for."""

    def elsewhere(self, choice: Mapping[str, Scalar]) -> "Place":
        """Give the same replication of another cell, by axis, or by ``of`` of an experiment."""


@dataclass(frozen=True)
class Expression:
    """An expression, read."""

    text: str
    tree: ast.expr
    names: tuple[str, ...]

    def __str__(self) -> str:
        """Give it as written."""
        return self.text

    @property
    def measure(self) -> str:
        """The name whose unit it has, if it is the value of one name, here or in another cell."""
        tree = self.tree
        if isinstance(tree, ast.Call) and self._name(tree.func) in (*SAME_UNIT, "at"):
            tree = tree.args[0]
        return self._name(tree) if isinstance(tree, ast.Name) else ""

    @property
    def number(self) -> float | None:
        """The number that it is, if it is no more than that."""
        is_number = not self.names and isinstance(self.tree, ast.Constant)
        return float(self.tree.value) if is_number else None  # type: ignore[attr-defined]

    def is_truth(self, terms: Mapping[str, "Expression"]) -> bool:
        """Whether it is true or false, and not a number."""
        if isinstance(self.tree, ast.Name) and self.measure in terms:
            return terms[self.measure].is_truth(terms)
        is_not = isinstance(self.tree, ast.UnaryOp) and isinstance(self.tree.op, ast.Not)
        return is_not or isinstance(self.tree, ast.Compare | ast.BoolOp)

    def value(self, place: Place) -> float:
        """Work it out; NaN where it divides by zero or a part is not known."""
        try:
            return float(self._value(self.tree, place))
        except ZeroDivisionError:
            return nan

    def _value(self, node: ast.expr, place: Place) -> float:
        match node:
            case ast.Constant():
                return float(node.value)  # type: ignore[arg-type]
            case ast.Name():
                return place.value(self._name(node))
            case ast.BinOp():
                here = self._value(node.left, place), self._value(node.right, place)
                return _OPERATORS[type(node.op)](*here)
            case ast.UnaryOp():
                inner = self._value(node.operand, place)
                return -inner if isinstance(node.op, ast.USub) else _truth(not inner, inner)
            case ast.Compare():
                left, right = self._value(node.left, place), self._value(node.comparators[0], place)
                return _truth(_COMPARISONS[type(node.ops[0])](left, right), left, right)
            case ast.BoolOp():
                parts = [self._value(each, place) for each in node.values]
                holds = all(parts) if isinstance(node.op, ast.And) else any(parts)
                return _truth(holds, *parts)
            case ast.Call():
                return self._called(node, place)
        raise AssertionError(f"{node} was let through")

    def _called(self, node: ast.Call, place: Place) -> float:
        function = self._name(node.func)
        if function in ELSEWHERE:
            here, there = place, place.elsewhere(self._choice(node))
            inner = node.args[0]
            return ELSEWHERE[function](self._value(inner, here), self._value(inner, there))
        if function in OF_ONE:
            value = self._value(node.args[0], place)
            return nan if isnan(value) else OF_ONE[function](value)
        given: list[float] = []
        for argument in node.args:
            pattern = self._name(argument) if isinstance(argument, ast.Name) else ""
            given += place.values(pattern) if "*" in pattern else [self._value(argument, place)]
        return nan if any(map(isnan, given)) else OF_SEVERAL[function](given)

    def _choice(self, node: ast.Call) -> dict[str, Scalar]:
        return {self._named(each): ast.literal_eval(each.value) for each in node.keywords}

    def _named(self, keyword: ast.keyword) -> str:
        return self.names[int(str(keyword.arg)[1:])]

    def _name(self, node: ast.expr) -> str:
        return self.names[int(node.id[1:])]  # type: ignore[attr-defined]


def parsed(text: str) -> Expression:
    """Read an expression; raise NotAnExpression if it is none."""
    names: list[str] = []

    def placeholder(token: re.Match[str]) -> str:
        if token["name"] is None or token["name"] in _WORDS:
            return token[0]
        names.append(token["name"])
        return f"_{len(names) - 1}"

    try:
        tree = ast.parse(_TOKEN.sub(placeholder, text.strip()), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise NotAnExpression("it cannot be read", _ALLOWED) from None
    expression = Expression(text.strip(), tree, tuple(names))
    for what, allowed in _wrong(tree, expression):
        raise NotAnExpression(what, allowed)
    return expression


def _wrong(node: ast.AST, of: Expression, *, in_group: bool = False) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Constant(value=int() | float()):
            return
        case ast.Name():
            name = of._name(node)
            if "*" in name and not in_group:
                yield f"{name} stands for several metrics", f"within {', '.join(OF_SEVERAL)}"
        case ast.Call():
            yield from _wrong_call(node, of)
        case ast.BinOp(op=op) if type(op) in _OPERATORS:
            yield from _wrong(node.left, of)
            yield from _wrong(node.right, of)
        case ast.UnaryOp(op=ast.USub() | ast.Not()):
            yield from _wrong(node.operand, of)
        case ast.Compare(ops=[op]) if type(op) in _COMPARISONS:
            yield from _wrong(node.left, of)
            yield from _wrong(node.comparators[0], of)
        case ast.BoolOp():
            for part in node.values:
                yield from _wrong(part, of)
        case _:
            yield "it holds what is no part of an expression", _ALLOWED


def _wrong_call(node: ast.Call, of: Expression) -> Iterator[tuple[str, str]]:
    function = of._name(node.func) if isinstance(node.func, ast.Name) else ""
    if function not in FUNCTIONS:
        nearest = nearest_name(function, FUNCTIONS)
        hint = f"; did you mean {nearest}?" if nearest else ""
        yield f"there is no function {function!r}{hint}", ", ".join(FUNCTIONS)
        return
    if function in ELSEWHERE:
        texts = [each.value for each in node.keywords if each.arg is not None]
        if len(node.args) != 1 or not node.keywords or not all(map(_is_scalar, texts)):
            form = f'{function}(VALUE, AXIS = …) or {function}(VALUE, of = "EXPERIMENT")'
            yield f"{function} does not say which other cell it means", form
            return
    elif node.keywords or not node.args or (function in OF_ONE and len(node.args) != 1):
        yield (
            f"{function} is given other than it takes",
            ("one value" if function in OF_ONE else "values, or a name with *"),
        )
        return
    for argument in node.args:
        yield from _wrong(argument, of, in_group=function in OF_SEVERAL)


def _is_scalar(node: ast.expr) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and isinstance(inner.value, int | float | str)


def _truth(holds: bool, *parts: float) -> float:
    return nan if any(map(isnan, parts)) else float(holds)
