"""Receivers that hear another cell more weakly than their own, and radios that do not read OFDM."""

from pathlib import Path

import pytest

import anechoic as an

OWN, NOWHERE = "64 dB", "200 dB"
CROSSING = {"s-b": ["s", "b"], "t-a": ["t", "a"]}
"""The stations reach each other's access points."""
PARTLY = CROSSING | {"a-b": ["a", "b"]}
"""The same, and the access points hear each other: all but the stations do."""


def two_cells(
    standard: str, crossing: dict[str, list[str]], loss: str, offered: str, **air: str
) -> an.Scenario:
    """Describe two pairs whose stations do not hear each other, s at \"a\" and t at \"b\"."""
    links = {"s-a": ["s", "a"], "t-b": ["t", "b"]}
    return an.Scenario(
        run=an.Run(duration="6 s", warmup="1 s"),
        host={"server": an.Host()},
        switch={"lan": an.Switch()},
        ap={"a": an.AccessPoint(), "b": an.AccessPoint()},
        sta={
            "s": an.Station(ap="a", rate="6 Mbit/s" if standard == "802.11g" else "2 Mbit/s"),
            "t": an.Station(ap="b", rate="6 Mbit/s" if standard == "802.11g" else "2 Mbit/s"),
        },
        wire={end: an.Wire(between=["lan", end]) for end in ("a", "b", "server")},
        air=an.Air(
            standard=standard,
            loss=NOWHERE,
            link={name: an.AirLink(between=ends, loss=OWN) for name, ends in links.items()}
            | {name: an.AirLink(between=ends, loss=loss) for name, ends in crossing.items()},
            **air,
        ),
        traffic={
            "small": an.Udp(from_="s", to="server", rate=offered),
            "flood": an.Udp(from_="t", to="server"),
        },
    )


def goodput(cell: an.Scenario, out: Path, metric: str = "goodput_mbps") -> float:
    return an.run(cell, reps=2, progress=False, out=out).cells[0][metric].mean


@pytest.mark.parametrize("crossing", [CROSSING, PARTLY])
@pytest.mark.parametrize("loss", ["100 dB", "85 dB"])
def test_a_far_weaker_cell_takes_nothing_from_ones_own(
    crossing: dict[str, list[str]], loss: str, tmp_path: Path
) -> None:
    beside = two_cells("802.11g", crossing, loss, "20 Mbit/s")
    apart = two_cells("802.11g", crossing, NOWHERE, "20 Mbit/s")
    alone = goodput(apart, tmp_path / "apart")
    assert alone == pytest.approx(10.44, rel=0.01)
    assert goodput(beside, tmp_path / "beside") == pytest.approx(alone, rel=0.01)
    # The other cell's frames are sensed under nearly every one of these, and do no harm.
    assert goodput(beside, tmp_path / "beside", "collision_probability") < 0.01


@pytest.mark.parametrize("standard", ["802.11b", "802.11g"])
def test_a_receiver_on_a_weaker_cells_frame_is_not_deaf_to_its_own(
    standard: str, tmp_path: Path
) -> None:
    # Where t is on the air nearly all the time, most frames of s begin under one of t's.
    def retried(capture: str) -> float:
        cell = two_cells(standard, CROSSING, "95 dB", "0.5 Mbit/s", capture=capture)
        results = an.run(cell, reps=2, progress=False, out=tmp_path / capture).cells[0]
        return results["node.s.retries"].mean / results["node.s.attempts"].mean

    assert retried("payload") < 0.05
    assert retried("detection") > 0.3, "the standard's receiver stays with what it has detected"


def beside_ofdm(loss: str, protection: str) -> an.Scenario:
    """Describe a station of 802.11b beside one of OFDM, with so much between them."""
    ends = ("new", "old")
    return an.Scenario(
        run=an.Run(duration="6 s", warmup="1 s"),
        host={"server": an.Host()},
        ap={"ap": an.AccessPoint(protection=protection)},
        sta={
            "new": an.Station(ap="ap", rate="24 Mbit/s", protection=protection),
            "old": an.Station(ap="ap", standard="802.11b"),
        },
        wire={"lan": an.Wire(between=["server", "ap"])},
        air=an.Air(
            standard="802.11g",
            loss=loss,
            link={end: an.AirLink(between=[end, "ap"], loss="60 dB") for end in ends},
        ),
        traffic={end: an.Udp(from_=end, to="server") for end in ends},
    )


def test_a_radio_of_dsss_does_not_defer_to_ofdm_below_its_energy_detection(tmp_path: Path) -> None:
    found = {
        (loss, protection): goodput(beside_ofdm(loss, protection), tmp_path / loss / protection)
        for loss, protection in (
            ("80 dB", "none"),
            ("91 dB", "none"),
            ("91 dB", "cts-to-self"),
            ("80 dB", "cts-to-self"),
        )
    }
    assert found["91 dB", "none"] < 0.8 * found["80 dB", "none"]
    # A CTS of DSSS is read at either distance, and pays where OFDM is not sensed.
    assert found["91 dB", "cts-to-self"] > 1.15 * found["91 dB", "none"]
    assert found["91 dB", "cts-to-self"] == pytest.approx(found["80 dB", "cts-to-self"], rel=0.05)
