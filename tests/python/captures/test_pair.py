"""`anechoic analyse` on two captures of one path, and on what is none."""

import json
import re
from math import nan
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result
from downloads import download
from handmade import ACK, HOSTS, Conversation, save

import anechoic as an
from anechoic.captures.pair.connections import connections_table
from anechoic.captures.pair.figures import draw_delays
from anechoic.captures.pair.page_tables import fates_table
from anechoic.captures.pair.screen import text, way_lines
from anechoic.cli import cli
from anechoic.report.render import png

TABLES = ("connections", "losses", "over_time", "packets")


def analyse(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["analyse", *map(str, arguments)])


@pytest.fixture(scope="module")
def captures(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, float]:
    """The wire's capture, the air's, and how many packets the access point's queue dropped."""
    short = download(tmp_path_factory.mktemp("pair"), {"traffic.down.bytes": "2 MB"})
    return short.wired, short.aired, short.metrics["node.office.drops_queue"]


def test_losses_are_the_drops_of_the_queue(captures: tuple[Path, Path, float]) -> None:
    wired, aired, dropped = captures
    result = analyse("--json", wired, aired)
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert document["clock"]["clocks"] == "same"
    assert document["ways"][0]["lost"] == dropped > 0
    shown = analyse(wired, aired).output
    assert f"lost {dropped:.0f}" in shown
    assert "on the air" in shown
    assert "wired.pcapng → aired.pcapng" in shown


def test_every_packet_is_a_row(captures: tuple[Path, Path, float]) -> None:
    wired, aired, dropped = captures
    pair = an.compare_captures(wired, aired, packets=True)
    assert pair.losses.num_rows == dropped
    assert pc.sum(pair.over_time["segments_lost"]).as_py() == dropped
    passed = pair.packets.filter(pc.equal(pair.packets["fate"].cast("string"), "passed"))
    both = [way["passed"] for way in (pair.forth, pair.back)]
    assert passed.num_rows == sum(both)
    assert pair.packets.num_rows == sum(both) + dropped
    assert pc.min(passed["delay_ns"]).as_py() >= 0
    assert pc.all(pc.greater(passed["frames"], 0)).as_py()
    assert pair.losses["number_second"].null_count == dropped


