"""The tables of an analysis agree with its counters, and with each other."""

from collections import Counter
from pathlib import Path

import pandas
import polars
import pytest
from handmade import ACK, Conversation, save

import anechoic as an

Row = dict[str, object]


def rows_of(table: object) -> list[Row]:
    return table.to_pylist()  # type: ignore[attr-defined,no-any-return]


def test_segments_add_up_to_the_counters_of_their_connection(capture: Path) -> None:
    analysis = an.analyse(capture)
    (connection,) = analysis.document["connections"]
    sent = connection["client"]
    segments = analysis.segments(1).to_pandas()
    own = segments[segments.sender == "client"]
    kinds, causes = Counter(own.kind), Counter(own.cause.dropna())
    assert len(own) == sent["packets"]
    assert kinds["retransmitted"] == sent["packets_retransmitted"] > 0
    assert kinds["out_of_order"] == sent["packets_out_of_order"]
    assert {**dict.fromkeys(sent["causes"], 0), **causes} == sent["causes"]
    assert own.bytes_retransmitted.sum() == sent["bytes_retransmitted"]
    assert own[own.payload > 0].flight.max() == sent["flight_max"]
    answers = segments[segments.sender == "server"]
    assert (answers.answer == "duplicate").sum() == sent["duplicate_acks"]
    trips = answers.rtt_ms.dropna()
    assert len(trips) == sent["rtt"]["count"]
    assert trips.mean() == pytest.approx(sent["rtt"]["mean_ms"])
    assert (trips.min(), trips.max()) == (sent["rtt"]["min_ms"], sent["rtt"]["max_ms"])


def test_a_single_transfer_is_its_connection(capture: Path) -> None:
    analysis = an.analyse(capture)
    (connection,) = analysis.document["connections"]
    (transfer,) = rows_of(analysis.transfers())
    sent = connection["client"]
    assert transfer["sender"] == "client"
    assert transfer["bytes"] == sent["bytes_unique"]
    assert transfer["throughput_mbps"] == pytest.approx(sent["throughput_mbps"])
    assert transfer["segments_retransmitted"] == sent["packets_retransmitted"]
    # The SYN's round trip is the connection's, and not of the data.
    assert transfer["rtt_count"] == sent["rtt"]["count"] - 1
    assert transfer["rtt_max_ms"] == sent["rtt"]["max_ms"]


def test_every_retransmission_that_was_needed_repairs_a_loss(capture: Path) -> None:
    analysis = an.analyse(capture)
    causes = analysis.document["connections"][0]["client"]["causes"]
    losses = Counter(str(row["cause"]) for row in rows_of(analysis.losses()))
    assert losses == {
        name: count
        for name, count in causes.items()
        if count and name in ("timeout", "fast", "rack", "tail_probe", "unknown")
    }


def test_a_segment_that_is_lost_again_and_again(tmp_path: Path) -> None:
    """As the timer backs off, the times between the losses double."""
    talk = Conversation().opened().data(0.1, 0).ack(0.15, 1)
    for at_s in (1.0, 1.3, 1.9, 3.1):
        talk.data(at_s, 1)
    talk.ack(3.15, 2)
    losses = rows_of(an.analyse(save(tmp_path / "lost.pcap", talk)).losses())
    assert [row["copy"] for row in losses] == [1, 2, 3]
    assert [row["multiplicity"] for row in losses] == [3, 3, 3]
    assert [row["since_last_s"] for row in losses] == [None, *map(pytest.approx, (0.3, 0.6))]
    assert [row["segments_since_last"] for row in losses] == [None, 1, 1]
    assert [row["regime"] for row in losses] == ["undecided", "again", "again"]


def test_a_loss_before_the_point_of_capture_is_called_so(tmp_path: Path) -> None:
    talk = Conversation().opened().data(0.1, 0, 2, 3, 4).ack(0.15, 1).ack(0.15, 1).ack(0.15, 1)
    talk.ack(0.15, 1).data(0.2, 1).ack(0.25, 5)
    (loss,) = rows_of(an.analyse(save(tmp_path / "upstream.pcap", talk)).losses())
    assert (loss["cause"], loss["is_before_capture"], loss["regime"]) == ("fast", True, "upstream")


def test_a_sender_that_was_idle_begins_another_transfer(tmp_path: Path) -> None:
    talk = Conversation().opened().data(0.1, 0, 1).ack(0.15, 2)
    talk.send(5.0, "client", ACK, seq=1, ack=2001, payload=10)
    talk.data(5.1, 2, 3, 4).ack(5.15, 5)
    analysis = an.analyse(save(tmp_path / "idle.pcap", talk))
    first, second = (row for row in rows_of(analysis.transfers()) if row["sender"] == "server")
    assert (first["bytes"], first["is_after_idle"]) == (2000, False)
    assert (second["bytes"], second["is_after_idle"]) == (3000, True)
    # From the SYN, and from the request.
    assert (first["start_s"], second["start_s"]) == (0.0, pytest.approx(5.0))


def test_the_transfers_of_a_station_are_summed_up_in_either_direction(tmp_path: Path) -> None:
    talks = [Conversation(port).opened(port / 1e5).data(1.0, 0).ack(1.05, 1) for port in (1, 2)]
    analysis = an.analyse(save(tmp_path / "two.pcap", *talks))
    (row,) = rows_of(analysis.stations())
    assert (row["station"], row["direction"]) == ("10.0.0.1", "down")
    assert (row["connections"], row["transfers"], row["bytes"]) == (2, 2, 2000)


def test_a_capture_without_tcp_has_the_same_columns(capture: Path, tmp_path: Path) -> None:
    nothing, something = an.analyse(save(tmp_path / "none.pcap")), an.analyse(capture)
    for name in ("connections", "stations"):
        empty, full = (getattr(each, name)().schema for each in (nothing, something))
        assert empty == full


def test_the_frames_of_polars_and_pandas_hold_the_same(capture: Path) -> None:
    segments = an.analyse(capture).segments(1)
    frame, other = segments.to_pandas(), polars.from_arrow(segments)
    assert isinstance(frame, pandas.DataFrame)
    assert isinstance(other, polars.DataFrame)
    assert frame.seq.dropna().sum() == other["seq"].sum()


def test_a_connection_that_is_not_there_is_refused(capture: Path) -> None:
    with pytest.raises(an.ScenarioError, match="there is no connection 2; allowed: 1 to 1"):
        an.analyse(capture).segments(2)


def test_a_table_of_the_wi_fi_that_is_not_there_is_refused(capture: Path) -> None:
    analysis = an.analyse(capture)
    assert analysis.wifi("stations").num_rows == 0
    with pytest.raises(an.ScenarioError, match="did you mean stations"):
        analysis.wifi("station")


def test_an_analysis_shows_itself(capture: Path) -> None:
    analysis = an.analyse(capture)
    assert repr(analysis).startswith(f"<Analysis of {capture}: 1 connection in ")
    assert "10.0.0.1:" in analysis._repr_html_()
