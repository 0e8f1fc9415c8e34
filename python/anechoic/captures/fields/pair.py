"""Columns of the tables of two captures of one path."""

from dataclasses import replace

from anechoic.captures.fields.field import Field, prefixed

_NOT_THERE = "that capture does not have it"

PACKETS = [
    Field(
        "connection",
        "uint32",
        "",
        "number of the connection, from 1 in the order of first packets in either capture",
    ),
    Field(
        "end",
        "uint8",
        "",
        "the end that sent it: 0 for the client, or for whose packet was captured first; else 1",
    ),
    Field(
        "way", "string", "", "`forth`, from the first capture's point to the second's, or `back`"
    ),
    Field(
        "fate",
        "string",
        "",
        "what became of it: `passed`, `lost`, `uncaptured`, `appeared`, `doubled`, `outside`",
        source="[fates](../captures.md#two-captures-of-one-path)",
    ),
    Field(
        "seq",
        "uint32",
        "",
        "its sequence number, as the capture has it that it passed first",
        source="RFC 9293 §3.1",
    ),
    Field(
        "length",
        "uint32",
        "",
        "sequence numbers that it takes up, SYN and FIN included",
        source="RFC 9293 §3.4",
    ),
    Field(
        "segments",
        "uint32",
        "segments",
        "how many it is on the path: several, if both captures have it before a card cut it, or "
        "joined",
    ),
    Field(
        "flags",
        "uint8",
        "",
        "its control bits as a number, as in `segments`",
        source="RFC 9293 §3.1",
    ),
    Field("is_ambiguous", "bool", "", "another packet agreed as well, and their order decided"),
    Field("is_late", "bool", "", "a packet that was sent later arrived earlier"),
    Field(
        "is_needless",
        "bool",
        "",
        "it was lost, and its bytes had come through before: nothing was missed",
    ),
    Field(
        "is_reported",
        "bool",
        "",
        "it is a second copy that one capture has, and its receiver reported its bytes as received "
        "twice",
        source="RFC 2883",
    ),
    Field("number_first", "int64", "", "its number in the first file, from 1", _NOT_THERE),
    Field("number_second", "int64", "", "its number in the second file", _NOT_THERE),
    Field(
        "time_first_ns",
        "int64",
        "ns",
        "when the first capture has it, since 1970 by its own clock",
        _NOT_THERE,
    ),
    Field(
        "time_second_ns",
        "int64",
        "ns",
        "when the second capture has it, by its own clock",
        _NOT_THERE,
    ),
    Field("aligned_second_ns", "int64", "ns", "the same on the first one's clock", _NOT_THERE),
    Field(
        "delay_ns",
        "int64",
        "ns",
        "how long it was under way; below 0 only where clocks are uneven",
        "not both have it",
    ),
    Field(
        "frames",
        "uint16",
        "frames",
        "frames on the air, fragments and retries included; 0 where there is no air",
    ),
    Field("retries", "uint16", "frames", "those with the retry bit"),
    Field(
        "acknowledged_ns",
        "int64",
        "ns",
        "when the last frame was acknowledged on the air, by that capture's clock",
        "never, or there is no air",
    ),
]
"""Columns of `packets`, and of `losses`, which are those that were lost."""

_NONE_PASSED = "none passed"

OVER_TIME = [
    Field("way", "string", "", "`forth` or `back`"),
    Field("time_ns", "int64", "ns", "begin of the step, since 1970 on the first capture's clock"),
    Field(
        "packets_passed",
        "int64",
        "packets",
        "packets that set off in it and passed, as the captures have them: those whose delays "
        "follow",
    ),
    Field("segments_passed", "int64", "segments", "the same as on the path"),
    Field("segments_lost", "int64", "segments", "segments that set off in it and were lost"),
    Field("delay_min_ns", "int64", "ns", "the shortest delay", _NONE_PASSED),
    Field("delay_mean_ns", "double", "ns", "their mean", _NONE_PASSED),
    Field("delay_max_ns", "int64", "ns", "the longest", _NONE_PASSED),
]

_ADDRESS = [
    Field("address", "string", "", "the end's address in the first capture"),
    Field("port", "int64", "", "its port there"),
    Field(
        "address_second",
        "string",
        "",
        "its address in the second capture",
        "the ends are the same in both",
    ),
    Field("port_second", "int64", "", "its port there", "the ends are the same in both"),
]

COUNTED = [
    Field("packets", "int64", "packets", "packets that it sent, as captured at the first point"),
    Field("bytes", "int64", "bytes", "their payload"),
    Field(
        "fills",
        "int64",
        "packets",
        "packets that filled a gap there: overtaken, or repairs of what was lost before that point",
    ),
    Field(
        "again",
        "int64",
        "packets",
        "packets with bytes that had passed there before and were not all acknowledged: lost "
        "behind it, or sent again too early",
    ),
    Field(
        "again_needless",
        "int64",
        "packets",
        "packets with such bytes that all were acknowledged already there: sent again needlessly",
    ),
    Field("bytes_again", "int64", "bytes", "payload of the packets of both kinds"),
]
"""What is counted at either point."""


def _at_the_second(field: Field) -> Field:
    return replace(field, name=f"{field.name}_second", meaning="the same at the second point")


_AT_BOTH = [
    each
    for field in COUNTED
    for each in (replace(field, name=f"{field.name}_first"), _at_the_second(field))
]

_LANE = [
    Field("way", "string", "", "the way its packets go, `forth` or `back`"),
    Field(
        "hops",
        "int64",
        "routers",
        "routers between the points, by what the time to live becomes less on the way; below 0 if "
        "more",
        "no packet of it is in both captures",
        "RFC 791 §3.2",
    ),
    *_AT_BOTH,
    Field("packets_passed", "int64", "packets", "packets that passed, as captured"),
    Field("segments_passed", "int64", "segments", "the same as on the path"),
    Field("segments_lost", "int64", "segments", "segments lost between the points"),
    Field(
        "tails_lost",
        "int64",
        "times",
        "how often all that was under way was lost, so that only the sender's timer could mend it",
    ),
    Field("delay_min_ms", "double", "ms", "the shortest delay", _NONE_PASSED),
    Field("delay_mean_ms", "double", "ms", "their mean", _NONE_PASSED),
    Field("delay_max_ms", "double", "ms", "the longest", _NONE_PASSED),
]

PAIR_END = [*_ADDRESS, *_LANE]
"""What is told of each end."""

PAIR_CONNECTION = [
    Field("connection", "int64", "", "its number, as in `packets`"),
    Field(
        "between",
        "string",
        "",
        "what lies between the points, in words: routers, translated addresses, changed sequence "
        "numbers, timestamps or options; an empty text for nothing",
    ),
]
"""What is told of a connection as a whole."""

_ENDS = ("client", "server")

PAIR_CONNECTIONS = [
    PAIR_CONNECTION[0],
    *(field for end in _ENDS for field in prefixed(f"{end}_", _ADDRESS)),
    *(field for end in _ENDS for field in prefixed(f"{end}_", _LANE)),
    PAIR_CONNECTION[1],
]
