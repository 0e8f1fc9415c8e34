"""The core's times are those of the standard's tables."""

import pytest

from anechoic.calc.timing import BYTES, Radio, frame_us, phy, plcp_us

MODES = ("dsss-1", "dsss-2", "cck-5.5", "cck-11")


@pytest.mark.parametrize(
    ("mpdu", "payloads"),
    [
        (1023, (8184, 4092, 1488, 744)),
        (1024, (8192, 4096, 1490, 745)),
        (1025, (8200, 4100, 1491, 746)),
        (1026, (8208, 4104, 1493, 747)),
    ],
)
def test_frames_last_as_the_standards_table_says(mpdu: int, payloads: tuple[int, ...]) -> None:
    # IEEE 802.11-2007 Table 18-2, extended to the other rates; 1 Mbit/s has the long preamble only.
    for mode, payload in zip(MODES, payloads, strict=True):
        assert frame_us(mpdu, mode) == 192 + payload
        assert frame_us(mpdu, mode, "short") == payload + (192 if mode == "dsss-1" else 96)


def test_the_frames_of_a_tcp_transfer_last_as_gast_computed() -> None:
    assert [frame_us(each) for each in (1536, 76, 14)] == [1310, 248, 203]
    assert [frame_us(each, "dsss-1") for each in (1536, 76, 14)] == [12480, 800, 304]
    assert plcp_us() == 192 and plcp_us(preamble="short") == 96
    # IEEE 802.11-2007 Table 17-4: 16 µs of preamble, 4 of SIGNAL; what follows is the frame's.
    assert plcp_us("ofdm-6") == plcp_us("ofdm-54") == 20


def test_spaces_of_802_11b() -> None:
    spaces = phy("802.11b")
    assert (spaces.slot_us, spaces.sifs_us, spaces.difs_us, spaces.eifs_us) == (20, 10, 50, 364)
    assert (spaces.cw_min, spaces.cw_max, spaces.stages) == (31, 1023, 5)
    assert Radio(cw_min=15, cw_max=63).spaces.stages == 2
    assert Radio(cw_min=7, cw_max=7).spaces.stages == 0


def test_an_exchange_is_the_sum_of_its_frames() -> None:
    plain = Radio().exchange(1508)
    assert plain.duration_us == 192 + 1118 + 10 + 192 + 56
    assert plain.first_us == 1310 and plain.patience_us == 10 + 20 + 192
    announced = Radio(rts_threshold=0).exchange(1508)
    assert announced.duration_us - plain.duration_us == 192 + 80 + 10 + 192 + 56 + 10 == 540
    assert announced.answered_us == 272 + 10 + 248


@pytest.mark.parametrize(
    ("threshold", "count", "last"),
    [(256, 7, 168), (512, 4, 84), (768, 3, 56), (1024, 2, 540), (1280, 2, 284), (1536, 1, 1536)],
)
def test_a_full_segment_falls_into_so_many_fragments(threshold: int, count: int, last: int) -> None:
    lengths = Radio(fragmentation_threshold=threshold).exchange(1508).lengths
    assert (len(lengths), lengths[-1]) == (count, last)


def test_lengths_are_the_standards() -> None:
    assert BYTES == {"ack": 14, "cts": 14, "rts": 20, "header": 24, "fcs": 4, "llc_snap": 8}
