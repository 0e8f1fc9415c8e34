"""Signal logs in the forms that people keep them, and transfers beside them."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from handmade import Conversation, save

import anechoic as an
from anechoic.captures.signal.log import read_drops, read_signal_log
from anechoic.captures.signal.transfers import correlations
from anechoic.cli import cli

START_S = 1_700_000_000.0

LINK = """\
1700000000.25
Connected to 02:00:00:00:00:01 (on wlan0)
\tSSID: office
\tfreq: 2412
\tsignal: -55 dBm
\ttx bitrate: 54.0 MBit/s
1700000001.25
Not connected.
"""
DUMP = """\
2023-11-14T22:13:20,250000000+00:00
Station 02:00:00:00:00:01 (on wlan0)
\tinactive time:\t10 ms
\tsignal:  \t-55 [-57, -60] dBm
\tsignal avg:\t-54 dBm
"""
IWCONFIG = """\
1700000000.25 wlan0     IEEE 802.11  ESSID:"office"
1700000000.25           Link Quality=55/70  Signal level=-55 dBm  Noise level=-95 dBm
"""
OLD_IWCONFIG = """\
2023-11-14T22:13:20.250Z
          Link Quality:40/92  Signal level:-55 dBm  Noise level:-95 dBm
"""
PROC = """\
1700000000.25
Inter-| sta-|   Quality        |   Discarded packets               | Missed | WE
 face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22
 wlan0: 0000   55.  -55.  -256        0      0      0      0      0        0
