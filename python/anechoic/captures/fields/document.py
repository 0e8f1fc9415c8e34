"""Keys of `analysis.json` and `--json`.

A key is named by its path; `[]` stands for each entry of a list. What has the name of a column, and
that column's value, is explained there: see `ALIKE`.
"""

from anechoic.captures.fields.connections import CONNECTIONS
from anechoic.captures.fields.field import Field, prefixed
from anechoic.captures.fields.wifi import BURSTS, CELLS, EVENTS, SERIES, STATIONS
from anechoic.captures.wifi.tables import LEDGER

TALLY = [
    Field("packets", "int64", "packets", "all of them"),
    Field("tcp", "int64", "segments", "TCP segments found in them, each once"),
    Field("icmp", "int64", "packets", "messages of ICMP about TCP segments"),
    Field("other_ip", "int64", "packets", "with another protocol over IP"),
    Field(
        "other_network",
        "int64",
        "packets",
        "of other network protocols, and 802.11 frames without a packet in them",
    ),
    Field("unknown_link", "int64", "packets", "of a link type that is not known here"),
    Field("cut", "int64", "packets", "that end, or were cut, within a header"),
    Field("malformed", "int64", "packets", "whose headers contradict themselves"),
    Field("fragments", "int64", "packets", "IP fragments of packets that never became whole"),
    Field("encrypted", "int64", "frames", "of 802.11 that are encrypted"),
    Field("mac_retries", "int64", "frames", "of 802.11 that repeat one captured before"),
    Field(
        "mac_fragments",
        "int64",
        "frames",
        "fragments of 802.11 behind the first, whose headers stand in that one",
    ),
    Field("bad_fcs", "int64", "frames", "received with a wrong frame check sequence"),
    Field(
        "doubled",
        "int64",
        "segments",
        "that the capture itself doubled: seen at another place before, or within moments",
    ),
    Field("snapped", "int64", "packets", "of which the snap length cut off a part"),
    Field("options_cut", "int64", "segments", "of TCP, whose options or a part of them it cut off"),
    Field("back_in_time", "int64", "packets", "with an earlier time than the one before"),
]
"""How many packets were what."""

_LINK_TYPES = "https://www.tcpdump.org/linktypes.html"

UNKNOWN_LINK = [
    Field("layer", "string", "", "`link`"),
    Field("number", "int64", "", "a link type that is not read", source=_LINK_TYPES),
    Field(
        "name",
        "string",
        "",
        "its name without LINKTYPE_",
        "it has none that is known",
        _LINK_TYPES,
    ),
    Field("packets", "int64", "packets", "packets of it"),
]
"""Of `unknown_link` packets, the first sixteen link types."""

UNOPENED = [
    Field(
        "layer",
        "string",
        "",
        "where its number stands: `ethertype`, `gre` (its protocol type), `ip` (the protocol over "
        "it), `udp` (the port)",
    ),
    Field("number", "int64", "", "what was met and not opened, by its number there"),
    Field("name", "string", "", "its name", "it has none that is known"),
    Field("packets", "int64", "packets", "packets of it"),
]
"""Of `other_ip` and `other_network` packets, the first sixteen numbers of each layer."""

WARNING = [
    Field(
        "kind",
        "string",
        "",
        "`truncated` (the file ends within a record), `corrupt` (the rest is not read), `skipped` "
        "(a record is), `source` (reading failed), `damaged` (the compression, behind `corrupt`)",
    ),
    Field("at", "int64", "bytes", "where, in the uncompressed file", "`damaged` is of all of it"),
    Field("what", "string", "", "what is wrong", "`truncated` says it all"),
]

_CLOCK = [
    Field("source", "string", "", "whose timestamps: `radio`, its own timer, or `host`"),
    Field(
        "stamp",
        "string",
        "",
        "of what instant: `preamble` (its first bit), `first_bit` (behind it), `end`",
    ),
    Field(
        "responses", "int64", "frames", "responses from which that was learned; 0: it is assumed"
    ),
    Field("jitter_ns", "int64", "ns", "how far from their due time these were, in the mean"),
]

_USES = [Field(f"{use}_ns", "int64", "ns", meaning) for use, meaning in LEDGER.items()]

_CHANNEL = [
    Field("interface", "int64", "", "number of the interface in the file, from 0"),
    Field(
        "frequencies_mhz[]",
        "int64",
        "MHz",
        "centres of the channels it listened to, in the order of first frames",
    ),
    Field("frames", "int64", "frames", "frames that it heard"),
    Field(
        "frames_untimed",
        "int64",
        "frames",
        "those of which it is not known when they were on the air, or how long",
    ),
    *prefixed("clock.", _CLOCK),
    *prefixed("ledger.", _USES),
]

