"""Keys of `analysis.json` and `--json` of two captures."""

from anechoic.captures.fields.document import TALLY, UNKNOWN_LINK, WARNING
from anechoic.captures.fields.field import Field, prefixed
from anechoic.captures.fields.pair import COUNTED

_CLOCK = [
    Field(
        "clocks",
        "string",
        "",
        "`same` (nothing contradicts it), `aligned`, `one_way` (packets of one direction only), "
        "`uneven` (one was set or slewed)",
    ),
    Field(
        "offset_ns",
        "int64",
        "ns",
        "by how much the second clock is ahead at the first common packet",
    ),
    Field(
        "error_ns",
        "int64",
        "ns",
        "by how much the true difference may be larger or smaller",
        "there is no bound on one side",
    ),
    Field("drift_ppm", "double", "ppm", "how much faster the second clock runs"),
    Field(
        "drift_bounds_ppm[]",
        "double",
        "ppm",
        "the least and the most that the packets allow",
        "packets of one direction only",
    ),
    Field(
        "contradiction_ns",
        "int64",
        "ns",
        "by how much packets contradict a straight line; 0 unless `uneven`",
    ),
]

_CAPTURE = [
    Field(
        "first_ns", "int64", "ns", "when its first packet was captured, since 1970 by its own clock"
    ),
    Field("last_ns", "int64", "ns", "when its last packet was"),
    Field("is_air", "bool", "", "it has 802.11 frames"),
    Field("is_coarse", "bool", "", "all its times are whole microseconds"),
    Field(
        "doubles",
        "bool",
        "",
        "it doubled packets itself: more second copies are in it alone than went on or were lost",
    ),
    *prefixed("tally.", TALLY),
    *prefixed("unknown_links[].", UNKNOWN_LINK),
    *prefixed("warnings[].", WARNING),
]

_NOBODY = "there was none"


def _distribution(name: str, what: str) -> list[Field]:
    return [
        Field(f"{name}.count", "int64", "", f"{what}: how many", _NOBODY),
        Field(f"{name}.min_ns", "int64", "ns", "the shortest", _NOBODY),
        Field(f"{name}.max_ns", "int64", "ns", "the longest", _NOBODY),
        Field(f"{name}.total_ns", "int64", "ns", "all of them together", _NOBODY),
        Field(f"{name}.mean_ns", "double", "ns", "their mean", _NOBODY),
        Field(f"{name}.deviation_ns", "double", "ns", "their standard deviation", _NOBODY),
        Field(
            f"{name}.median_ns",
            "int64",
            "ns",
            "the median, at most 1/128 too large, as what follows",
            _NOBODY,
        ),
        Field(f"{name}.p90_ns", "int64", "ns", "nine of ten are no longer", _NOBODY),
        Field(f"{name}.p95_ns", "int64", "ns", "ninety-five of a hundred are no longer", _NOBODY),
        Field(f"{name}.p99_ns", "int64", "ns", "ninety-nine of a hundred are no longer", _NOBODY),
    ]


_FATES = {
    "passed": "in both captures",
    "lost": "lost between the points",
    "uncaptured": "missed by the capture at the second point of the way",
    "appeared": "only in the capture at the second point of the way",
    "doubled": "second copies",
    "outside": "that the other capture could not have",
}

