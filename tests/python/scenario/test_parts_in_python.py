"""A part written in Python is refused in the words of a file."""

import inspect
import pydoc
import subprocess
import sys
from typing import Any

import pytest

import anechoic as an

pytestmark = pytest.mark.usefixtures("core")

WRONG: dict[str, tuple[Any, dict[str, Any], str]] = {
    "unknown field": (
        an.Station,
        {"ap": "x", "cout": 2},
        "did you mean count?",
    ),
    "no unit": (
        an.Run,
        {"duration": 5},
        "Run: duration: 5 is refused: a number without a unit; allowed: a number with its unit, "
        'such as "300 s" (units: ns, us, µs, ms, s, min, h), more than zero',
    ),
    "missing": (an.Wire, {}, "Wire: between: missing, the two nodes it connects; allowed: "),
    "a part within a whole": (
        an.Scenario,
        {"host": {"server": {"stak": "rfc"}}},
        "Scenario: host.server.stak: unknown field; allowed: stack, address, mtu, tcp, cost, port; "
        "did you mean stack?",
    ),
}


@pytest.mark.parametrize(("part", "fields", "said"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_part_says_what_is_allowed(part: Any, fields: dict[str, Any], said: str) -> None:
    with pytest.raises(an.ScenarioError) as caught:
        part(**fields)
    assert str(caught.value).startswith(f"{part.__name__}: ")
    assert said in str(caught.value)


def test_every_problem_of_a_part_is_said() -> None:
    with pytest.raises(an.ScenarioError) as caught:
        an.Run(duration="5", warmup="1 m", sed=2)  # type: ignore[call-arg]
    assert [problem.path for problem in caught.value.problems] == ["duration", "warmup", "sed"]


def test_the_first_part_of_a_program_is_refused_in_these_words_too() -> None:
    program = "import anechoic as an; an.Tap(att='wire.uplink')"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert "ScenarioError: Tap: at: missing" in done.stderr
    assert "Tap: att: unknown field; allowed: at, snap, replications" in done.stderr


@pytest.mark.parametrize(
    ("part", "field", "said"),
    [
        (an.Run, "warmup", "time at the beginning that no metric counts (time; default '0 s')"),
        (an.Run, "seed", "seed of the campaign; replications derive theirs from it (default 1)"),
        (an.Wire, "mtu", "longest IP packet (bytes; default 1500)"),
        (an.ApplicationLimited, "rate", "(rate, such as '11 Mbit/s'; required)"),
        (an.Station, "position", "([x, y], each a distance; default None)"),
    ],
)
def test_a_docstring_says_each_field_with_unit_and_default(
    part: Any, field: str, said: str
) -> None:
    [line] = [line for line in part.__doc__.splitlines() if line.startswith(f"    {field}: ")]
    assert line.endswith(said)


def test_help_shows_what_a_person_writes_and_what_it_means() -> None:
    text = pydoc.plain(pydoc.render_doc(an.Duplicate))
    assert "probability: float, copies: list[int] = [1, 1]" in text
    assert "|  towards: the end of the wire that the packets go to" in text
    assert "|  probability: " in text and "(required)" in text
    assert str(inspect.signature(an.DropTail)).startswith("(*, kind: Literal['drop-tail'] = ")