_WIFI = [
    Field("frames", "int64", "frames", "802.11 frames"),
    Field(
        "frames_illegible",
        "int64",
        "frames",
        "those with a wrong check sequence or cut within the header, of which only the length "
        "counts",
    ),
    *prefixed("channels[].", _CHANNEL),
    Field(
        "cells_unlisted",
        "int64",
        "frames",
        "beacons and probe responses of cells that are not listed, as they are so many",
    ),
    Field(
        "stations[].attempts[]",
        "int64",
        "MSDUs",
        "MSDUs to one receiver by how often they were tried: once, twice, … eight times or more",
    ),
    Field(
        "stations[].signal.min_dbm", "int64", "dBm", "column `signal_dbm_min`", "no frame tells it"
    ),
    Field(
        "stations[].signal.mean_dbm",
        "double",
        "dBm",
        "column `signal_dbm_mean`",
        "no frame tells it",
    ),
    Field(
        "stations[].signal.max_dbm", "int64", "dBm", "column `signal_dbm_max`", "no frame tells it"
    ),
    Field(
        "stations[].ip_addresses[]", "string", "", "IP addresses from which it sent TCP segments"
    ),
    Field("stations[].signal.frames", "int64", "frames", "frames that tell it"),
    Field(
        "stations[].rates[].rate_kbps",
        "int64",
        "kbit/s",
        "a rate of its data frames; 0 where the capture does not tell",
    ),
    Field("stations[].rates[].frames", "int64", "frames", "data frames at this rate"),
    Field("stations[].rates[].retries", "int64", "frames", "those of them with the retry bit"),
    Field("others.stations", "int64", "", "stations that had to make room"),
    Field("others.frames", "int64", "frames", "frames they sent"),
    Field("others.airtime_ns", "int64", "ns", "airtime of these"),
    Field("events_unlisted", "int64", "", "events that are not listed"),
    Field(
        "bursts[].connection",
        "int64",
        "",
        "place of the connection in `connections`, from 0, one less than the column",
        "it is not listed there",
    ),
    Field(
        "bursts[].again.packet", "int64", "", "column `again_packet`", "TCP did not send it again"
    ),
    Field("bursts[].again.after_ms", "double", "ms", "column `again_after_ms`", "as before"),
    Field(
        "bursts[].again.cause", "string", "", "column `again_cause`", "as before, or nothing tells"
    ),
    Field("bursts_unlisted", "int64", "", "bursts that are not listed"),
    Field("series.interval_ns", "int64", "ns", "how long an interval is"),
    Field("series.start_ns", "int64", "ns", "where interval 0 begins, since 1970"),
    Field("series.rows[].interval", "int64", "", "number of the interval, from 0"),
    Field(
        "series.rows[].airtime_ns",
        "int64",
        "ns",
        "airtime of the frames that the station sent in it",
    ),
    Field(
        "series.rows[].rate_kbps_sum",
        "int64",
        "kbit/s",
        "sum of the rates of data frames whose rate is known",
    ),
    Field("series.rows[].rate_frames", "int64", "frames", "their number"),
    Field(
        "series.rows[].signal_dbm_sum",
        "int64",
        "dBm",
        "sum of the powers of frames whose power is known",
    ),
    Field("series.rows[].signal_frames", "int64", "frames", "their number"),
]

DOCUMENT = [
    *prefixed("tally.", TALLY),
    *prefixed("unknown_links[].", UNKNOWN_LINK),
    *prefixed("unopened[].", UNOPENED),
    Field(
        "unlisted",
        "int64",
        "",
        "attempts that nobody answered, or that were refused, which are not listed, as they are so "
        "many",
    ),
    Field(
        "evicted",
        "int64",
        "",
        "connections that were told before their end, because too many were open",
    ),
    *prefixed("wifi.", _WIFI),
    *prefixed("warnings[].", WARNING),
    Field("notes[]", "string", "", "what is to be known before trusting a figure, a sentence each"),
]
"""Keys of the document of one capture."""

ALIKE = {
    "connections[]": CONNECTIONS[1:],
    "wifi.stations[]": STATIONS,
    "wifi.cells[]": CELLS,
    "wifi.events[]": EVENTS,
    "wifi.bursts[]": BURSTS,
    "wifi.series.rows[]": SERIES,
}
"""Where keys are columns: there each level of a key is joined to the next by `_` in a column."""
