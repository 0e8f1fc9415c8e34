"""Each status of a claim, on made-up records."""

from dataclasses import replace

import pytest

from anechoic.papers.claim import Claim, check_of
from anechoic.papers.concluding import SEED, concluded
from anechoic.papers.tally import Share, Tally
from anechoic.papers.verdict import Status, Verdict

A, D, U = Status.AGREES, Status.UNEXPLAINED, Status.UNRESOLVED
CLAIM = Claim("x-a", "x", "It falls.", 1, "§0", check_of({"band": "goodput_mbps", "to": 1}, ""))
FLIPPED = replace(CLAIM, flipped_by="no retries")
FITTED = replace(CLAIM, input="the loss was chosen for it")
SILENT = replace(CLAIM, missing="how long a run takes")

CASES = [
    (CLAIM, A, {}, {}, A),
    (CLAIM, D, {}, {}, D),
    (CLAIM, U, {}, {}, U),
    (FITTED, A, {}, {}, Status.INPUT),
    (FITTED, D, {}, {}, Status.INPUT),
    (FITTED, Status.NOT_RUN, {}, {}, Status.NOT_RUN),
    (SILENT, D, {}, {}, Status.NOT_TESTABLE),
    (SILENT, U, {}, {}, Status.NOT_TESTABLE),
    (SILENT, A, {}, {}, A),
    # What changes the mechanism explains a disagreement, if the claim names it and it turns it.
    (FLIPPED, D, {"no retries": A}, {}, Status.EXPLAINED),
    (FLIPPED, D, {"no retries": U}, {}, D),
    (FLIPPED, D, {"no retries": D, "no queue": A}, {}, D),
    (FLIPPED, D, {}, {}, D),
    (CLAIM, D, {"no retries": A}, {}, D),
    # What no wrong model fails is no evidence.
    (CLAIM, A, {"no retries": A, "no queue": A}, {}, Status.INPUT),
    (CLAIM, A, {"no retries": A, "no queue": D}, {}, A),
    (CLAIM, A, {"no retries": A, "no queue": U}, {}, A),
    (CLAIM, A, {SEED: A}, {}, A),
    (FLIPPED, A, {"no retries": A}, {}, A),
    (FLIPPED, A, {"no retries": A, "no queue": A}, {}, Status.INPUT),
    # Another seed turns what is within the noise.
    (CLAIM, A, {SEED: D, "no queue": D}, {}, U),
    (CLAIM, D, {SEED: A, "no queue": D}, {}, U),
    # Another value of the bench turns what hangs on it.
    (CLAIM, A, {}, {"queue: 30": D, "queue: 60": A}, Status.AGREES_IF),
    (CLAIM, D, {}, {"queue: 30": A}, Status.AGREES_IF),
    (CLAIM, A, {}, {"queue: 30": U}, A),
    (CLAIM, U, {}, {"queue: 30": D}, U),
]


@pytest.mark.parametrize(("claim", "found", "models", "values", "status"), CASES)
def test_a_status_follows_from_the_check_and_the_trials(
    claim: Claim,
    found: Status,
    models: dict[str, Status],
    values: dict[str, Status],
    status: Status,
) -> None:
    assert concluded(claim, Verdict(found, (), "so"), models, values).status is status


def test_the_value_or_sentence_that_decides_is_named() -> None:
    def reason(claim: Claim, found: Status, values: dict[str, Status]) -> str:
        return concluded(claim, Verdict(found, (), "so"), {}, values).reason

    assert reason(CLAIM, A, {"queue: 30": D}) == (
        "disagrees-unexplained with queue: 30; agrees: so"
    )
    assert reason(SILENT, D, {}).startswith("the text does not say how long a run takes; ")
    assert reason(FITTED, A, {}) == "the loss was chosen for it; agrees: so"


def test_settled_is_what_agrees_or_is_explained_of_what_can_be_tested() -> None:
    untested = [Status.INPUT, Status.NOT_TESTABLE]
    tally = Tally([A, A, Status.EXPLAINED, D, U, Status.AGREES_IF, *untested])
    assert tally.settled == Share(3, 6)
    assert tally.unexplained == Share(1, 6)
    assert str(tally.settled) == "3 of 6 (50%)"
    assert str(Tally([Status.NOT_RUN]).settled) == ""
