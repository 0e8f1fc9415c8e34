"""Each claim of goel-1 to goel-8 on invented results that confirm it, and on bent ones."""

from functools import cache

import pytest
from invented import THESIS, Bend, Parameters, invented

from anechoic.campaign.results import Results
from anechoic.papers.judging import Evaluation, judge, needed
from anechoic.papers.verdict import Status, Verdict

EXPERIMENTS = [f"goel-{n}" for n in range(1, 9)]
# What the thesis concludes from all experiments stands apart.
CLAIMS = [
    claim
    for claim in THESIS.claims
    if claim.experiment in EXPERIMENTS and not claim.id.startswith("goel-summary")
]

IDS = [
    *("goel-1-a", "goel-1-b", "goel-1-c", "goel-1-d"),
    *("goel-2-a", "goel-2-b", "goel-2-c", "goel-2-d"),
    *("goel-3-a", "goel-3-b", "goel-3-c"),
    *("goel-4-a", "goel-4-b", "goel-4-c", "goel-4-d", "goel-4-e"),
    *("goel-5-a", "goel-5-b"),
    *("goel-6-a", "goel-6-b", "goel-6-c", "goel-6-d"),
    *("goel-7-a", "goel-7-b", "goel-7-c", "goel-7-d"),
    *("goel-8-a", "goel-8-b", "goel-8-c", "goel-8-d"),
]


@cache
def as_claimed() -> dict[str, Results]:
    return {name: invented(name) for name in EXPERIMENTS}


def verdict_of(claim_id: str, bend: Bend) -> Verdict:
    """Bend the claim's own experiment and judge the claim with all the others."""
    claim = next(claim for claim in CLAIMS if claim.id == claim_id)
    results = {**as_claimed(), claim.experiment: invented(claim.experiment, bend)}
    [(_, found)] = judge(THESIS, results, [claim])
    return found


def evaluate(results: dict[str, Results]) -> Evaluation:
    return judge(THESIS, results, [claim for claim in CLAIMS if claim.experiment in results])


def scaled(metric: str, factor: float, **where: object) -> Bend:
    """Multiply a metric in the cells with these parameters."""

    def bend(cell: Parameters, metrics: dict[str, float]) -> None:
        if where.items() <= cell.items():
            metrics[metric] *= factor

    return bend


def in_cells(metric: str, value: float, **where: object) -> Bend:
    """Set a metric in the cells with these parameters."""

    def bend(cell: Parameters, metrics: dict[str, float]) -> None:
        if where.items() <= cell.items():
            metrics[metric] = value

    return bend


GOODPUT = "goodput_mbps"
LAST = {"connections": 32}
FINEST = {"fragmentation_threshold": 256}
COARSE = {"fragmentation_threshold": 1280}
WHOLE = {"fragmentation_threshold": 1536}

