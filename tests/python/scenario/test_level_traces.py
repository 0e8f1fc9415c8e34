"""Links that fade as a file tells, and files that cannot be meant."""

from pathlib import Path

import pytest
from refused import refusal_of

import anechoic as an

BENCH = """\
run.duration = "2 s"
host.server.stack = "linux-6"
wire.lan.between = ["server", "office"]
ap.office = {}
sta.laptop = { ap = "office", stack = "linux-6" }
traffic.download = { app = "bulk", from = "server", to = "laptop" }

[air.link.desk]
between = ["office", "laptop"]
loss = "60 dB"
fading.walk = { kind = "level-trace", file = "walk.log", reference = "-45 dBm" }
"""
LOSSES = BENCH.replace(', reference = "-45 dBm"', "")

IW = """\
1700000000.000000000
Connected to 02:00:00:00:00:01 (on wlan0)
\tsignal: -45 dBm
1700000000.500000000
Connected to 02:00:00:00:00:01 (on wlan0)
\tsignal: -51 dBm
1700000001.000000000
Connected to 02:00:00:00:00:01 (on wlan0)
\tsignal: -43 dBm
"""
IWCONFIG = """\
2026-03-01T12:00:00,000000000
          Link Quality=65/70  Signal level=-45 dBm
2026-03-01T12:00:00,500000000
          Link Quality=59/70  Signal level=-51 dBm
2026-03-01T12:00:01,000000000
          Link Quality=67/70  Signal level=-43 dBm
"""
IWEVENT = """\
00:00:07.000000   wlan0    Link Signal level=-45 dBm  Noise level=-95 dBm
00:00:07.500000   wlan0    Link Signal level=-51 dBm  Noise level=-95 dBm
00:00:08.000000   wlan0    Link Signal level=-43 dBm  Noise level=-95 dBm
"""
OURS = "time,signal_dbm\n0,-45\n0.5,-51\n1,-43\n"


def levels(folder: Path, text: str, log: str) -> list[list[float]]:
    """Give the readings in the plan of a scenario whose file holds this."""
    (folder / "walk.log").write_text(log, encoding="utf-8")
    path = folder / "lab.toml"
    path.write_text(text, encoding="utf-8")
    air = an.compile_scenario(an.load(path))["air"]
    (process,) = air["fading"][0]["by"]
    readings: list[list[float]] = air["levels"][process["file"]]
    return readings


@pytest.mark.parametrize("log", [IW, IWCONFIG, IWEVENT, OURS])
def test_what_a_card_logged_is_told_by_decibels_above_the_reference(
    tmp_path: Path, log: str
) -> None:
    assert levels(tmp_path, BENCH, log) == [[0, 0], [500_000_000, -6], [1_000_000_000, 2]]


def test_a_file_of_losses_needs_no_reference(tmp_path: Path) -> None:
    losses = "time,loss_db\n10,0\n10.5,6\n11,-2\n"
    assert levels(tmp_path, LOSSES, losses) == [[0, 0], [500_000_000, -6], [1_000_000_000, 2]]


def test_two_links_of_the_same_file_have_it_once(tmp_path: Path) -> None:
    waves = '[air.link.desk.fading.again]\nkind = "level-trace"\nfile = "walk.log"\n'
    waves += 'reference = "-45 dBm"\nlongest_gap = "5 s"\n'
    (tmp_path / "walk.log").write_text(OURS, encoding="utf-8")
    (tmp_path / "lab.toml").write_text(BENCH + waves, encoding="utf-8")
    air = an.compile_scenario(an.load(tmp_path / "lab.toml"))["air"]
    one, other = air["fading"][0]["by"]
    assert one["file"] == other["file"]
    assert len(air["levels"]) == 1