"""
UNSIGNED_PROC = PROC.replace("-55.  -256", "201.  161")
OURS = "time,signal_dbm,noise_dbm\n1700000000.25,-55,-95\n"


@pytest.mark.parametrize(
    ("text", "noise"),
    [
        (LINK, None),
        (DUMP, None),
        (IWCONFIG, -95.0),
        (OLD_IWCONFIG, -95.0),
        (PROC, None),
        (UNSIGNED_PROC, -95.0),
        (OURS, -95.0),
    ],
)
def test_a_level_is_read_with_the_time_before_it(
    text: str, noise: float | None, tmp_path: Path
) -> None:
    log = tmp_path / "signal.log"
    log.write_text(text)
    (reading,) = read_signal_log(log)
    assert reading.time_s == pytest.approx(START_S + 0.25)
    assert (reading.signal_dbm, reading.noise_dbm) == (-55.0, noise)


IWEVENT = """\
Waiting for Wireless Events from interfaces...
00:01:00.250000   wlan0    Link Signal level=-55 dBm  Noise level=-95 dBm
00:01:00.500000   wlan0    Tx packet dropped:02:00:00:00:00:01
23:59:59.750000   wlan0    Link Quality:40/92  Signal level:-60 dBm  Noise level:-95 dBm
23:59:59.800000   wlan0    New Access Point/Cell address:02:00:00:00:00:02
"""


def test_iwevent_has_times_of_day_its_levels_and_the_frames_given_up(tmp_path: Path) -> None:
    log = tmp_path / "card.iwevent"
    log.write_text(IWEVENT)
    found = [(each.time_s, each.signal_dbm, each.noise_dbm) for each in read_signal_log(log)]
    assert found == [(60.25, -55.0, -95.0), (86_399.75, -60.0, -95.0)]
    assert read_drops(log) == [60.5]


OFFICE = """
run.duration = "3 s"
host.server.stack = "linux-6"
ap.office.profile = "plain"
sta.laptop = { ap = "office", stack = "linux-6" }
wire.lan.between = ["server", "office"]
air.loss = "60 dB"
traffic.download = { app = "bulk", from = "server", to = "laptop", bytes = "1 MB" }
tap.cable.at = "wire.lan"
tap.card.at = "events.laptop"
"""


def test_a_simulated_card_writes_a_log_on_the_clock_of_the_captures(tmp_path: Path) -> None:
    scenario = tmp_path / "office.toml"
    scenario.write_text(OFFICE)
    an.run(scenario, reps=1, out=tmp_path / "out", progress=False)
    (folder,) = (tmp_path / "out").glob("records/*/0000.captures")
    joined = an.analyse(folder / "cable.pcapng").signal(folder / "card.iwevent")
    (level,) = joined["signal_dbm_mean"].to_pylist()
    assert level == -45.0  # 15 dBm less 60 dB


def test_only_a_station_has_a_card_that_reports(tmp_path: Path) -> None:
    scenario = tmp_path / "office.toml"
    scenario.write_text(OFFICE.replace("events.laptop", "events.office"))
    with pytest.raises(an.ScenarioError, match=r"tap.card.at: .*allowed: .*events.laptop"):
        an.compile_scenario(an.load(scenario))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there is no signal level with a time"),
        ("\tsignal: -55 dBm\n", "line 1: this signal level has no time before it"),
        ("time,signal_dbm\nnoon,-55\n", "line 2: noon, -55 is not a time and a level"),
    ],
)
def test_a_log_that_cannot_be_read_is_refused(text: str, said: str, tmp_path: Path) -> None:
    log = tmp_path / "signal.log"
    log.write_text(text)
    with pytest.raises(an.ScenarioError, match=said):
        read_signal_log(log)


def fading(tmp_path: Path) -> tuple[Path, Path]:
    """Five transfers, each slower than the last, while the signal falls by 5 dB each."""
    talk = Conversation(start_s=START_S).opened()
    levels = ["time,signal_dbm"]
    for number in range(5):
        start_s = 0.1 + 10 * number
        for step in range(4):
            at_s = start_s + step * (0.05 + 0.02 * number)
            talk.data(at_s, 4 * number + step).ack(at_s + 0.05, 4 * number + step + 1)
        levels += [f"{START_S + start_s + 0.1 * step},{-50 - 5 * number}" for step in range(3)]
    log = tmp_path / "signal.csv"
    log.write_text("\n".join(levels) + "\n")
    return save(tmp_path / "fading.pcap", talk), log


def test_each_transfer_has_the_signal_during_it(tmp_path: Path) -> None:
    capture, log = fading(tmp_path)
    joined = an.analyse(capture).signal(log)
    assert joined["signal_dbm_mean"].to_pylist() == [-50.0, -55.0, -60.0, -65.0, -70.0]
    rate, *_ = correlations(joined.slice(1)).to_pylist()
    assert (rate["quantity"], rate["n"]) == ("throughput_mbps", 4)
    assert rate["spearman"] == pytest.approx(1.0)


def test_a_log_by_another_clock_is_moved_by_the_offset(tmp_path: Path) -> None:
    capture, log = fading(tmp_path)
    late = tmp_path / "late.csv"
    head, *lines = log.read_text().splitlines()
    moved = [f"{float(at) + 3600},{level}" for at, level in (line.split(",") for line in lines)]
    late.write_text("\n".join([head, *moved]) + "\n")
    analysis = an.analyse(capture)
    assert analysis.signal(late, offset_s=-3600).equals(analysis.signal(log))
    with pytest.raises(an.ScenarioError, match=r"no transfer falls into its time.*--signal-offset"):
        analysis.signal(late)


@pytest.mark.parametrize("station", ["10.0.0.1", "10.0.0.2"])
def test_levels_of_several_stations_are_told_apart_by_their_addresses(
    tmp_path: Path, station: str
) -> None:
    """The log is believed, also where the capture alone would take the other end."""
    capture, log = fading(tmp_path)
    rows = log.read_text().splitlines()
    both = [f"{rows[0]},station"]
    both += [f"{row},{station}" for row in rows[1:]] + [f"{START_S + 0.2},-90,10.0.0.9"]
    log.write_text("\n".join(both) + "\n")
    means = an.analyse(capture).signal(log)["signal_dbm_mean"].to_pylist()
    assert means == [-50.0, -55.0, -60.0, -65.0, -70.0]


def test_the_report_has_the_signal(tmp_path: Path) -> None:
    capture, log = fading(tmp_path)
    out = tmp_path / "out"
    arguments = ["analyse", str(capture), "--out", str(out), "--signal", str(log)]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<h2>Signal</h2>" in page
    assert "Spearman" in page
    assert (out / "figures" / "signal.png").is_file()
    assert (out / "signal.csv").read_text().splitlines()[0].endswith("signal_readings")
    again = CliRunner().invoke(cli, arguments[:4])
    assert again.exit_code == 0, again.output
    assert not (out / "signal.csv").exists()
    assert not (out / "figures" / "signal.png").exists()