BENT: list[tuple[str, Bend, Status]] = [
    ("goel-1-a", scaled(GOODPUT, 1.03, connections=8), Status.UNEXPLAINED),
    ("goel-1-a", scaled(GOODPUT, 1.1, **LAST), Status.UNEXPLAINED),
    ("goel-1-b", scaled("goodput_per_connection_mbps", 3.0, connections=8), Status.UNEXPLAINED),
    ("goel-1-b", scaled("airtime.backoff_s", 0.7, **LAST), Status.UNEXPLAINED),
    ("goel-1-c", scaled(GOODPUT, 0.5, connections=8), Status.UNEXPLAINED),
    ("goel-1-d", scaled(GOODPUT, 0.7, connections=2), Status.UNEXPLAINED),
    ("goel-2-a", scaled(GOODPUT, 0.7, connections=4, **WHOLE), Status.UNEXPLAINED),
    ("goel-2-a", scaled(GOODPUT, 1.03, connections=4, **COARSE), Status.UNEXPLAINED),
    ("goel-2-b", scaled(GOODPUT, 1.03, connections=8, **WHOLE), Status.UNEXPLAINED),
    ("goel-2-b", scaled(GOODPUT, 1.1, **LAST, **WHOLE), Status.UNEXPLAINED),
    ("goel-2-c", scaled(GOODPUT, 1.3, **FINEST), Status.UNEXPLAINED),
    ("goel-2-c", scaled("airtime.ack_s", 3.0, fragmentation_threshold=512), Status.UNEXPLAINED),
    ("goel-2-d", scaled(GOODPUT, 1.3, connections=2, **COARSE), Status.UNEXPLAINED),
    ("goel-3-a", scaled(GOODPUT, 0.7, connections=4, **WHOLE), Status.UNEXPLAINED),
    ("goel-3-b", scaled(GOODPUT, 1.03, connections=8, **WHOLE), Status.UNEXPLAINED),
    ("goel-3-c", scaled(GOODPUT, 5.0, **FINEST), Status.UNEXPLAINED),
    ("goel-4-a", scaled(GOODPUT, 0.7, connections=4, **WHOLE), Status.UNEXPLAINED),
    ("goel-4-b", scaled(GOODPUT, 1.1, **LAST, **WHOLE), Status.UNEXPLAINED),
    ("goel-4-c", scaled(GOODPUT, 1.5, connections=4, **FINEST), Status.UNEXPLAINED),
    ("goel-4-d", scaled("airtime.rts_cts_s", 0.5, **WHOLE), Status.UNEXPLAINED),
    ("goel-4-d", scaled("node.office.rts_frames", 0.5, **WHOLE), Status.UNEXPLAINED),
    ("goel-4-e", scaled(GOODPUT, 5.0, **FINEST), Status.UNEXPLAINED),
    ("goel-5-a", scaled(GOODPUT, 1.03, connections=8, **WHOLE), Status.UNEXPLAINED),
    ("goel-5-b", scaled(GOODPUT, 0.7, connections=4, **WHOLE), Status.UNEXPLAINED),
    *(
        bent
        for n in (6, 7)
        for bent in (
            (f"goel-{n}-a", scaled(GOODPUT, 1.5, rts_threshold=0), Status.UNEXPLAINED),
            (
                f"goel-{n}-a",
                scaled(GOODPUT, 1.5, rts_threshold=0, connections=2),
                Status.NOT_TESTABLE,
            ),
            (f"goel-{n}-b", scaled(GOODPUT, 0.91, **WHOLE), Status.UNEXPLAINED),
            (f"goel-{n}-b", scaled(GOODPUT, 0.91, **LAST, **WHOLE), Status.NOT_TESTABLE),
            (
                f"goel-{n}-c",
                scaled(GOODPUT, 0.97, fragmentation_threshold=2048),
                Status.UNEXPLAINED,
            ),
            (f"goel-{n}-c", in_cells("mac.fragments_per_msdu", 1.2, **WHOLE), Status.UNEXPLAINED),
            (f"goel-{n}-c", scaled(GOODPUT, 0.9, **LAST, **WHOLE), Status.NOT_TESTABLE),
            (f"goel-{n}-d", scaled("airtime.rts_cts_s", 0.8), Status.UNEXPLAINED),
            (f"goel-{n}-d", scaled("airtime.rts_cts_s", 0.8, **LAST), Status.NOT_TESTABLE),
        )
    ),
    ("goel-8-a", scaled(GOODPUT, 0.97, rts_threshold=768), Status.UNEXPLAINED),
    ("goel-8-a", scaled(GOODPUT, 0.97, rts_threshold=768, vendor="vendor-b"), Status.NOT_TESTABLE),
    ("goel-8-b", scaled(GOODPUT, 0.89, rts_threshold=1536), Status.UNEXPLAINED),
    ("goel-8-b", scaled(GOODPUT, 0.7, rts_threshold=1536), Status.UNEXPLAINED),
    ("goel-8-b", scaled(GOODPUT, 0.89, rts_threshold=1536, vendor="vendor-a"), Status.NOT_TESTABLE),
    ("goel-8-c", scaled(GOODPUT, 1.04), Status.UNEXPLAINED),
    ("goel-8-c", scaled(GOODPUT, 1.04, vendor="vendor-a"), Status.NOT_TESTABLE),
    ("goel-8-d", in_cells("node.office.rts_frames", 7.0, rts_threshold=2048), Status.UNEXPLAINED),
    ("goel-8-d", in_cells("node.laptop.rts_frames", 7.0, vendor="vendor-b"), Status.NOT_TESTABLE),
]


def test_every_claim_of_the_catalogue_is_there_once() -> None:
    assert [claim.id for claim in CLAIMS] == IDS


def test_every_claim_has_a_case_that_breaks_it() -> None:
    assert {claim_id for claim_id, _, _ in BENT} == set(IDS)


