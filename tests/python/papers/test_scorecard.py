"""The scorecard as people and as programs read it."""

import io
import json
from dataclasses import replace
from math import nan

import pytest
from invented import THESIS, invented
from rich.console import Console

from anechoic.papers.claim import Claim, check_of
from anechoic.papers.judging import judge
from anechoic.papers.scorecard import (
    Row,
    Scorecard,
    as_json,
    print_counts,
    print_rows,
    read,
    summary,
)
from anechoic.papers.verdict import Figure, Status, Verdict

CHECK = check_of({"falls": "goodput_mbps", "along": "connections"}, "check")
CLAIM = Claim("goel-0-a", "goel-0", "Goodput falls | always.", 1, "§0", CHECK)
FIGURES = tuple(Figure(f"goodput {n}", 4.94, 0.041, 12, "Mbit/s") for n in range(5))
SINGLE = Verdict(Status.NOT_RUN, (Figure("single", 1.0, nan, 1),))
ROWS = [
    Row(CLAIM, Verdict(Status.UNEXPLAINED, FIGURES, "it does not"), "0.1", "basis", "goel-0"),
    Row(replace(CLAIM, id="goel-0-b"), SINGLE),
]
CARD = Scorecard("goel2006", ROWS)


def test_json_holds_every_number_with_its_interval() -> None:
    document = json.loads(as_json([CARD]))
    assert document["study"] == "goel2006"
    assert document["verdicts"] == {"disagrees-unexplained": 1, "not-run": 1}
    first, second = document["claims"]
    assert first["verdict"] == "disagrees-unexplained"
    expected = {"what": "goodput 4", "value": 4.94, "ci95": 0.041, "n": 12, "unit": "Mbit/s"}
    expected |= {"beside": [], "printed": None}
    assert first["figures"][4] == expected
    assert second["figures"][0]["ci95"] is None


def test_several_studies_are_one_document() -> None:
    documents = json.loads(as_json([Scorecard("one", ROWS), Scorecard("other", [])]))
    assert [document["study"] for document in documents] == ["one", "other"]


def test_json_is_read_again_as_it_was() -> None:
    again = read(json.loads(as_json([CARD])), [row.claim for row in ROWS])
    assert [str(row) for row in again] == [str(row) for row in ROWS]
    with pytest.raises(ValueError, match="no scorecard"):
        read({"claims": [1]}, [CLAIM])


def test_the_terminal_shows_verdict_and_reason() -> None:
    screen = io.StringIO()
    print_rows(CARD, Console(file=screen, width=120))
    shown = screen.getvalue()
    assert "it does not" in shown
    assert "goel2006: 1 disagrees-unexplained, 1 not-run" in shown
    assert "and 1 more: anechoic claims show goel-0-a" in " ".join(shown.split())


def test_a_narrow_terminal_gets_one_column_of_text() -> None:
    screen = io.StringIO()
    print_rows(CARD, Console(file=screen, width=80))
    shown = screen.getvalue()
    assert "it says, and what was found" in shown
    assert "→ it does not" in shown
    assert "→ goodput 0 = 4.940 ± 0.041 Mbit/s (n = 12)" in shown


def test_a_number_that_the_reason_tells_is_not_told_again() -> None:
    figure = FIGURES[0]
    row = Row(CLAIM, Verdict(Status.UNEXPLAINED, FIGURES[:2], f"{figure}, at least 5 asked"))
    assert row.numbers == [str(FIGURES[1])]


def test_papers_are_counted_and_what_is_asked_besides_apart() -> None:
    screen = io.StringIO()
    own = replace(ROWS[0], claim=replace(CLAIM, is_own=True))
    chose = replace(ROWS[0], claim=replace(CLAIM, chose_a_value=True))
    cards = [Scorecard("goel2006", [chose, ROWS[1]]), Scorecard("other", [ROWS[0], own])]
    print_counts(cards, Console(file=screen, width=160))
    lines = [line.replace("│", " ").split() for line in screen.getvalue().splitlines()]
    assert ["goel2006", "2", "1", "1"] in lines
    # Settled, unexplained, settled of the one that chose a value, agreeing; none is held out.
    shares = "goel2006 0 of 2 (0%) 1 of 2 (50%) 0 of 1 (0%) 0 of 2 (0%)"
    assert shares.split() in lines
    assert ["other,", "own", "1", "1"] in [line[:4] for line in lines]
    assert ["all", "papers", "3", "2", "1"] in [line[:5] for line in lines]


def test_the_summary_counts_what_was_decided() -> None:
    judged = judge(THESIS, {"goel-5": invented("goel-5")})
    assert summary([Row(claim, verdict) for claim, verdict in judged]) == "2 agrees"
    assert summary([]) == "no claims"
