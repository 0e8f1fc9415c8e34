"""One table of every value of a campaign, for whatever reads Parquet."""

import math
from pathlib import Path

import duckdb
import pyarrow
import pyarrow.parquet
import pytest
from conftest import SWEPT

import anechoic as an
from anechoic.campaign.cells import Axis, Cell, Value
from anechoic.campaign.replication import summarise
from anechoic.campaign.tidy import split


def results_of(axis: str, values: tuple[Value, ...], metrics: dict[str, list[float]]) -> an.Results:
    """Give results with a cell for each value, all alike."""
    summaries = {name: summarise(given) for name, given in metrics.items()}
    cells = [Cell({axis: value}, 2, False, summaries) for value in values]
    return an.Results({}, an.Scenario(), [Axis(axis, values)], cells)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("goodput_mbps", ("run", None, "goodput_mbps", None)),
        ("tcp.retransmissions", ("run", None, "tcp.retransmissions", None)),
        ("mac.attempts", ("channel", None, "mac.attempts", None)),
        ("airtime.payload_s", ("channel", None, "airtime.payload_s", None)),
        ("collision_probability", ("channel", None, "collision_probability", None)),
        ("flow.pairs-1.goodput_mbps", ("flow", "pairs-1", "goodput_mbps", None)),
        ("flow.pairs-1.bytes@late", ("flow", "pairs-1", "bytes", "late")),
        ("node.office.retries", ("node", "office", "retries", None)),
        ("wire.lan.drops_from.server", ("wire", "lan", "drops_from.server", None)),
        ("mac.retries@late", ("channel", None, "mac.retries", "late")),
    ],
)
def test_a_name_says_what_the_metric_is_of(
    name: str, parts: tuple[str, str | None, str, str | None]
) -> None:
    assert split(name) == parts


def test_a_value_that_was_not_given_is_null() -> None:
    table = results_of("loss", (0.1,), {"rtt_ms_mean": [math.nan, 7.5]}).records()
    assert table["value"].to_pylist() == [None, 7.5]
    assert table["replication"].to_pylist() == [0, 1]


@pytest.mark.parametrize(
    ("values", "kind", "written"),
    [
        ((2, 4), pyarrow.int64(), [2, 4]),
        ((0, 0.5), pyarrow.float64(), [0.0, 0.5]),
        ((False, True), pyarrow.bool_(), [False, True]),
        (("60 dB", "80 dB"), pyarrow.string(), ["60 dB", "80 dB"]),
        ((1, 2**63), pyarrow.float64(), [1.0, 2.0**63]),
        ((1500, "off", True), pyarrow.string(), ["1500", "off", "true"]),
    ],
)
def test_the_column_of_an_axis_is_of_the_type_that_all_its_values_have(
    values: tuple[Value, ...], kind: pyarrow.DataType, written: list[Value]
) -> None:
    column = results_of("axis", values, {"goodput_mbps": [1.0]}).records()["axis"]
    assert (column.type, column.to_pylist()) == (kind, written)


@pytest.mark.usefixtures("core")
def test_duckdb_groups_by_the_swept_value_without_a_join(swept: Path, tmp_path: Path) -> None:
    results = an.run(swept, out=tmp_path / "out", reps=4, progress=False)
    found = duckdb.sql(
        f"""
        SELECT connections, avg(value), count(value)
        FROM '{tmp_path}/out/metrics.parquet'
        WHERE scope = 'run' AND metric = 'goodput_mbps'
        GROUP BY connections ORDER BY connections
        """
    ).fetchall()
    means = [cell["goodput_mbps"].mean for cell in results.cells]
    assert found == [
        (connections, pytest.approx(mean), 4)
        for connections, mean in zip((2, 4, 8), means, strict=True)
    ]


@pytest.mark.usefixtures("core")
def test_the_file_holds_the_same_table(swept: Path, tmp_path: Path) -> None:
    results = an.run(swept, out=tmp_path / "out", reps=3, progress=False)
    written = pyarrow.parquet.read_table(tmp_path / "out" / "metrics.parquet")
    assert written.equals(results.records())
    assert an.Results.load(tmp_path / "out").records().equals(written)


@pytest.mark.usefixtures("core")
@pytest.mark.parametrize("name", ["value", "metric", "N"])
def test_an_axis_may_not_be_called_as_a_column_of_the_results(name: str, tmp_path: Path) -> None:
    path = tmp_path / "swept.toml"
    path.write_text(SWEPT.replace('"connections"', f'"{name}"'))
    said = f'"{name}" is a column of the results already; allowed: another name'
    with pytest.raises(an.ScenarioError, match=said):
        an.run(path, progress=False)
