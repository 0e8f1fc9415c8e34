"""A weak station starves where its rivals do not hear it, and the ledgers tell why."""

from pathlib import Path

import pytest

import anechoic as an


@pytest.fixture(scope="module", params=[15, 18, 20])
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> an.Results:
    """Give the example's results with a station so many decibels weaker than the two others."""
    out: Path = tmp_path_factory.mktemp("starved")
    far = {"air.link.far.loss": f"{70 + request.param} dB"}
    return an.run("starved", set=far, reps=4, out=out / "out", progress=False)


def goodput(cell: an.Cell, flow: str) -> float:
    return cell[f"flow.{flow}-1.goodput_mbps"].mean


def share(cell: an.Cell, vantage: str, use: str) -> float:
    return cell[f"node.{vantage}.airtime.{use}_share"].mean


def test_it_starves_upwards_alone_and_only_where_it_is_not_heard(found: an.Results) -> None:
    for cell in found.cells:
        weak, strong = goodput(cell, "weak"), goodput(cell, "strong")
        if cell.parameters == {"data": "up", "rivals": "do not hear it"}:
            assert weak < 0.01 * strong
        else:
            assert weak == pytest.approx(strong, rel=0.15)


def test_the_ledgers_tell_why(found: an.Results) -> None:
    starved = found.cell(data="up", rivals="do not hear it")
    # The access point has a full channel and decodes whoever is stronger.
    assert share(starved, "office", "payload") > 0.55
    assert share(starved, "office", "collision") < 0.1
    # The station has silence, and what it sends into it is in vain.
    assert share(starved, "weak", "backoff") > 0.6
    assert share(starved, "weak", "collision") > 0.15
    assert share(starved, "weak", "payload") < 0.001
    assert starved["node.weak.drops_retry_limit"].mean > 300


def test_one_that_is_heard_has_the_ledger_of_its_access_point(found: an.Results) -> None:
    heard = found.cell(data="up", rivals="hear it")
    for use in ("payload", "backoff", "collision"):
        ours, theirs = (share(heard, vantage, use) for vantage in ("weak", "office"))
        assert ours == pytest.approx(theirs, abs=0.05)
    assert heard["node.weak.drops_retry_limit"].mean < 1