def test_the_closed_form_with_a_slight_fall_passes_everything() -> None:
    verdicts = evaluate(as_claimed())
    assert [claim.id for claim, _ in verdicts] == IDS
    assert {claim.id for claim, verdict in verdicts if verdict.status is not Status.AGREES} == set()


def test_the_fall_of_the_baseline_names_its_routes() -> None:
    verdicts = {claim.id: found for claim, found in evaluate(as_claimed())}
    route = "vendor=vendor-a, connections from 2 to 32: packets dropped at the queue 4 to 64, "
    assert route in verdicts["goel-1-a"].found


@pytest.mark.parametrize(("claim_id", "bend", "status"), BENT)
def test_a_bent_number_turns_the_verdict(claim_id: str, bend: Bend, status: Status) -> None:
    found = verdict_of(claim_id, bend)
    assert (found.status, bool(found.reason)) == (status, True)


def test_every_name_that_the_claims_use_is_there() -> None:
    """Nothing is run for it, and goel-1 alone can be judged without what it merely takes in."""
    assert needed(THESIS, CLAIMS).experiments == EXPERIMENTS
    on_the_baseline = [claim for claim in CLAIMS if claim.experiment == "goel-1"]
    assert needed(THESIS, on_the_baseline).experiments == ["goel-1"]


def test_only_one_of_the_two_figures_that_the_text_may_mean() -> None:
    """goel-4-e: like vendor A's figure 20, but unlike vendor B's figure 21."""
    results = {**as_claimed(), "goel-3": invented("goel-3", scaled(GOODPUT, 5.0, **FINEST))}
    verdict = {claim.id: verdict for claim, verdict in evaluate(results)}["goel-4-e"]
    assert verdict.status is Status.NOT_TESTABLE
    assert "agrees with figure 20" in verdict.reason


def test_every_figure_of_a_mean_has_its_interval_and_n() -> None:
    figures = [figure for _, verdict in evaluate(as_claimed()) for figure in verdict.figures]
    means = [figure for figure in figures if "rank correlation" not in figure.what]
    assert all(figure.n == 12 and figure.ci95 is not None for figure in means)


def test_an_experiment_that_was_not_run_is_said() -> None:
    verdicts = {c.id: v for c, v in evaluate({"goel-4": as_claimed()["goel-4"]})}
    assert verdicts["goel-4-a"].status is Status.AGREES
    assert verdicts["goel-4-c"] == Verdict(Status.NOT_RUN, (), "needs goel-2 too")


def test_the_best_case_is_judged_on_what_was_run_and_says_what_was_not() -> None:
    chosen = {name: as_claimed()[name] for name in ("goel-1", "goel-2")}
    verdict = {c.id: v for c, v in evaluate(chosen)}["goel-1-c"]
    assert verdict.status is Status.AGREES
    assert "not run: goel-3" in verdict.found
    assert "goel-18" in verdict.found
    alone = {c.id: v for c, v in evaluate({"goel-1": as_claimed()["goel-1"]})}["goel-1-c"]
    assert alone.status is Status.NOT_RUN


def test_a_missing_metric_or_cell_makes_a_claim_not_run() -> None:
    def without(_cell: Parameters, metrics: dict[str, float]) -> None:
        del metrics["node.office.attempts"]

    found = verdict_of("goel-8-d", without)
    assert found.status is Status.NOT_RUN
    assert found.reason == "the results hold no metric node.office.attempts"
    full = as_claimed()["goel-2"]
    some = [cell for cell in full.cells if cell.parameters["connections"] != 8]
    thinner = Results(full.campaign, full.scenario, full.axes, some)
    statuses = {verdict.status for _, verdict in evaluate({"goel-2": thinner})}
    assert statuses == {Status.NOT_RUN}


def test_a_number_that_no_replication_gives_decides_nothing() -> None:
    found = verdict_of("goel-1-b", in_cells("measured_s", 0.0, **LAST))
    assert found.status is Status.NOT_RUN
    assert found.reason.startswith("no replication gives a value for")


def test_fewer_runs_than_the_lab_did_are_called_preliminary() -> None:
    results = {"goel-2": invented("goel-2", replications=3)}
    reasons = [verdict.found for _, verdict in evaluate(results)]
    assert all(r.endswith("preliminary: 3 of at least 12 replications") for r in reasons)
