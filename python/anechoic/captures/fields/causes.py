"""Columns that count by causes: of what was sent again or late, and of pauses."""

from anechoic.captures.fields.field import Field

CAUSES = [
    Field(
        "timeout",
        "int64",
        "segments",
        "its retransmission timer had expired, or in the recovery from that",
        source="RFC 6298; Tstat `pkts_rto`",
    ),
    Field(
        "fast",
        "int64",
        "segments",
        "duplicate acknowledgments or SACK blocks spoke for its loss",
        source="RFC 5681 §3.2, RFC 6675; Tstat `pkts_fs`, with `rack`",
    ),
    Field(
        "rack",
        "int64",
        "segments",
        "the sender concluded from time, or before the third duplicate, that it was lost",
        source="RFC 8985 §6, RFC 5827",
    ),
    Field(
        "tail_probe",
        "int64",
        "segments",
        "the last segment, to provoke an acknowledgment",
        source="RFC 8985 §7",
    ),
    Field(
        "reordering",
        "int64",
        "segments",
        "not sent again: overtaken before the point of capture",
        source="Tstat `pkts_reor`",
    ),
    Field(
        "network_duplicate",
        "int64",
        "segments",
        "not sent again: doubled in the network",
        source="Tstat `pkts_dup`",
    ),
    Field(
        "window_probe",
        "int64",
        "segments",
        "a probe into a closed window, also with data that the receiver had no room for before",
        source="RFC 9293 §3.8.6.1; Tstat `pkts_fc`",
    ),
    Field(
        "needless_timeout",
        "int64",
        "segments",
        "as `timeout`, but the receiver had it: it had acknowledged or reported it before, or its "
        "DSACK says so later",
        source="RFC 2883; Tstat `pkts_unrto`",
    ),
    Field(
        "needless_fast",
        "int64",
        "segments",
        "as `fast` or `rack`, but the receiver had it",
        source="RFC 2883; Tstat `pkts_unfs`",
    ),
    Field(
        "needless_probe",
        "int64",
        "segments",
        "as `tail_probe`, but the receiver had it; with `tail_probe` all probes that repeated data",
        source="RFC 8985 §7.4",
    ),
    Field(
        "unknown",
        "int64",
        "segments",
        "nothing that was captured explains it",
        source="Tstat `pkts_unk`, with `needless`, `tail_probe` and `needless_probe`",
    ),
    Field(
        "needless",
        "int64",
        "segments",
        "as `unknown`, but the receiver had it",
        source="RFC 2883",
    ),
    Field(
        "path_mtu",
        "int64",
        "segments",
        "sent again in smaller packets, because a router said by ICMP that it was too large",
        source="RFC 1191, RFC 8201",
    ),
]

_WAITS = {
    "timeout": "the retransmission timer, or that of a tail loss probe",
    "recovery": "the repair of a loss",
    "window": "room in the receiver's window",
    "path": "an acknowledgment that was long under way",
    "pace": "its own pace: nothing was on its way, but what it had sent last were full segments, "
    "and they take so long at its rate",
    "application": "its own application, as far as a capture shows",
    "delay": "an acknowledgment that the receiver held back, of the one segment on its way",
    "nagle": "leave to send a small segment, while another was not acknowledged",
}

_NO_TIME = "nobody was heard to acknowledge, or no time passed"

LIMITS = [
    Field(
        "application_ns",
        "int64",
        "ns",
        "how long its application gave it nothing to send; where some is `unknown`, only gaps "
        "before which it had said so (PSH), and of a far sender (`is_far`) only long ones",
        _NO_TIME,
        "Zhang and others 2002; RFC 9293 §3.9.1 (PSH)",
    ),
    Field(
        "window_ns",
        "int64",
        "ns",
        "how long the receiver's window had no room for another full segment; at least, where some "
        "is `unknown`",
        _NO_TIME,
        "Linux `tcpi_rwnd_limited`",
    ),
    Field(
        "loss_ns",
        "int64",
        "ns",
        "how long it repaired losses, or waited for a timer to do so",
        _NO_TIME,
        "Linux, states TCP_CA_Recovery and TCP_CA_Loss",
    ),
    Field(
        "network_ns",
        "int64",
        "ns",
        "the rest of the time: it waited for acknowledgments, which make room in its congestion "
        "window and in its own buffer, or kept its own pace",
        f"{_NO_TIME}, or its sender is far (`is_far`)",
    ),
    Field(
        "delayed_ack_ns",
        "int64",
        "ns",
        "how long the receiver held back the acknowledgment of all that was on its way, less than "
        "two full segments: 39 to 500 ms longer than the shortest round trip",
        _NO_TIME,
        "RFC 1122 §4.2.3.2",
    ),
    Field(
        "nagle_ns",
        "int64",
        "ns",
        "how long it held back a small segment until another was acknowledged",
        _NO_TIME,
        "RFC 9293 §3.7.4",
    ),
    Field(
        "unknown_ns",
        "int64",
        "ns",
        "what cannot be told: the rest of the time where its sender is far (`is_far`), and on the "
        "air silences before which it had not said that it had sent all",
        _NO_TIME,
    ),
]
"""What held a sender up, from its first segment with payload to its last: they add up to that."""

STALLS = [
    field
    for name, what in _WAITS.items()
    for field in (
        Field(f"{name}_count", "int64", "pauses", f"pauses in which it waited for {what}"),
        Field(f"{name}_total_ns", "int64", "ns", "how long these were in all"),
    )
]
