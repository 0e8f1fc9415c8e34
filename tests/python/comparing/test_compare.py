"""Campaigns side by side, and beside what other tools measured."""

import gzip
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import anechoic as an
from anechoic.campaign.replication import summarise
from anechoic.cli import cli
from anechoic.comparing.side import side_of

pytestmark = pytest.mark.usefixtures("core")

IPERF3 = {
    "start": {"version": "iperf 3.16", "test_start": {"protocol": "TCP", "num_streams": 2}},
    "intervals": [],
    "end": {
        "streams": [
            {"sender": {"mean_rtt": 20_000, "retransmits": 3}, "receiver": {}},
            {"sender": {"mean_rtt": 30_000, "retransmits": 4}, "receiver": {}},
        ],
        "sum_sent": {"bits_per_second": 6.2e6, "retransmits": 7},
        "sum_received": {"bits_per_second": 6.0e6},
    },
}
# The structure of Flent's own examples: what it made out of other series has no raw values, and
# what it asked of sockets and queues stands beside what was measured.
FLENT: dict[str, Any] = {
    "version": 4,
    "metadata": {
        "NAME": "rrul",
        "SERIES_META": {
            "Ping (ms) ICMP": {"UNITS": "ms", "RUNNER": "PingRunner"},
            "TCP upload BE": {"UNITS": "Mbits/s", "MEAN_VALUE": 2.0},
            "TCP upload BE::tcp_rtt": {"UNITS": None},
            "TCP upload BE2": {"UNITS": "Mbits/s", "MEAN_VALUE": 0.5},
            "TCP upload fairness": {"UNITS": "Mbits/s", "RUNNER": "FairnessRunner"},
            "TCP totals": {"UNITS": "Mbits/s", "RUNNER": "SumRunner"},
        },
    },
    "x_values": [0.0, 0.2],
    "results": {
        "Ping (ms) ICMP": [20.0, 30.0],
        "Ping (ms) UDP BE1": [55.0, None],
        "TCP upload BE": [1.0, 3.0],
        "TCP upload BE::tcp_rtt": [68.0, 69.0],
        "TCP upload BE2": [4.0, None],
        "TCP upload fairness": [0.8, 0.8],
        "TCP download BE": [4.0, None],
        "TCP totals": [5.0, 3.0],
        "qdisc_stats_gateway::backlog_bytes": [9000.0, 12000.0],
    },
    "raw_values": {
        "Ping (ms) ICMP": [{"seq": 0, "t": 1.0, "val": 20.0}],
        "Ping (ms) UDP BE1": [{"dur": 0.2, "t": 1.0, "val": 55.0}],
        "TCP upload BE": [{"dur": 0.2, "t": 1.0, "val": 1.0}],
        "TCP upload BE::tcp_rtt": [{"t": 1.0, "val": 68.0}],
        "TCP upload BE2": [{"dur": 0.2, "t": 1.0, "val": 4.0}],
        "TCP download BE": [{"dur": 0.2, "t": 1.0, "val": 4.0}],
        "TCP totals": [],
    },
}


def saved(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document), "utf-8")
    return path


def two_runs(swept: Path, tmp_path: Path) -> tuple[Path, Path]:
    an.run(swept, out=tmp_path / "before", reps=4, progress=False)
    fewer = {"traffic.pairs.transactions_per_record": [16, 8]}
    an.run(swept, out=tmp_path / "after", sweep=fewer, reps=4, progress=False)
    return tmp_path / "before", tmp_path / "after"


def test_differences_are_paired_by_seed(swept: Path, tmp_path: Path) -> None:
    # The stand-in's noise depends on the seed alone, so that equal cells do not differ at all.
    found = an.compare(*two_runs(swept, tmp_path))
    goodput = [row for row in found.rows if row.metric == "goodput_mbps"]
    assert [row.parameters for row in goodput] == [{"connections": n} for n in (2, 4, 8)]
    two, four, eight = goodput
    for row in (two, four):
        (difference,) = row.differences
        assert difference is not None
        assert (difference.mean, difference.ci95, difference.n) == (0, 0, 4)
        assert difference.is_paired
    assert eight.summaries[1] is None
    assert eight.differences == [None]


def test_campaigns_of_two_seeds_are_compared_by_their_means(baseline: Path, tmp_path: Path) -> None:
    one = an.run(baseline, out=tmp_path / "one", reps=5, progress=False)
    two = an.run(baseline, out=tmp_path / "two", reps=9, seed=2, progress=False)
    row = next(row for row in an.compare(one, two).rows if row.metric == "goodput_mbps")
    (difference,) = row.differences
    first, second = one.cells[0]["goodput_mbps"], two.cells[0]["goodput_mbps"]
    assert difference is not None
    assert not difference.is_paired
    assert difference.mean == pytest.approx(second.mean - first.mean)
    # Wider than the two standard errors together, for want of degrees of freedom.
    error = (first.sd**2 / 5 + second.sd**2 / 9) ** 0.5
    assert 1.96 * error < difference.ci95 < 3 * error


