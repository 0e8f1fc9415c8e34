import csv
import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import anechoic as an
from anechoic.campaign.table import text

pytestmark = pytest.mark.usefixtures("core")


@pytest.fixture
def results(swept: Path, tmp_path: Path) -> an.Results:
    return an.run(swept, out=tmp_path / "out", reps=4, progress=False)


def test_a_cell_is_found_by_its_parameters(results: an.Results) -> None:
    assert results.cell(connections=4).parameters == {"connections": 4}
    with pytest.raises(LookupError, match=r"0 cells have .*connections = 2, 4, 8"):
        results.cell(connections=5)
    with pytest.raises(LookupError, match="3 cells have"):
        results.cell()


def test_the_document_holds_a_summary_for_each_cell_and_metric(results: an.Results) -> None:
    document = json.loads(results.to_json())
    assert document["campaign"]["name"] == "swept"
    assert document["campaign"]["seed"] == 1
    cell = document["cells"][0]
    assert cell["parameters"] == {"connections": 2}
    assert (cell["replications"], cell["limit_reached"]) == (4, False)
    goodput = cell["metrics"]["goodput_mbps"]
    assert list(goodput) == ["mean", "ci95", "sd", "min", "max", "n"]
    assert goodput["min"] <= goodput["mean"] <= goodput["max"]


def test_one_replication_gives_a_document_with_null_intervals(
    baseline: Path, tmp_path: Path
) -> None:
    results = an.run(baseline, out=tmp_path / "out", reps=1, progress=False)
    goodput = json.loads(results.to_json())["cells"][0]["metrics"]["goodput_mbps"]
    assert (goodput["ci95"], goodput["sd"], goodput["n"]) == (None, None, 1)


def test_frames_have_a_row_for_each_cell_and_metric(results: an.Results) -> None:
    polars, pandas = results.to_polars(), results.to_pandas()
    assert polars.columns == list(pandas.columns)
    assert polars.shape == pandas.shape == (6, 10)
    rows = list(csv.DictReader(io.StringIO(results.to_csv())))
    assert len(rows) == 6
    assert float(rows[0]["mean"]) == polars["mean"][0] == pandas["mean"][0]
    assert [row["connections"] for row in rows[::2]] == ["2", "4", "8"]


