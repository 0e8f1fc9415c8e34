"""Which end of a connection is the station: the laptop, and not the server beyond its cell."""

from pathlib import Path
from typing import Any

import pytest
from downloads import download
from handmade import Conversation, save

import anechoic as an
from anechoic.captures.tables.which_station import which_stations

LAPTOP, SECOND_LAPTOP, SERVER, SECOND_SERVER = (f"10.0.0.{host}" for host in (1, 2, 8, 9))
SOMEWHERE = "8.8.8.8"


def connection(client: str, server: str, port: int = 5001) -> dict[str, Any]:
    """Give a connection that the client opened to a port of the server."""
    ends = {"client": (client, 49_152), "server": (server, port)}
    told = {
        end: {"address": address, "port": number, "packets_data": 1, "packets": 1}
        for end, (address, number) in ends.items()
    }
    return {**told, "starts_midway": False}


def stations(*connections: dict[str, Any]) -> list[tuple[str, str]]:
    """Give the stations that a capture without 802.11 frames tells of."""
    return [tuple(each) for each in which_stations({"connections": connections, "wifi": None})]


def test_who_uses_a_service_is_the_station_whoever_opened() -> None:
    web, active_ftp = connection(LAPTOP, SERVER, 443), connection(SERVER, LAPTOP, 50_000)
    active_ftp["client"]["port"] = 20
    assert stations(web, active_ftp) == [(LAPTOP, "service")] * 2


def test_many_servers_of_one_laptop_are_no_stations() -> None:
    browsing = [connection(LAPTOP, f"8.8.8.{host}", 443) for host in range(5)]
    assert stations(*browsing) == [(LAPTOP, "service")] * 5


def test_who_goes_out_of_a_private_network_is_the_station() -> None:
    out, back_in = connection(LAPTOP, SOMEWHERE), connection(SOMEWHERE, LAPTOP)
    assert stations(out) == [(LAPTOP, "network")]
    assert stations(back_in) == [(SOMEWHERE, "opened")]


def test_the_station_of_one_connection_is_that_of_another() -> None:
    """A laptop asks two servers for downloads, which open connections of their own for that."""
    asks = [connection(LAPTOP, server, 22) for server in (SERVER, SECOND_SERVER)]
    sends = [connection(server, LAPTOP) for server in (SERVER, SECOND_SERVER)]
    assert stations(*asks, *sends) == [(LAPTOP, "service")] * 2 + [(LAPTOP, "elsewhere")] * 2


def test_a_server_that_sends_to_several_is_no_station() -> None:
    sends = [connection(SERVER, laptop) for laptop in (LAPTOP, SECOND_LAPTOP)]
    assert stations(*sends) == [(LAPTOP, "hub"), (SECOND_LAPTOP, "hub")]


def test_of_two_hosts_alone_the_client_is_taken_and_doubted(tmp_path: Path) -> None:
    assert stations(connection(LAPTOP, SERVER)) == [(LAPTOP, "opened")]
    talk = Conversation()
    talk.ports["server"] = 5001
    talk.opened().data(0.1, 0).ack(0.15, 1)
    analysis = an.analyse(save(tmp_path / "alone.pcap", talk))
    assert analysis.stations()["told_by"].to_pylist() == ["opened"]


EDGE = {"air.loss": "103 dB", "air.preamble_detection": "-95 dBm"}
"""Values of a laptop that the access point just reaches: some segments take many attempts."""


@pytest.mark.parametrize(("values", "told_by"), [(EDGE, "air"), ({}, "amounts")])
def test_on_the_air_it_is_who_is_no_access_point(
    tmp_path: Path, values: dict[str, str], told_by: str
) -> None:
    """The server opened the connection, and only the air tells that it is no station."""
    run = download(tmp_path, values)
    wired, aired = (an.analyse(path) for path in (run.wired, run.aired))
    opened, accepted = (aired.document["connections"][0][end] for end in ("client", "server"))
    assert wired.stations().select(["station", "told_by"]).to_pylist()[0] == {
        "station": opened["address"],
        "told_by": "opened",
    }
    assert aired.stations().select(["station", "told_by"]).to_pylist()[0] == {
        "station": accepted["address"],
        "told_by": told_by,
    }