def test_what_was_measured_is_not_paired_with_what_was_simulated(
    baseline: Path, tmp_path: Path
) -> None:
    ours = an.run(baseline, out=tmp_path / "sim", reps=3, progress=False)
    cell = ours.cells[0]
    valid = {"emulation.valid": summarise([1.0, 0.0, 1.0])}
    emulated = replace(
        ours,
        campaign={**ours.campaign, "backend": "emu"},
        cells=[replace(cell, metrics={**cell.metrics, **valid})],
        out=tmp_path / "emu",
    )
    live = replace(ours, campaign={**ours.campaign, "backend": "live"}, out=tmp_path / "live")
    found = an.compare(ours, emulated, live)
    differences = [each for row in found.rows for each in row.differences if each is not None]
    assert differences and not any(each.is_paired for each in differences)
    told = re.sub(r"\s+", " ", found.text())
    assert "sim: simulated, with the TCP of the scenario's stacks" in told
    assert "real nodes; 2 of 3 runs are valid" in told
    assert "live: measured on real machines, with the TCP of their kernels" in told
    again = an.compare(ours, ours)
    assert "simulated" not in again.text(), "of one kind there is nothing to tell apart"


def test_iperf3_and_flent_stand_beside_ours(baseline: Path, tmp_path: Path) -> None:
    ours = an.run(baseline, out=tmp_path / "ours", reps=3, progress=False)
    iperf3 = saved(tmp_path / "office.json", IPERF3)
    flent = tmp_path / "rrul.flent.gz"
    flent.write_bytes(gzip.compress(json.dumps(FLENT).encode()))
    found = an.compare(ours, iperf3, flent)
    assert [side.kind for side in found.sides] == ["campaign", "iperf3", "flent"]
    by_metric = {row.metric: row for row in found.rows}
    goodput = by_metric["goodput_mbps"]
    measured = [None if each is None else each.mean for each in goodput.summaries[1:]]
    assert measured == [6.0, pytest.approx(2.0 + 0.5 + 4.0)]
    iperf3_side, flent_side = (side.cells[0].metrics for side in found.sides[1:])
    assert iperf3_side["tcp.rtt_ms_mean"].mean == 25.0
    assert flent_side["ping.rtt_ms_mean"].mean == pytest.approx(35.0)
    assert all(each is not None and not each.is_paired for each in goodput.differences)
    assert "rrul.flent.gz" in found.text()


def test_older_files_of_flent_keep_no_raw_values(tmp_path: Path) -> None:
    old = {name: part for name, part in FLENT.items() if name not in ("version", "raw_values")}
    metrics = side_of(saved(tmp_path / "old.flent", old)).cells[0].metrics
    assert metrics["goodput_mbps"].mean == pytest.approx(2.0 + 0.5 + 4.0)


def test_a_folder_of_measurements_is_one_side_with_an_interval(
    baseline: Path, tmp_path: Path
) -> None:
    ours = an.run(baseline, out=tmp_path / "ours", reps=3, progress=False)
    (tmp_path / "measured").mkdir()
    for place, mbps in enumerate((5.0, 6.0, 7.0)):
        end = {**IPERF3["end"], "sum_received": {"bits_per_second": 1e6 * mbps}}
        saved(tmp_path / "measured" / f"{place}.json", {**IPERF3, "end": end})
    row = an.compare(ours, tmp_path / "measured", metrics=["goodput_mbps"]).rows[0]
    assert row.summaries[1] is not None
    assert (row.summaries[1].mean, row.summaries[1].n) == (6.0, 3)


def test_the_command_prints_a_table_and_leaves_a_page(
    swept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(__import__("sys").modules, "anechoic.report")
    before, after = two_runs(swept, tmp_path)
    out = tmp_path / "compared"
    words = ["compare", str(before), str(after), "--out", str(out)]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.stderr
    assert max(map(len, done.stdout.splitlines()[:-1])) <= 80
    assert "− before" in done.stdout
    assert "paired by seed" in done.stdout
    page = (out / "comparison.html").read_text("utf-8")
    assert "<table>" in page
    assert "http://" not in page.split("<script>")[0]
    document = json.loads(CliRunner().invoke(cli, [*words, "--json"]).stdout)
    assert document == json.loads((out / "comparison.json").read_text("utf-8"))
    assert document["rows"][0]["differences"][0]["paired"] is True


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "it is no JSON"),
        ("[]", "it is not whole, or of another version than is known"),
        ('{"start": {}, "intervals": [], "end": {}}', "it has no sums"),
        ('{"start": {}, "intervals": [], "end": {}, "error": "no route"}', "iperf3 says: no route"),
        ('{"a": 1}', "it is of none of iperf3, Flent, irtt, crusader, ndt7"),
    ],
)
def test_what_is_no_measurement_is_refused(content: str, said: str, tmp_path: Path) -> None:
    good = saved(tmp_path / "good.json", IPERF3)
    bad = tmp_path / "bad.json"
    bad.write_text(content, "utf-8")
    done = CliRunner().invoke(cli, ["compare", str(good), str(bad), "--out", str(tmp_path / "x")])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"anechoic: {bad}: {said}")
    assert done.stderr.count("\n") == 1


def test_mistakes_are_told_in_a_line(swept: Path, baseline: Path, tmp_path: Path) -> None:
    before, after = two_runs(swept, tmp_path)
    with pytest.raises(an.ScenarioError, match="nothing to compare with"):
        an.compare(before)
    with pytest.raises(an.ScenarioError, match="did you mean goodput_mbps"):
        an.compare(before, after, metrics=["goodput"])
    with pytest.raises(an.ScenarioError, match="cannot be read: No such file"):
        an.compare(before, tmp_path / "none")
    axis = {"air.loss": ["48 dB", "60 dB"]}
    an.run(baseline, out=tmp_path / "other", sweep=axis, reps=2, progress=False)
    with pytest.raises(an.ScenarioError, match="do not have its axis"):
        an.compare(before, tmp_path / "other")
