"""What people read on a terminal fits it, and no word is broken."""

import pytest
from click.testing import CliRunner

import anechoic as an
from anechoic.campaign.table import fitted
from anechoic.cli import cli
from anechoic.fitting import wrapped

HEAD = ["vendor", "goodput_mbps", "rtt_ms_mean", "n"]
ROWS = [["vendor-a", "4.996 ± 0.011", "23.50 ± 0.41", "12"]]


@pytest.fixture
def columns(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("COLUMNS", str(request.param))
    return int(request.param)


@pytest.mark.parametrize("columns", [80], indirect=True)
def test_a_table_that_fits_has_all_columns(columns: int) -> None:
    assert len(fitted(HEAD, ROWS, range(2, 3))[0]) <= columns
    assert "rtt_ms_mean" in fitted(HEAD, ROWS, range(2, 3))[0]


@pytest.mark.parametrize("columns", [40], indirect=True)
def test_columns_without_room_are_named_below(columns: int) -> None:
    lines = fitted(HEAD, ROWS, range(2, 3))
    assert lines == [
        "  vendor   goodput_mbps   n",
        "────────  ─────────────  ──",
        "vendor-a  4.996 ± 0.011  12",
        "not shown for want of room: rtt_ms_mean",
    ]
    assert max(map(len, lines)) <= columns


@pytest.mark.parametrize("columns", [44], indirect=True)
@pytest.mark.usefixtures("columns")
def test_a_long_path_is_told_by_its_last_part() -> None:
    head = ["ap.office.fragmentation_threshold", "goodput_mbps", "n"]
    assert fitted(head, [["256", "2.2398", "12"]])[0] == "fragmentation_threshold  goodput_mbps   n"


@pytest.mark.parametrize("columns", [24], indirect=True)
def test_where_no_table_fits_rows_are_told_in_words(columns: int) -> None:
    lines = "\n".join(fitted(HEAD, ROWS, range(2, 3))).splitlines()
    assert max(map(len, lines)) <= columns
    assert " ".join(" ".join(lines).split()) == (
        "vendor vendor-a, goodput_mbps 4.996 ± 0.011, rtt_ms_mean 23.50 ± 0.41, n 12"
    )


@pytest.mark.parametrize("columns", [20], indirect=True)
@pytest.mark.usefixtures("columns")
def test_a_line_breaks_before_a_number_and_its_unit() -> None:
    assert wrapped("the queue held it 250 ms") == "the queue held it\n    250 ms"


def test_a_wrong_command_is_one_line() -> None:
    for words in (["rum"], ["run"], ["run", "x.toml", "--reps", "many"], ["run", "--foo"]):
        done = CliRunner().invoke(cli, words, prog_name="anechoic")
        assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert done.stderr.startswith("anechoic: ")
        assert "--help says more" in done.stderr


def test_python_says_no_more_of_a_wrong_command_than_the_command_line() -> None:
    with pytest.raises(an.ScenarioError, match="did you mean bufferbloat"):
        an.explain("bufferblot")
