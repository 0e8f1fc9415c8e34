"""The folder of an analysis: what is in it, and what it will not overwrite."""

import re
import sys
from pathlib import Path

import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result
from downloads import download
from handmade import Conversation, save

from anechoic.captures.output.twice import readable_twice
from anechoic.cli import cli


def analyse(*arguments: object, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(cli, ["analyse", *map(str, arguments)], input=stdin)


@pytest.fixture(scope="session")
def out(capture: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of the download's analysis."""
    folder = tmp_path_factory.mktemp("analysis") / "out"
    done = analyse(capture, "--out", folder)
    assert done.exit_code == 0, done.output
    assert done.stdout.endswith(f"\nreport: {folder / 'report.html'}\n")
    return folder


@pytest.fixture(scope="session")
def page(out: Path) -> str:
    return (out / "report.html").read_text(encoding="utf-8")


def test_everything_is_there(out: Path) -> None:
    tables = ("connections", "losses", "stations", "transfers")
    assert {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()} == {
        *(f"{name}.{ending}" for name in tables for ending in ("csv", "parquet")),
        *("analysis.json", "capture.json", "log_tcp_complete", "report.html"),
        *("segments/1.parquet", "xplot/1_client.xpl"),
        *(
            f"figures/{name}.{ending}"
            for name in ("losses", "over-time-1", "sequence-1")
            for ending in ("svg", "png")
        ),
    }


def test_csv_and_parquet_hold_the_same(out: Path) -> None:
    for name in ("connections", "losses", "stations", "transfers"):
        table = pyarrow.parquet.read_table(out / f"{name}.parquet")
        header, *lines = (out / f"{name}.csv").read_text(encoding="utf-8").splitlines()
        assert header.split(",") == table.column_names
        assert len(lines) == table.num_rows > 0


def test_the_page_needs_nothing_else(page: str) -> None:
    assert "http:" not in page
    assert "https:" not in page
    assert not re.search(r"<(link|img|iframe|object)\b|@import|\bsrc=", page)
    identifiers = re.findall(r'\bid="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))


def test_every_link_of_the_page_leads_somewhere(page: str, out: Path) -> None:
    links = re.findall(r'<a href="([^"]+)"', page)
    assert len(links) > 5
    for link in links:
        if link.startswith("#"):
            assert f'id="{link[1:]}"' in page
        else:
            assert (out / link).is_file(), link


def test_the_page_says_what_happened(page: str) -> None:
    assert re.search(r"\d+ segments \([\d.]+ %\) came again or late: \d+ ", page)
    assert "Mbit/s" in page
    assert "segments lost once" in page


def test_the_same_capture_is_written_again_and_another_is_refused(
    capture: Path, out: Path, tmp_path: Path
) -> None:
    note = out / "note.txt"
    note.write_text("do not touch")
    assert analyse(capture, "--out", out).exit_code == 0
    assert note.read_text() == "do not touch"
    note.unlink()
    other = save(tmp_path / "other.pcap", Conversation().opened())
    refused = analyse(other, "--out", out)
    assert refused.exit_code == 2
    assert refused.stderr == (
        f"anechoic: {out}: it holds the analysis of another capture: {capture}; "
        "allowed: another --out\n"
    )


def test_a_folder_of_something_else_is_left_alone(capture: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("do not touch")
    refused = analyse(capture, "--out", tmp_path)
    assert refused.exit_code == 2
    assert refused.stderr == f"anechoic: {tmp_path}: it holds other files; allowed: another --out\n"
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    refused = analyse(capture, "--out", tmp_path / "thesis.tex")
    assert "this is a file; allowed: a folder" in refused.stderr


def test_the_standard_input_will_do(capture: Path, tmp_path: Path) -> None:
    done = analyse("-", "--out", tmp_path / "out", stdin=capture.read_bytes())
    assert done.exit_code == 0, done.output
    assert (tmp_path / "out" / "segments" / "1.parquet").is_file()
    assert str(tmp_path) not in (tmp_path / "out" / "capture.json").read_text()


def test_a_standard_input_that_is_closed_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with readable_twice("-") as path:
        assert Path(path).read_bytes() == b""


def test_nothing_tells_that_the_standard_input_is_the_capture_of_before(tmp_path: Path) -> None:
    first = save(tmp_path / "first.pcap", Conversation().opened().data(0.1, 0).ack(0.15, 1))
    second = save(tmp_path / "second.pcap", Conversation().opened())
    out = tmp_path / "out"
    assert analyse("-", "--out", out, stdin=first.read_bytes()).exit_code == 0
    kept = (out / "analysis.json").read_bytes()
    refused = analyse("-", "--out", out, stdin=second.read_bytes())
    assert refused.exit_code == 2
    assert refused.stderr == (
        f"anechoic: {out}: it holds an analysis, and nothing tells that the standard input gives "
        "the same capture; allowed: another --out\n"
    )
    assert (out / "analysis.json").read_bytes() == kept


def test_standard_output_stays_one_document(capture: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = analyse(capture, "--json", "--out", out)
    assert done.stdout == (out / "analysis.json").read_text(encoding="utf-8")
    assert f"report: {out / 'report.html'}" in done.stderr


def test_a_capture_without_tcp_has_a_page_too(tmp_path: Path) -> None:
    nothing = save(tmp_path / "nothing.pcap")
    done = analyse(nothing, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "There is no TCP connection in this capture." in page


def test_a_capture_of_the_air_has_its_wi_fi_in_the_page(tmp_path: Path) -> None:
    air = download(tmp_path, {"run.duration": "2 s"}).aired
    assert analyse(air, "--out", tmp_path / "out").exit_code == 0
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "<h2>Wi-Fi</h2>" in page
    assert "Where the airtime went" in page
    stations = pyarrow.parquet.read_table(tmp_path / "out" / "wifi" / "stations.parquet")
    assert stations["is_access_point"].to_pylist() == [True, False]