_WAY = [
    *(
        Field(f"segments.{fate}", "int64", "segments", f"segments on the path {what}")
        for fate, what in _FATES.items()
    ),
    Field(
        "passed",
        "int64",
        "packets",
        "packets, or parts of large ones, that both captures have, as captured",
    ),
    Field(
        "lost",
        "int64",
        "segments",
        "segments that passed the first point of the way, not the second",
    ),
    Field("lost_data", "int64", "segments", "those with data, SYN or FIN"),
    Field(
        "lost_needless",
        "int64",
        "segments",
        "those whose bytes had come through before, so that nothing was missed",
    ),
    Field("lost_bytes", "int64", "bytes", "sequence numbers that the lost took up"),
    Field(
        "uncaptured",
        "int64",
        "segments",
        "segments that the second capture of the way missed, as acknowledgments prove",
    ),
    Field("appeared", "int64", "packets", "packets that only the second capture of the way has"),
    Field("doubled", "int64", "packets", "second copies"),
    Field(
        "doubled_before",
        "int64",
        "packets",
        "those that both captures have: doubled before the first point of the way",
    ),
    Field(
        "doubled_between",
        "int64",
        "packets",
        "those that only the second capture of the way has: doubled between the points, if that "
        "capture does not double packets itself (`captures[].doubles`)",
    ),
    Field(
        "doubled_reported",
        "int64",
        "packets",
        "those that one capture has, and their receiver reported as received twice",
        source="RFC 2883",
    ),
    Field("outside", "int64", "packets", "packets that the other capture could not have"),
    Field("late", "int64", "packets", "packets that passed behind one that was sent later"),
    Field("ambiguous", "int64", "packets", "packets told from another by their order only"),
    *_distribution("delay", "delays of packets"),
    Field(
        "lost_times[]",
        "int64",
        "segments",
        "how often the same bytes were lost before they came through: once, twice and so on",
    ),
    Field(
        "lost_for_good_times[]", "int64", "segments", "the same of bytes that never came through"
    ),
    Field("tails.lost", "int64", "times", "how often all that was under way was lost"),
    Field("tails.lost_for_good", "int64", "times", "those of which nothing came through later"),
    *_distribution(
        "tails.waited",
        "waits from when the first of a tail was sent until what came through of it was",
    ),
    Field("air.packets", "int64", "packets", "packets sent on the air", "no capture is from there"),
    Field(
        "air.frames",
        "int64",
        "frames",
        "frames they took, fragments and retries included",
        "as before",
    ),
    Field("air.retries", "int64", "frames", "those with the retry bit", "as before"),
    Field(
        "air.unacknowledged",
        "int64",
        "packets",
        "packets whose last frame was never acknowledged",
        "as before",
    ),
    *_distribution("air.exchange", "times from the first frame to the acknowledgment"),
    *_distribution(
        "air.wire_to_acknowledgment",
        "times from the wire to the acknowledgment, only of the way to the air",
    ),
]

_LANE = [
    Field("way", "string", "", "column `way`"),
    Field("hops", "int64", "routers", "column `hops`", "no packet of it is in both captures"),
    *(
        Field(f"{field.name}[]", "int64", field.unit, f"columns `{field.name}_first` and `_second`")
        for field in COUNTED
    ),
    Field("tails_lost", "int64", "times", "column `tails_lost`"),
    Field(
        "alterations[].kind",
        "string",
        "",
        "what something between the points changes: `sequence_numbers`, `identification`, "
        "`timestamps`, `maximum_segment_size`, `window_scale`, `sack_permitted`, "
        "`timestamps_option`",
    ),
    Field(
        "alterations[].shift",
        "int64",
        "",
        "by how much sequence numbers of the second capture are larger, modulo 2³²",
        "another kind",
    ),
    Field(
        "alterations[].first",
        "int64",
        "",
        "the option's value in the first capture",
        "another kind, or it has none there",
    ),
    Field("alterations[].second", "int64", "", "its value in the second", "as before"),
]

_CONNECTION = [
    Field("number", "int64", "", "column `connection`"),
    Field(
        "ends[][]",
        "",
        "",
        "address and port of the client, or of who was seen first, and of the other end",
    ),
    Field("ends_second[][]", "", "", "the same in the second capture", "they are the same"),
    *prefixed("lanes[].", _LANE),
]

_STEP = [
    Field("passed", "int64", "packets", "column `packets_passed`"),
    Field("segments_passed", "int64", "segments", "column of that name"),
    Field("lost", "int64", "segments", "column `segments_lost`"),
    Field("min_ns", "int64", "ns", "column `delay_min_ns`; 0 if none passed"),
    Field("max_ns", "int64", "ns", "column `delay_max_ns`; 0 if none passed"),
    Field("total_ns", "int64", "ns", "all delays together"),
]

PAIR_DOCUMENT = [
    *prefixed("clock.", _CLOCK),
    *prefixed("captures[].", _CAPTURE),
    *prefixed("ways[].", _WAY),
    *prefixed("connections[].", _CONNECTION),
    Field("unlisted", "int64", "", "connections that are not listed, as they are so many"),
    Field(
        "connections_alone[]",
        "int64",
        "",
        "connections that only the first capture has, and only the second",
    ),
    Field("packets_alone[]", "int64", "packets", "their packets"),
    Field(
        "evicted",
        "int64",
        "",
        "connections that were told before their end, because too many were open",
    ),
    Field(
        "over_time.start_ns",
        "int64",
        "ns",
        "when the first step begins, since 1970 on the first capture's clock",
    ),
    Field("over_time.step_ns", "int64", "ns", "how long a step is"),
    *prefixed("over_time.ways[][].", _STEP),
]
"""Keys of the document of two captures; lists of two have the first capture or way first."""
