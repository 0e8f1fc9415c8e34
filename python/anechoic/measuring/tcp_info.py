"""What Linux tells of a TCP connection (TCP_INFO), of any length: kernels append, and move nothing.

`struct tcp_info` stands in include/uapi/linux/tcp.h.
"""

from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

Whole = NDArray[numpy.int64]


@dataclass(frozen=True, slots=True)
class Field:
    """A field: its name as Linux has it, and where it stands."""

    name: str
    offset: int
    kind: str
    """As numpy writes it: u1 to u8."""
    shift: int = 0
    """Where in its byte it begins, and how many bits it has; none for a field of whole bytes."""
    bits: int | None = None

    @property
    def end(self) -> int:
        """Say where it ends."""
        return self.offset + int(self.kind[1:])


def _fields(offset: int, kind: str, *names: str) -> list[Field]:
    """Give fields of one kind, one behind the other."""
    size = int(kind[1:])
    return [Field(f"tcpi_{name}", offset + at * size, kind) for at, name in enumerate(names)]


FIELDS = [
    *_fields(0, "u1", "state", "ca_state", "retransmits", "probes", "backoff", "options"),
    Field("tcpi_snd_wscale", 6, "u1", 0, 4),
    Field("tcpi_rcv_wscale", 6, "u1", 4, 4),
    Field("tcpi_delivery_rate_app_limited", 7, "u1", 0, 1),
    Field("tcpi_fastopen_client_fail", 7, "u1", 1, 2),
    *_fields(8, "u4", "rto", "ato", "snd_mss", "rcv_mss"),
    *_fields(24, "u4", "unacked", "sacked", "lost", "retrans", "fackets"),
    *_fields(44, "u4", "last_data_sent", "last_ack_sent", "last_data_recv", "last_ack_recv"),
    *_fields(60, "u4", "pmtu", "rcv_ssthresh", "rtt", "rttvar", "snd_ssthresh", "snd_cwnd"),
    *_fields(84, "u4", "advmss", "reordering", "rcv_rtt", "rcv_space", "total_retrans"),
    *_fields(104, "u8", "pacing_rate", "max_pacing_rate", "bytes_acked", "bytes_received"),
    *_fields(136, "u4", "segs_out", "segs_in", "notsent_bytes", "min_rtt"),
    *_fields(152, "u4", "data_segs_in", "data_segs_out"),
    *_fields(160, "u8", "delivery_rate", "busy_time", "rwnd_limited", "sndbuf_limited"),
    *_fields(192, "u4", "delivered", "delivered_ce"),
    *_fields(200, "u8", "bytes_sent", "bytes_retrans"),
    *_fields(216, "u4", "dsack_dups", "reord_seen", "rcv_ooopack", "snd_wnd"),
    *_fields(232, "u4", "rcv_wnd", "rehash"),
    *_fields(240, "u2", "total_rto", "total_rto_recoveries"),
    *_fields(244, "u4", "total_rto_time"),
    # Accurate ECN, Linux 6.18.
    *_fields(248, "u4", "received_ce", "delivered_e1_bytes", "delivered_e0_bytes"),
    *_fields(260, "u4", "delivered_ce_bytes", "received_e1_bytes", "received_e0_bytes"),
    *_fields(272, "u4", "received_ce_bytes"),
    *_fields(276, "u2", "accecn_fail_mode", "accecn_opt_seen"),
]
"""All fields that a kernel up to Linux 6.18 tells, in their order."""

_MOST = numpy.iinfo(numpy.int64).max


def decoded(told: NDArray[Any], length: int) -> dict[str, Whole]:
    """Give what kernels told, row by row, of ``length`` bytes each: a column for each field."""
    fields = [each for each in FIELDS if each.end <= length]
    layout = numpy.dtype(
        {
            "names": [each.name for each in fields],
            "formats": [f"<{each.kind}" for each in fields],
            "offsets": [each.offset for each in fields],
            "itemsize": told.dtype.itemsize,
        }
    )
    rows = numpy.ascontiguousarray(told).view(layout)
    return {each.name: _whole(each, rows[each.name]) for each in fields}


def _whole(field: Field, values: NDArray[Any]) -> Whole:
    if field.bits is not None:
        values = (values >> field.shift) & ((1 << field.bits) - 1)
    # No limit of the pacing rate is told as the largest number of 64 bits.
    whole: Whole = numpy.minimum(values, numpy.uint64(_MOST)).astype(numpy.int64)
    return whole