@pytest.fixture(scope="module")
def out(captures: tuple[Path, Path, float], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder of both captures."""
    wired, aired, _ = captures
    folder = tmp_path_factory.mktemp("kept") / "out"
    result = analyse(wired, aired, "--out", folder)
    assert result.exit_code == 0, result.output
    assert result.stdout.endswith(f"\nreport: {folder / 'report.html'}\n")
    return folder


@pytest.fixture(scope="module")
def page(out: Path) -> str:
    return (out / "report.html").read_text(encoding="utf-8")


def test_every_packet_is_a_line_of_csv(captures: tuple[Path, Path, float], out: Path) -> None:
    wired, aired, dropped = captures
    text = analyse("--csv", wired, aired).stdout
    assert sum(",lost," in line for line in text.splitlines()) == dropped
    assert text == (out / "packets.csv").read_text()


def test_everything_is_in_the_folder(out: Path) -> None:
    assert {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()} == {
        *(f"{name}.{ending}" for name in TABLES for ending in ("csv", "parquet")),
        *("analysis.json", "capture.json", "report.html"),
        *(
            f"figures/{name}.{ending}"
            for name in ("air", "delays", "distribution")
            for ending in ("svg", "png")
        ),
    }
    for name in TABLES:
        table = pyarrow.parquet.read_table(out / f"{name}.parquet")
        header, *lines = (out / f"{name}.csv").read_text(encoding="utf-8").splitlines()
        assert header.split(",") == table.column_names
        assert len(lines) == table.num_rows > 0


def test_connections_count_what_the_packets_say(
    captures: tuple[Path, Path, float], out: Path
) -> None:
    _, _, dropped = captures
    (connection,) = pyarrow.parquet.read_table(out / "connections.parquet").to_pylist()
    ends = ("server", "client")
    assert sum(connection[f"{end}_segments_lost"] for end in ends) == dropped
    packets = pyarrow.parquet.read_table(out / "packets.parquet")
    passed = sum(connection[f"{end}_packets_passed"] for end in ends)
    assert passed + dropped == packets.num_rows
    # Both captures are behind the card: each packet is one on the path.
    assert sum(connection[f"{end}_segments_passed"] for end in ends) == passed
    longest_ms = max(connection[f"{end}_delay_max_ms"] for end in ends)
    assert longest_ms * 1e6 == pytest.approx(pc.max(packets["delay_ns"]).as_py())


def test_the_page_needs_nothing_else_and_says_what_happened(
    captures: tuple[Path, Path, float], page: str, out: Path
) -> None:
    assert not re.search(r"https?:|<(link|img|iframe|object)\b|@import|\bsrc=", page)
    identifiers = re.findall(r'\bid="([^"]+)"', page)
    assert len(identifiers) == len(set(identifiers))
    links = re.findall(r'<a href="([^"]+)"', page)
    assert len(links) > 5
    assert all((out / link).is_file() for link in links)
    for title in ("What happened", "Clocks", "Delays", "Losses", "Queue and air", "Connections"):
        assert f"<h2>{title}</h2>" in page
    assert f"lost {captures[2]:.0f}, " in page


def test_the_folder_of_others_is_left_alone(
    captures: tuple[Path, Path, float], out: Path, tmp_path: Path
) -> None:
    wired, aired, _ = captures
    assert analyse(wired, aired, "--out", out).exit_code == 0
    for others in ((aired, wired), (wired,)):
        refused = analyse(*others, "--out", out)
        assert refused.exit_code == 2
        assert refused.stderr == (
            f"anechoic: {out}: it holds the analysis of another capture: {wired} and {aired}; "
            "allowed: another --out\n"
        )
    (tmp_path / "thesis.tex").write_text("do not touch")
    refused = analyse(wired, aired, "--out", tmp_path)
    assert refused.exit_code == 2
    assert refused.stderr == f"anechoic: {tmp_path}: it holds other files; allowed: another --out\n"
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_two_captures_of_wires_have_no_air(
    captures: tuple[Path, Path, float], tmp_path: Path
) -> None:
    wired, _, _ = captures
    result = analyse(wired, wired, "--json", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    assert result.stdout == (tmp_path / "out" / "analysis.json").read_text(encoding="utf-8")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "<h2>Queue and air</h2>" not in page
    assert "<h2>Delays</h2>" in page


def test_a_course_of_delays_has_gaps_where_no_packet_came() -> None:
    step_ns, delay_ns = 10_000_000, 2_000_000
    places = [0, 1, 2, 7, 90, 91]  # the fourth stands alone
    spread = {f"delay_{name}_ns": [delay_ns] * len(places) for name in ("min", "mean", "max")}
    one, none = [1] * len(places), [0] * len(places)
    counts = {"packets_passed": one, "segments_passed": one, "segments_lost": none}
    ways = {"way": ["forth"] * len(places), "time_ns": [at * step_ns for at in places]}
    steps = pa.table({**ways, **counts, **spread})
    (axes,) = draw_delays(steps, 0, step_ns, {"forth": "a → b"}, "a and b").axes
    line, alone = (drawn.get_xdata() for drawn in axes.lines)
    assert line == pytest.approx([0, 0.01, 0.02, nan, 0.07, nan, 0.9, 0.91], nan_ok=True)
    assert alone == pytest.approx([0.07])


def test_delays_fill_the_width_without_a_gap_and_with_long_names() -> None:
    step_ns, count = 10_000_000, 5
    spread = {f"delay_{name}_ns": [1e6] * count for name in ("min", "mean", "max")}
    counts = {f"{name}_passed": [1] * count for name in ("packets", "segments")}
    times = [at * step_ns for at in range(count)]
    ways = [
        pa.table(
            {"way": [way] * count, "time_ns": times, **counts, "segments_lost": lost, **spread}
        )
        for way, lost in (("forth", [0, 9, 0, 0, 0]), ("back", [0] * count))
    ]
    long = f"{'a' * 90}-wired.pcapng", f"{'b' * 90}-aired.pcapng"
    names = {"forth": " → ".join(long), "back": " → ".join(reversed(long))}
    drawing = draw_delays(pa.concat_tables(ways), 0, step_ns, names, " and ".join(long))
    assert png(drawing)
    for axes in drawing.axes:
        assert axes.get_position().width > 0.8
    title = drawing.axes[0].get_title(loc="left")
    assert len(title) <= 100
    assert title.startswith("aaa")
    assert title.endswith("red.pcapng")


def at_the_client(at_server: Conversation, *lost: int) -> Conversation:
    """Give what a capture at the client has, 5 ms away, without the packets that are lost."""
    arrived = Conversation()
    for number, (at_s, packet) in enumerate(at_server.packets):
        is_from_server = packet[12:16] == HOSTS["server"]
        if number not in lost:
            arrived.packets.append((at_s + (0.005 if is_from_server else -0.005), packet))
    return arrived


@pytest.fixture
def offloaded(tmp_path: Path) -> an.Pair:
    """Ten segments arrive in one packet; the next two, another, are lost and retransmitted."""
    sent = Conversation().opened()
    sent.send(0.1, "server", ACK, seq=1, ack=1, payload=14_600)
    sent.send(0.15, "client", ACK, seq=1, ack=14_601)
    lost = len(sent.packets)
    for at_s in (0.2, 0.5):
        sent.send(at_s, "server", ACK, seq=14_601, ack=1, payload=2_920)
    sent.send(0.55, "client", ACK, seq=1, ack=17_521)
    sent.send(0.6, "server", ACK, seq=17_521, ack=1)
    files = save(tmp_path / "a", sent), save(tmp_path / "b", at_the_client(sent, lost))
    return an.compare_captures(*files, packets=True)


def test_what_passed_and_what_was_lost_are_counted_in_one_unit(offloaded: an.Pair) -> None:
    small = 2  # the handshake, and the last acknowledgment
    assert offloaded.forth["segments"]["passed"] == small + 10 + 2
    assert offloaded.forth["segments"]["lost"] == offloaded.forth["lost"] == 2
    assert offloaded.forth["passed"] == small + 2
    (connection,) = connections_table(offloaded).to_pylist()
    assert connection["server_segments_passed"] == small + 10 + 2
    assert connection["server_segments_lost"] == 2
    assert connection["server_tails_lost"] == 1
    title = "a → b: 16 segments on the path; those that passed, as 4 packets"
    assert title in text(offloaded).splitlines()
    rows = re.sub("<[^>]*>", " ", fates_table({"a → b": offloaded.forth}).replace("</tr>", "\n"))
    told = dict(row.strip().rsplit(maxsplit=1) for row in rows.splitlines() if row.split())
    assert told["In both captures"] == "14"
    assert told["The same in packets, as captured"] == "4"
    assert told["Lost between the points"] == "2"


def test_a_drift_that_the_packets_leave_open_is_not_known(tmp_path: Path) -> None:
    sent = Conversation().opened().data(0.1, 0).ack(0.15, 1)
    ahead = at_the_client(sent)
    ahead.packets = [(at_s + 10, packet) for at_s, packet in ahead.packets]
    shown = text(an.compare_captures(save(tmp_path / "a", sent), save(tmp_path / "b", ahead)))
    drift = "its drift is not known (between -10,000 and +10,000 ppm)"
    assert drift in " ".join(shown.split())


def test_more_retries_than_packets_have_further_frames_speak_of_missed_first_attempts(
    captures: tuple[Path, Path, float],
) -> None:
    way = an.compare_captures(*captures[:2]).forth
    assert not any("first attempts" in line for line in way_lines(way))
    missing = {**way["air"], "frames": way["air"]["packets"], "retries": 7}
    assert any(
        "first attempts of 7 packets missed" in e for e in way_lines({**way, "air": missing})
    )


def test_a_tail_lost_whole_is_told_as_what_the_receiver_waited_for(offloaded: an.Pair) -> None:
    (line,) = (line for line in text(offloaded).splitlines() if "tails lost whole" in line)
    assert "tails lost whole 1: nothing arrived behind them to ask for them; retransmitted" in line
    assert offloaded.forth["tails"]["waited"]["max_ns"] == 300_000_000


def test_what_cannot_be_compared_is_refused_in_one_line(
    captures: tuple[Path, Path, float], tmp_path: Path
) -> None:
    wired, aired, _ = captures
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    for first, second, named in (
        (wired, empty, empty),
        (empty, wired, empty),
        (tmp_path / "none", wired, tmp_path / "none"),
        ("-", wired, "standard input"),
        (wired, tmp_path, tmp_path),
    ):
        result = analyse(first, second)
        assert result.exit_code == 2
        assert len(result.stderr.splitlines()) == 1
        assert str(named) in result.stderr
    assert analyse(wired, aired, "--tstat").exit_code == 2
    result = analyse(wired, aired, "--out", empty)
    assert result.exit_code == 2
    assert str(empty) in result.stderr


def test_packets_that_were_not_kept_are_not_an_empty_table(
    captures: tuple[Path, Path, float],
) -> None:
    wired, aired, _ = captures
    pair = an.compare_captures(wired, aired)
    for table in ("packets", "losses"):
        with pytest.raises(ValueError, match=r"compare_captures\(first, second, packets=True\)"):
            getattr(pair, table)
    assert pair.over_time.num_rows > 0


def test_connections_have_the_numbers_of_one_capture(
    captures: tuple[Path, Path, float], out: Path
) -> None:
    alone = an.analyse(captures[0]).connections()["connection"].to_pylist()
    for table in ("connections", "packets"):
        numbers = pyarrow.parquet.read_table(out / f"{table}.parquet")["connection"]
        assert set(numbers.to_pylist()) == set(alone) == {1}


def test_a_capture_beside_itself_is_said_to_be_the_same(tmp_path: Path) -> None:
    talk = Conversation().opened().data(0.1, 0, 1).ack(0.15, 2)
    first, copy = save(tmp_path / "a.pcap", talk), save(tmp_path / "b.pcap", talk)
    for second in (first, copy):
        shown = analyse(first, second).output
        assert shown.startswith("clocks: the same, as both files are: there is no path between ")


def test_who_doubled_a_packet_is_told_though_the_copy_came_at_once(tmp_path: Path) -> None:
    sent = Conversation().opened().data(0.1, 0, 1).ack(0.15, 2)
    arrived = at_the_client(sent)
    at_s, packet = arrived.packets[3]
    arrived.packets.append((at_s + 12e-6, packet))
    files = save(tmp_path / "a", sent), save(tmp_path / "b", arrived)
    shown = text(an.compare_captures(*files))
    assert "doubled 1: 1 between the points" in shown
    assert "doubles packets itself" not in shown


def test_a_capture_that_doubles_packets_itself_is_said_to(tmp_path: Path) -> None:
    sent = Conversation().opened().data(0.1, 0, 1).ack(0.15, 2)
    mirrored = at_the_client(sent)
    mirrored.packets += [(at_s + 12e-6, packet) for at_s, packet in mirrored.packets]
    files = save(tmp_path / "server", sent), save(tmp_path / "client", mirrored)
    shown = text(an.compare_captures(*files))
    assert "client doubles packets itself, as a mirror of a switch does" in shown