def test_the_card_of_a_run_reports_what_the_file_of_it_tells(tmp_path: Path) -> None:
    """15 dBm less 60 dB are the -45 dBm that stand for the link's own loss.

    What the card tells is the mean of a tenth of a second, which may lie over a change.
    """
    (tmp_path / "walk.log").write_text(OURS, encoding="utf-8")
    tapped = 'tap.card.at = "events.laptop"\n' + BENCH
    (tmp_path / "lab.toml").write_text(tapped, encoding="utf-8")
    an.run(tmp_path / "lab.toml", reps=1, out=tmp_path / "out", progress=False)
    (log,) = (tmp_path / "out").glob("records/*/0000.captures/card.iwevent")
    told = {
        line.partition("level=")[2].partition(" dBm")[0] for line in log.read_text().split("\n")
    }
    assert told >= {"-45", "-51", "-43"}


WRONG = {
    "disorder": (
        OURS.replace("0.5,", "1.5,"),
        "walk.file: walk.log: line 4: its time is not after that of the reading before",
    ),
    "a time twice": (
        OURS.replace("0.5,", "0,"),
        "walk.file: walk.log: line 3: its time is not after that of the reading before",
    ),
    "a gap": (
        "time,signal_dbm\n0,-45\n0.01,-46\n0.02,-47\n0.9,-47\n0.91,-47\n2,-50\n",
        "walk.file: walk.log: lines 4 and 5 lie 0.88 s apart; "
        "allowed: at most 0.1 s between readings, 10 times their median, or a longest_gap",
    ),
    "an early end": (
        "time,signal_dbm\n0,-45\n0.01,-46\n0.02,-47\n",
        "walk.file: walk.log: its last reading is at 0.02 s, and the run lasts 2 s; allowed: at",
    ),
    "a scale of the card": (
        IWCONFIG.replace("level=-51 dBm", "level=59/70"),
        "walk.file: walk.log: line 4: a level of 59/70 is one of the card's own scale",
    ),
    "no sign": (
        OURS.replace("-51", "51"),
        "walk.file: walk.log: line 3: 51 dBm is no level that a radio receives",
    ),
    "milliwatts": (
        OURS.replace("signal_dbm", "signal_mw"),
        "walk.file: walk.log: line 1: time, signal_mw: neither signal_dbm nor loss_db; allowed: iw",
    ),
    "no number": (
        OURS.replace("-51", "weak"),
        "walk.file: walk.log: line 3: 0.5, weak is not a time and a level",
    ),
    "one reading": (
        "time,signal_dbm\n0,-45\n",
        "walk.file: walk.log: there are 1 readings, of which no change follows",
    ),
    "two stations": (
        "time,signal_dbm,station\n0,-45,02:00:00:00:00:01\n1,-45,02:00:00:00:00:02\n",
        "walk.file: walk.log: line 3: a reading of 02:00:00:00:00:02, and above are those of "
        "02:00:00:00:00:01",
    ),
    "losses with a reference": (
        "time,loss_db\n0,0\n1,6\n",
        "walk.reference: walk.log tells losses, which stand for themselves",
    ),
    "a loss that is none": (
        "time,loss_db\n0,0\n1,600\n",
        "walk.file: walk.log: line 3: 600 dB is no change of a loss",
    ),
}


@pytest.mark.parametrize(("log", "said"), WRONG.values(), ids=WRONG)
def test_a_file_that_cannot_be_meant_is_refused(tmp_path: Path, log: str, said: str) -> None:
    (tmp_path / "walk.log").write_text(log, encoding="utf-8")
    assert f"lab.toml: air.link.desk.fading.{said}" in refusal_of(tmp_path, BENCH)


def test_levels_in_dbm_need_a_reference(tmp_path: Path) -> None:
    (tmp_path / "walk.log").write_text(OURS, encoding="utf-8")
    said = refusal_of(tmp_path, LOSSES)
    assert "walk.reference: missing, and walk.log tells levels in dBm" in said


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    said = refusal_of(tmp_path, BENCH)
    assert "walk.file: walk.log: cannot be read: No such file or directory" in said


def test_a_longest_gap_of_its_own_lets_a_file_pause(tmp_path: Path) -> None:
    log = "time,signal_dbm\n0,-45\n0.01,-46\n0.02,-47\n0.9,-47\n"
    patient = BENCH.replace('"-45 dBm"', '"-45 dBm", longest_gap = "2 s"')
    assert len(levels(tmp_path, patient, log)) == 4
