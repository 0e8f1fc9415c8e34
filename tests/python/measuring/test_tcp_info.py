"""TCP_INFO of every kernel: each tells what the one before it does, and some more."""

import socket

import numpy
import pytest

from anechoic.measuring.tcp_info import FIELDS, decoded

# The last field of the lengths that kernels have told, by include/uapi/linux/tcp.h of their time.
LENGTHS = {
    104: "tcpi_total_retrans",
    120: "tcpi_max_pacing_rate",
    136: "tcpi_bytes_received",
    144: "tcpi_segs_in",
    160: "tcpi_data_segs_out",
    168: "tcpi_delivery_rate",
    192: "tcpi_sndbuf_limited",
    200: "tcpi_delivered_ce",
    224: "tcpi_reord_seen",
    232: "tcpi_snd_wnd",
    240: "tcpi_rehash",
    248: "tcpi_total_rto_time",
    280: "tcpi_accecn_opt_seen",
}


@pytest.mark.parametrize(("length", "last"), LENGTHS.items())
def test_a_kernel_tells_the_fields_that_it_knows(length: int, last: str) -> None:
    told = numpy.frombuffer((bytes(range(256)) + bytes(range(24)))[:length], f"V{length}")
    found = decoded(told, length)
    assert list(found)[-1] == last
    for field in FIELDS:
        if field.end > length:
            assert field.name not in found
        elif field.bits is None:
            whole = int.from_bytes(told[0].tobytes()[field.offset : field.end], "little")
            assert found[field.name] == [min(whole, 2**63 - 1)]


def test_fields_that_share_a_byte_are_told_apart() -> None:
    told = numpy.frombuffer(bytes(6) + bytes([0xA7, 0b101]) + bytes(96), "V104")
    found = decoded(told, 104)
    assert (found["tcpi_snd_wscale"][0], found["tcpi_rcv_wscale"][0]) == (7, 10)
    assert found["tcpi_delivery_rate_app_limited"][0] == 1
    assert found["tcpi_fastopen_client_fail"][0] == 2


def test_bytes_that_no_kernel_told_yet_change_nothing() -> None:
    told = numpy.frombuffer(bytes(280) + b"later", "V285")
    assert len(decoded(told, 285)) == len(FIELDS)


def test_this_kernel_tells_what_was_sent() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as one,
        server.accept()[0] as other,
    ):
        one.sendall(b"x" * 1000)
        other.recv(1000, socket.MSG_WAITALL)
        raw = one.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 512)
    found = decoded(numpy.frombuffer(raw, f"V{len(raw)}"), len(raw))
    assert found["tcpi_state"][0] == 1
    assert found["tcpi_snd_cwnd"][0] >= 10, "RFC 6928"
    assert found["tcpi_bytes_sent"][0] == 1000