def test_a_library_of_frames_that_is_not_there_is_told_with_how_to_get_it(
    results: an.Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    said = r"polars is not installed; pip install 'anechoic\[polars\]' installs it"
    with pytest.raises(ModuleNotFoundError, match=said):
        results.to_polars()


def test_records_have_a_row_for_each_replication(results: an.Results) -> None:
    records = results.records().to_pylist()
    assert len(records) == 3 * 4 * 2
    assert records[0] == {
        "connections": 2,
        "replication": 0,
        "scope": "run",
        "of": None,
        "metric": "goodput_mbps",
        "window": None,
        "value": results.cells[0]["goodput_mbps"].values[0],
    }


def test_timing_records_and_series_come_from_the_folder(swept: Path, tmp_path: Path) -> None:
    results = an.run(
        swept, out=tmp_path / "out", reps=1, set={"run.series_step": "1 s"}, progress=False
    )
    cell = results.cell(connections=8)
    assert results.timing_records(cell).to_pylist() == [
        {"flow": "pairs-1", "index": 0, "start_s": 1.0, "elapsed_s": 2.0, "bytes": 3}
    ]
    types = {field.name: str(field.type) for field in results.timing_records(cell).schema}
    assert (types["index"], types["bytes"]) == ("int64", "int64")
    assert results.series(cell).column("goodput").to_pylist() == [5.0, 6.0]
    with pytest.raises(LookupError, match="no series of replication 1"):
        results.series(cell, 1)


def test_samples_of_tcp_info_come_from_the_folder(swept: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    results = an.run(swept, out=out, reps=2, set={"run.tcp_info_step": "1 s"}, progress=False)
    samples = results.tcp_info(results.cell(connections=8), replication=1)
    assert samples.slice(1, 2).to_pylist() == [
        {"time_s": 1.0, "flow": "pairs-1", "end": "receiver", "tcpi_snd_cwnd": 10},
        {"time_s": 2.0, "flow": "pairs-1", "end": "sender", "tcpi_snd_cwnd": 20},
    ]
    last = results.connections().to_pylist()
    assert len(last) == 3 * 2 * 2
    where = {"connections": 8, "replication": 1, "flow": "pairs-1", "end": "receiver"}
    assert last[-1] == {**where, "time_s": 2.0, "tcpi_snd_cwnd": 20}
    written = csv.DictReader(io.StringIO((out / "connections.csv").read_text("utf-8")))
    assert [row["tcpi_snd_cwnd"] for row in written] == ["20"] * 12


def test_without_a_step_there_are_no_samples_of_tcp_info(results: an.Results) -> None:
    with pytest.raises(LookupError, match="no tcp_info of replication 0"):
        results.tcp_info(results.cells[0])
    assert results.connections().num_rows == 0


def test_the_table_shows_an_interval_and_n(results: an.Results) -> None:
    _, _, table = text(results).partition("\n\n")  # behind the answer
    title, head, _, first, *_ = table.splitlines()
    assert title == "Baseline throughput"
    assert head.split() == ["connections", "goodput_mbps", "n"]
    assert first.split()[0] == "2"
    assert first.split()[2] == "±"
    assert first.split()[-1] == "4"


def test_a_limit_that_was_reached_is_marked(swept: Path, tmp_path: Path) -> None:
    rule = {"replication.min": 2, "replication.max": 2, "replication.precision": 0.0001}
    shown = text(an.run(swept, out=tmp_path / "out", set=rule, progress=False))
    assert "2*" in shown
    assert "* limit of 2 replications reached before 0.01 %" in shown


def test_in_a_notebook_the_results_draw_themselves(results: an.Results) -> None:
    assert results._repr_html_() == "3 cells, drawn"


def test_a_metric_that_some_replications_lack_counts_only_the_others(
    swept: Path, tmp_path: Path
) -> None:
    # The stand-in leaves the RTT out about every second time, as a run without a sample does.
    results = an.run(swept, out=tmp_path / "out", reps=12, progress=False)
    two, four = results.cell(connections=2), results.cell(connections=4)
    rtt = two["rtt_ms_mean"]
    assert 0 < rtt.n < 12
    assert len(rtt.values) == 12
    assert results.difference(two, four, "rtt_ms_mean").n == rtt.n


def test_a_rule_on_a_metric_that_is_never_given_ends_at_the_limit(
    baseline: Path, tmp_path: Path
) -> None:
    rule = {"replication.metric": "tcp.timeouts", "replication.min": 2, "replication.max": 3}
    cell = an.run(baseline, out=tmp_path / "out", set=rule, progress=False).cells[0]
    assert (cell.replications, cell.limit_reached) == (3, True)


def test_a_metric_that_one_cell_lacks_keeps_its_column(results: an.Results) -> None:
    cell = results.cells[1]
    others = {name: each for name, each in cell.metrics.items() if name != "goodput_mbps"}
    results.cells[1] = replace(cell, metrics=others)
    _, _, table = text(results).partition("\n\n")
    _, head, _, *rows = table.splitlines()
    assert head.split() == ["connections", "goodput_mbps", "n"]
    assert rows[1].split() == ["4", "–", "4"]
    assert "±" in rows[0]


def test_progress_says_when_no_replication_gave_the_metric(
    baseline: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = {"replication.metric": "tcp.timeouts", "replication.min": 2, "replication.max": 3}
    an.run(baseline, out=tmp_path / "out", set=rule)
    assert "cell 1/1: no replication gave tcp.timeouts, n = 3" in capsys.readouterr().err


def test_a_metric_that_is_not_there_is_named_with_its_neighbours(results: an.Results) -> None:
    two, four = results.cells[:2]
    said = (
        'the cell connections = 2: there is no metric "goodput"; '
        "allowed: goodput_mbps, rtt_ms_mean; did you mean goodput_mbps?"
    )
    with pytest.raises(an.ScenarioError) as caught:
        two["goodput"]
    assert str(caught.value) == said
    assert isinstance(caught.value, LookupError)
    with pytest.raises(an.ScenarioError, match='there is no metric "foo"'):
        results.difference(two, four, "foo")


def test_results_and_cells_are_named_in_a_line(results: an.Results) -> None:
    assert repr(results) == "<Results of swept: 3 cells, connections × 3>"
    assert repr(results.cells[0]) == "<Cell connections = 2: n = 4, 2 metrics>"
