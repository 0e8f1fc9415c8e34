"""The claims that packets decide, on shortened runs of the experiments that ship."""

from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from anechoic.campaign.api import run
from anechoic.campaign.results import Results
from anechoic.papers.judging import judge, needed
from anechoic.papers.study import Study, experiments, shipped
from anechoic.papers.verdict import Status, Verdict


@cache
def short(
    experiment: str, duration: str, warmup: str, *only: tuple[str, tuple[Any, ...]], seed: int = 1
) -> Results:
    """Run each cell of an experiment once and for a few seconds; ``only`` leaves some values."""
    out = Path(mkdtemp(prefix="anechoic-test-"))
    times = {"run.duration": duration, "run.warmup": warmup, "run.seed": seed}
    file = experiments()[experiment].file
    chosen = {axis: list(values) for axis, values in only}
    return run(file, set=times, sweep=chosen, reps=1, out=out / "results", progress=False)


def verdict(claim_id: str, results: Results) -> Verdict:
    """Judge a claim on results of its own experiment."""
    experiment = experiments()[claim_id.rpartition("-")[0]]
    [claim] = [each for each in experiment.study.claims if each.id == claim_id]
    [(_, found)] = judge(experiment.study, {experiment.id: results}, [claim])
    return found


def reno() -> Results:
    return short("vasudevan-reno", "3 s", "0 s")


def background() -> Results:
    return short("nguyen-background", "4 s", "3 s")


def hidden() -> Results:
    return short("goel-fig6", "3 s", "1 s")


@pytest.mark.parametrize("claim", ["a", "b", "d"])
def test_reno_mends_scripted_losses_as_the_text_says(claim: str) -> None:
    assert verdict(f"vasudevan-reno-{claim}", reno()).status is Status.AGREES


def test_which_round_trip_is_meant_decides_whether_a_loss_is_mended_in_one() -> None:
    """What is ahead of the resent segment in the queue hangs on chance: most of ten runs say so."""
    one = ("losses", ("one",))
    runs = [short("vasudevan-reno", "1 s", "0 s", one, seed=seed) for seed in range(1, 11)]
    found = [verdict("vasudevan-reno-c", each) for each in runs]
    [(status, times)] = Counter(each.status for each in found).most_common(1)
    assert (status, times > 5) == (Status.NOT_TESTABLE, True)
    [reason, _] = Counter(each.reason.partition(":")[0] for each in found).most_common(1)[0]
    assert reason == "agrees with that of the segment sent before"


@pytest.mark.parametrize("claim", ["a", "b"])
def test_frames_follow_each_other_and_are_given_up_as_the_text_says(claim: str) -> None:
    assert verdict(f"nguyen-background-{claim}", background()).status is Status.AGREES


@pytest.mark.parametrize("claim", ["a", "b", "c", "d"])
def test_hidden_stations_collide_and_rts_helps(claim: str) -> None:
    found = verdict(f"goel-fig6-{claim}", hidden())
    assert found.status is Status.AGREES, found.reason


@pytest.mark.parametrize(
    ("claim", "status"), [("a", Status.INPUT), ("b", Status.INPUT), ("c", Status.AGREES)]
)
def test_meters_show_what_the_torino_paper_prints(claim: str, status: Status) -> None:
    """The levels are what the bench was given, and what the meters make of them is not."""
    meters = short("franceschinis-tab1", "10 s", "0 s")
    assert verdict(f"franceschinis-tab1-{claim}", meters).status is status


def test_every_transfer_reaches_a_window_that_the_queue_can_hold() -> None:
    only = (("queue", (100,)),)
    found = verdict("franceschinis-fig4-b", short("franceschinis-fig4", "600 s", "0 s", *only))
    assert found.status is Status.AGREES, found.reason


def test_each_segment_behind_a_gap_is_answered_and_three_reports_are_waited_for() -> None:
    only = (("loss", (0.0, 0.01, 0.16)), ("filter", ("data",)))
    results = short("goel-12", "6 s", "1 s", *only)
    found = verdict("goel-12-b", results)
    assert found.status is Status.AGREES, found.reason
    assert "fast retransmissions after 3 reports or more" in found.found


@pytest.mark.parametrize("name", ["goel-12", "goel-fig6", "vasudevan-reno", "nguyen-background"])
def test_every_name_that_the_claims_of_an_experiment_use_is_there(name: str) -> None:
    study = experiments()[name].study
    own = [claim for claim in study.claims if claim.experiment == name]
    assert len(own) >= 3
    assert needed(study, own).experiments == [name]


@pytest.mark.parametrize("study", shipped(), ids=lambda study: study.id)
def test_every_name_that_the_claims_of_a_study_use_is_there(study: Study) -> None:
    assert set(needed(study, study.claims).experiments) <= set(study.experiments)
