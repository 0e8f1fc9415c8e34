"""Columns of `segments/N`."""

from anechoic.captures.fields.field import UNHEARD, Field

SEGMENTS = [
    Field("time_s", "double", "s", "when it was captured, since the connection's first segment"),
    Field("time_ns", "int64", "ns", "the same since 1970"),
    Field("packet", "int64", "", "its number in the file, from 1"),
    Field("sender", "string", "", "the end that sent it, `client` or `server`"),
    Field(
        "seq",
        "int64",
        "",
        "its first sequence number, counted on from the SYN, which is 0, without wrapping; 1 is "
        "the first byte",
        "it is strange, or nothing of its direction is known",
        "RFC 9293 §3.4",
    ),
    Field("seq_end", "int64", "", "behind its last sequence number", "as `seq`"),
    Field("payload", "int64", "bytes", "its payload"),
    Field(
        "flags",
        "uint8",
        "",
        "its control bits as a number: FIN 1, SYN 2, RST 4, PSH 8, ACK 16, URG 32, ECE 64, CWR 128",
        source="RFC 9293 §3.1",
    ),
    Field(
        "kind",
        "string",
        "",
        "what it is to its direction: `new`, `retransmitted` (some byte was captured before), "
        "`out_of_order` (behind its successors, none was), `syn`, `syn_again`, `keep_alive`, "
        "`window_probe`, `strange` (out of all proportion), or `bare` without sequence numbers",
    ),
    Field(
        "cause",
        "string",
        "",
        "why it came again or late, as `causes_…` of the connection",
        "it did not",
    ),
    Field("because", "string", "", "what speaks for that cause", "it did not, or it is a probe"),
    Field("bytes_retransmitted", "int64", "bytes", "payload of it that had been captured before"),
    Field("bytes_skipped", "int64", "bytes", "sequence numbers that it passed over"),
    Field(
        "ack",
        "int64",
        "",
        "what it acknowledges, counted as `seq` in the other direction",
        "it acknowledges nothing, or its number is strange",
    ),
    Field(
        "answer",
        "string",
        "",
        "what its acknowledgment is: `advance`, `unseen` (of data that were not captured), "
        "`duplicate`, `repeat` (the same again with payload or another window), `old`, `strange`",
        "it acknowledges nothing",
        "RFC 5681 §2",
    ),
    Field(
        "window",
        "int64",
        "bytes",
        "the window that it advertises, scaled",
        "its scale is not known",
        "RFC 7323 §2",
    ),
    Field("flight", "int64", "bytes", "data in flight from its sender, behind it", UNHEARD),
    Field(
        "flight_other", "int64", "bytes", "data in flight from the other end, behind it", UNHEARD
    ),
    Field(
        "rtt_ms",
        "double",
        "ms",
        "the round trip that it ends, one of `rtt_count`",
        "it ends none that can be measured",
        "Karn",
    ),
    Field(
        "stall",
        "string",
        "",
        "what its sender had waited for, as `stalls_…` of the connection",
        "it ends no pause",
    ),
    Field("stall_s", "double", "s", "how long that pause was; 0 without one"),
    Field(
        "timer_expired",
        "bool",
        "",
        "it shows that its sender's retransmission timer expired",
        source="RFC 6298",
    ),
    Field(
        "begins_recovery",
        "bool",
        "",
        "its sender enters a recovery that is not by timeout",
        source="RFC 6675",
    ),
    Field("has_sack_news", "bool", "", "its SACK blocks tell something new", source="RFC 6675 §2"),
    Field("reports_duplicate", "bool", "", "it reports data that came twice", source="RFC 2883"),
    Field(
        "sack",
        "list",
        "",
        "its SACK blocks, each with `start` and `end` counted as `ack`; an empty list without any",
        source="RFC 2018",
    ),
]
