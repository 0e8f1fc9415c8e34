"""Claims that a function decides, and what the function may ask."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from anechoic.campaign.api import run
from anechoic.campaign.results import Results
from anechoic.papers.judging import judge, needed
from anechoic.papers.study import Study
from anechoic.papers.verdict import Status, Verdict
from anechoic.scenario.errors import ScenarioError

SCENARIO = """\
[run]
duration = "3 s"
[host.server]
stack = "windows-xp"
[ap.office]
[sta.laptop]
ap = "office"
stack = "windows-xp"
[wire.lan]
between = ["server", "office"]
[air]
[traffic.down]
app = "bulk"
from = "server"
to = "laptop"
[[sweep]]
name = "queue"
"ap.office.queue_packets" = [8, 100]
"""

CLAIMS = """\
[short-a]
text = "What the sender resends is seen on its wire."
check = { mechanism = "resent_is_seen", each = "queue" }
"""

SEEN = """\
from anechoic.papers.comparisons import in_band


def resent_is_seen(context):
    resent = context.point("tcp.retransmissions")
    analysis = context.analysis("wire.lan")
    assert analysis is context.analysis("wire.lan")
    [seen] = analysis.connections()["client_packets_retransmitted"].to_pylist()
    return in_band(resent, seen, seen)
"""


@pytest.fixture
def short(tmp_path: Path) -> Study:
    """Give a study of one experiment of two cells, and one claim that a function decides."""
    (tmp_path / "short.toml").write_text(SCENARIO, encoding="utf-8")
    (tmp_path / "claims.toml").write_text(CLAIMS, encoding="utf-8")
    return Study(tmp_path, tmp_path / "claims.toml")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Results]:
    """Run the experiment once per cell."""
    folder = tmp_path_factory.mktemp("short")
    (folder / "short.toml").write_text(SCENARIO, encoding="utf-8")
    return {"short": run(folder / "short.toml", reps=1, out=folder / "out", progress=False)}


def verdict(study: Study, functions: str, results: Mapping[str, Results]) -> Verdict:
    """Judge the claim with a mechanisms.py of this text."""
    study.mechanisms_file.write_text(functions, encoding="utf-8")
    needed(study, study.claims)
    [(_, found)] = judge(study, results)
    return found


def test_a_function_compares_metrics_with_the_analysis_of_the_same_replication(
    short: Study, results: Mapping[str, Results]
) -> None:
    found = verdict(short, SEEN, results)
    assert found.status is Status.AGREES, found.found
    assert [figure.value > 0 for figure in found.figures] == [True, False]


TRACES = """\
from anechoic.captures.pair.comparison import compare_captures
from anechoic.captures.signal.log import read_drops, read_signal_log
from anechoic.papers.comparisons import in_band
from anechoic.papers.points import Point


def told(server, laptop, log):
    pair = compare_captures(server, laptop, packets=True)
    lost = pair.losses["way"].to_pylist().count("forth")
    return lost, len(read_signal_log(log)), len(read_drops(log))


def resent_is_seen(context):
    taps = ("stack.server", "stack.laptop", "events.laptop")
    lost, levels, drops = found = context.made(told, *taps)
    assert found is context.made(told, *taps)
    assert levels > 10
    assert drops == context.point("node.laptop.drops_retry_limit").mean
    dropped = context.point("node.office.drops_queue")
    what = f"lost (queue = {context.place['queue']})"
    return in_band(Point.exactly(what, lost), dropped.mean, dropped.mean)
"""


def test_a_function_may_have_two_captures_and_a_log_of_one_run(
    short: Study, results: Mapping[str, Results]
) -> None:
    """The radio loses nothing here: what the captures lose, the queue had no room for."""
    found = verdict(short, TRACES, results)
    assert found.status is Status.AGREES, found.found
    assert [figure.value > 0 for figure in found.figures] == [True, False]


def test_a_function_is_told_its_place_and_reaches_other_cells(
    short: Study, results: Mapping[str, Results]
) -> None:
    text = """\
from anechoic.papers.comparisons import below


def resent_is_seen(context):
    assert (context.experiment, list(context.place)) == ("short", ["queue"])
    return below(context.point("tcp.retransmissions", queue=100), context.point("8 - 0 * queue"))
"""
    assert verdict(short, text, results).status is Status.AGREES


@pytest.mark.parametrize(
    ("functions", "said"),
    [
        ("def resent_is_sen(context): ...", r'no function in mechanisms.py named "resent_is_seen"'),
        ("def resent_is_seen(:", "line 1: SyntaxError: "),
        ("import nowhere", "line 1: ModuleNotFoundError: No module named 'nowhere'"),
    ],
)
def test_a_file_of_functions_that_cannot_be_used_is_one_message_before_anything_is_judged(
    functions: str, said: str, short: Study, results: Mapping[str, Results]
) -> None:
    with pytest.raises(ScenarioError, match=re.escape(said)):
        verdict(short, functions, results)


@pytest.mark.parametrize(
    ("functions", "said"),
    [
        ("def resent_is_seen(context):\n    return 1 / 0", "line 2: ZeroDivisionError: "),
        (
            "def resent_is_seen(context):\n    return 7",
            "resent_is_seen: gave 7; allowed: a Verdict",
        ),
        (
            'def resent_is_seen(context):\n    return context.analysis("wire.wan")',
            'mechanisms.py: line 2: there is no tap "wire.wan", nor such a place for one; '
            "allowed: wire.lan, ap.office, sta.laptop, events.laptop, stack.server, stack.laptop, "
            "drops.server, drops.office, drops.laptop; did you mean wire.lan?",
        ),
        (
            'def resent_is_seen(context):\n    return context.point("tcp.retransmissions +")',
            "line 2: NotAnExpression: ",
        ),
    ],
)
def test_a_function_that_gives_no_verdict_is_an_error_of_its_own_claim(
    functions: str, said: str, short: Study, results: Mapping[str, Results]
) -> None:
    found = verdict(short, functions, results)
    assert found.status is Status.ERROR
    assert said in found.reason


def test_the_line_is_told_also_where_the_study_is_asked_for_from_beside_it(
    short: Study, results: Mapping[str, Results], monkeypatch: pytest.MonkeyPatch
) -> None:
    short.mechanisms_file.write_text("def resent_is_seen(context):\n    return 1 / 0")
    monkeypatch.chdir(short.claims_file.parent)
    here = Study(Path(), Path("claims.toml"))
    [(_, found)] = judge(here, results)
    assert "mechanisms.py: line 2: ZeroDivisionError" in found.reason
