"""The scorecard as people and as programs read it."""

import io
import json

from invented import THESIS, invented
from rich.console import Console

from anechoic.papers.claim import Claim, check_of
from anechoic.papers.judging import judge
from anechoic.papers.scorecard import as_json, as_markdown, print_table, summary
from anechoic.papers.verdict import Figure, Status, Verdict

CHECK = check_of({"falls": "goodput_mbps", "along": "connections"}, "check")
CLAIM = Claim("goel-0-a", "goel-0", "Goodput falls | always.", 1, "§0", CHECK)
FIGURES = tuple(Figure(f"goodput {n}", 4.94, 0.041, 12, "Mbit/s") for n in range(5))
EVALUATION = [
    (CLAIM, Verdict(Status.FAIL, FIGURES, "it does not")),
    (CLAIM, Verdict(Status.NOT_RUN, (Figure("single", 1.0, float("nan"), 1),))),
]


def test_json_holds_every_number_with_its_interval() -> None:
    document = json.loads(as_json([("goel2006", EVALUATION)]))
    assert document["study"] == "goel2006"
    assert document["verdicts"] == {"fail": 1, "not-run": 1}
    first, second = document["claims"]
    assert first["verdict"] == "fail"
    expected = {"what": "goodput 4", "value": 4.94, "ci95": 0.041, "n": 12, "unit": "Mbit/s"}
    assert first["figures"][4] == expected
    assert second["figures"][0]["ci95"] is None


def test_several_studies_are_one_document() -> None:
    documents = json.loads(as_json([("one", EVALUATION), ("other", [])]))
    assert [document["study"] for document in documents] == ["one", "other"]


def test_markdown_is_a_table_with_a_row_for_each_claim() -> None:
    text = as_markdown("goel2006", EVALUATION)
    rows = [line for line in text.splitlines() if line.startswith("| goel-0-a")]
    assert len(rows) == 2
    assert all(row.count("|") == 6 for row in rows)
    assert "goodput 0 = 4.940 ± 0.041 Mbit/s (n = 12)" in rows[0]
    assert "and 3 more" in rows[0]
    assert "single = 1 (n = 1, no interval)" in rows[1]


def test_the_terminal_shows_verdict_and_reason() -> None:
    screen = io.StringIO()
    print_table(EVALUATION, Console(file=screen, width=120))
    shown = screen.getvalue()
    assert "it does not" in shown
    assert "1 not-run, 1 fail" in shown


def test_a_narrow_terminal_gets_one_column_of_text() -> None:
    screen = io.StringIO()
    print_table(EVALUATION, Console(file=screen, width=80))
    shown = screen.getvalue()
    assert "it says, and what was found" in shown
    assert "→ it does not" in shown
    assert "→ goodput 0 = 4.940 ± 0.041 Mbit/s (n = 12)" in shown


def test_the_summary_counts_what_was_decided() -> None:
    assert summary(judge(THESIS, {"goel-5": invented("goel-5")})) == "2 pass"
    assert summary([]) == "no claims"
