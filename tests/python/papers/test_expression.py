"""Expressions of metrics: how they are read, and what they come to."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan, nan

import pytest

from anechoic.papers.expression import NotAnExpression, jain, parsed


@dataclass
class Cell:
    """A cell of made-up values; elsewhere is another."""

    metrics: dict[str, float]
    other: "Cell | None" = None
    choices: list[dict[str, object]] = field(default_factory=list)

    def value(self, name: str) -> float:
        return self.metrics[name]

    def values(self, pattern: str) -> list[float]:
        first, _, last = pattern.partition("*")
        return [v for k, v in self.metrics.items() if k.startswith(first) and k.endswith(last)]

    def elsewhere(self, choice: Mapping[str, object]) -> "Cell":
        self.choices.append(dict(choice))
        assert self.other is not None
        return self.other


HERE = Cell(
    {
        "goodput_mbps": 3.0,
        "tcp.segments_sent": 200.0,
        "tcp.retransmissions": 10.0,
        "flow.a-1.goodput_mbps": 1.0,
        "flow.a-2.goodput_mbps": 2.0,
        "goodput_mbps@during": 2.5,
        "rtt": nan,
        "nothing": 0.0,
    },
    Cell({"goodput_mbps": 4.0}),
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("tcp.retransmissions / tcp.segments_sent", 0.05),
        ("2 * (goodput_mbps - 1) + 1e1", 14.0),
        ("-goodput_mbps", -3.0),
        ("flow.a-1.goodput_mbps - 1", 0.0),
        ("goodput_mbps@during", 2.5),
        ("sum(flow.*.goodput_mbps)", 3.0),
        ("sum(flow.a-*.goodput_mbps)", 3.0),
        ("max(flow.*.goodput_mbps) - min(flow.*.goodput_mbps)", 1.0),
        ("mean(goodput_mbps, flow.a-1.goodput_mbps)", 2.0),
        ("jain(flow.*.goodput_mbps)", 0.9),
        ("ceil(goodput_mbps / 2)", 2.0),
        ("at(goodput_mbps, loss = 0)", 4.0),
        ("ratio(goodput_mbps, loss = 0)", 0.75),
        ("loss(goodput_mbps, loss = 0)", 0.25),
        ("goodput_mbps > 2 and not tcp.retransmissions == 0", 1.0),
        ("goodput_mbps > 3 or nothing > 0", 0.0),
    ],
)
def test_an_expression_is_worked_out(text: str, value: float) -> None:
    assert parsed(text).value(HERE) == pytest.approx(value)


def test_another_cell_is_chosen_by_axes_and_experiment() -> None:
    cell = Cell({"x": 1.0}, Cell({"x": 2.0}))
    parsed('at(x, of = "goel-2", rts_threshold = 0, ap.office.profile = "vendor-a")').value(cell)
    assert cell.choices == [{"of": "goel-2", "rts_threshold": 0, "ap.office.profile": "vendor-a"}]


@pytest.mark.parametrize("text", ["1 / nothing", "rtt + 1", "rtt > 1", "not rtt", "ceil(rtt)"])
def test_what_a_replication_does_not_give_is_not_known(text: str) -> None:
    assert isnan(parsed(text).value(HERE))


def test_a_dash_without_spaces_belongs_to_the_name() -> None:
    assert parsed("a-b").names == ("a-b",)
    assert parsed("a - b").names == ("a", "b")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("goodput_mbps +", "cannot be read"),
        ("a; b", "cannot be read"),
        ("__import__('os')", "there is no function '__import__'"),
        ("mena(a, b)", "did you mean mean?"),
        ("a.b[0]", "no part of an expression"),
        ("a if b else c", "cannot be read"),
        ("1 < a < 2", "no part of an expression"),
        ("a ** 2", "no part of an expression"),
        ('"text"', "no part of an expression"),
        ("flow.*.bytes / 2", "stands for several metrics"),
        ("at(goodput_mbps)", "does not say which other cell"),
        ("at(goodput_mbps, loss = other)", "does not say which other cell"),
        ("abs(a, b)", "given other than it takes"),
        ("sum()", "given other than it takes"),
    ],
)
def test_what_is_no_expression_is_refused(text: str, said: str) -> None:
    with pytest.raises(NotAnExpression, match=said.replace("?", r"\?")) as refused:
        parsed(text)
    assert refused.value.allowed


def test_jain_s_index_is_one_for_equal_shares_and_one_nth_for_a_single_winner() -> None:
    assert jain([2.0, 2.0, 2.0]) == 1
    assert jain([3.0, 0.0, 0.0]) == pytest.approx(1 / 3)
