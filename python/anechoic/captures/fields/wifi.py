"""Columns of the tables in `wifi/`."""

from anechoic.captures.fields.field import Field

_UNTOLD = "no frame tells it"

STATIONS = [
    Field("address", "string", "", "its MAC address"),
    Field(
        "bssid",
        "string",
        "",
        "the cell it is in: its own if it is an access point",
        "it is in none, as far as heard",
    ),
    Field("is_access_point", "bool", "", "whether it is an access point"),
    Field(
        "ip_addresses",
        "string",
        "",
        "the IP addresses from which it sent TCP segments to its access point, up to eight, with "
        "spaces between: its own, and where it is a bridge those of hosts behind it",
        "it sent none that is not encrypted",
    ),
    Field("first_ns", "uint64", "ns", "when it was first heard of, since 1970"),
    Field("last_ns", "uint64", "ns", "when it was last heard of"),
    Field("frames", "int64", "frames", "frames of which it is known that it sent them"),
    Field("bytes", "int64", "bytes", "their bytes, from MAC header to frame check sequence"),
    Field(
        "data_frames", "int64", "frames", "its data frames with something in them, retries included"
    ),
    Field("retries", "int64", "frames", "those of them with the retry bit"),
    Field("fragments", "int64", "frames", "data frames that are fragments of a larger MSDU"),
    Field("management_frames", "int64", "frames", "management frames but beacons"),
    Field("beacons", "int64", "frames", "beacons"),
    Field(
        "ack_failures",
        "int64",
        "frames",
        "data and management frames that no acknowledgment followed",
        source="dot11ACKFailureCount",
    ),
    Field(
        "duplicates",
        "int64",
        "frames",
        "data frames sent again although their acknowledgment was captured",
    ),
    Field("msdus_delivered", "int64", "MSDUs", "acknowledged to the last fragment"),
    Field(
        "msdus_given_up",
        "int64",
        "MSDUs",
        "tried at least four times, and no acknowledgment captured",
        source="dot11LongRetryLimit, IEEE 802.11-2020 Annex C",
    ),
    Field(
        "msdus_ack_missed",
        "int64",
        "MSDUs",
        "tried less often before the sender went on: acknowledged, and that was not captured",
    ),
    Field("msdus_group", "int64", "MSDUs", "sent to groups"),
    Field("acks", "int64", "frames", "acknowledgments it sent, as far as they tell whose they are"),
    Field("rts", "int64", "frames", "RTS it sent"),
    Field(
        "rts_failures",
        "int64",
        "frames",
        "those that no CTS followed",
        source="dot11RTSFailureCount",
    ),
    Field("cts", "int64", "frames", "CTS it sent in response to an RTS"),
    Field(
        "cts_to_self",
        "int64",
        "frames",
        "CTS with its address that respond to no captured RTS: to itself, for protection",
    ),
    Field(
        "frames_missed",
        "int64",
        "frames",
        "data and management frames it sent that the capture missed, by gaps in its numbers, "
        "acknowledgments without a frame, and retries without a first attempt; never too many",
    ),
    Field("airtime_ns", "int64", "ns", "airtime of the frames it sent, preambles included"),
    Field("airtime_retries_ns", "int64", "ns", "that of data frames with the retry bit"),
    Field("airtime_received_ns", "int64", "ns", "airtime of the frames addressed to it"),
    Field(
        "retry_share", "double", "0 to 1", "`retries` over `data_frames`", "it sent no data frame"
    ),
    Field("rate_mbps_mean", "double", "Mbit/s", "mean rate of its data frames", _UNTOLD),
    Field(
        "signal_dbm_min", "int64", "dBm", "the weakest power of its frames at the sniffer", _UNTOLD
    ),
    Field("signal_dbm_mean", "double", "dBm", "the mean of the values in dBm", _UNTOLD),
    Field("signal_dbm_max", "int64", "dBm", "the strongest", _UNTOLD),
]

RATES = [
    Field("address", "string", "", "the station"),
    Field("rate_mbps", "double", "Mbit/s", "a rate", "the capture does not tell it"),
    Field("frames", "int64", "frames", "data frames that it sent at this rate"),
    Field("retries", "int64", "frames", "those of them with the retry bit"),
]

CELLS = [
    Field("bssid", "string", "", "its identifier: the access point's address"),
    Field("ssid", "string", "", "the network's name; what is no UTF-8 is replaced", "hidden"),
    Field("channel", "int64", "", "the channel's number", "neither beacon nor radio tells it"),
    Field("frequency_mhz", "int64", "MHz", "the centre of its primary 20 MHz; 0 if unknown"),
    Field("beacons", "int64", "frames", "beacons captured"),
    Field(
        "beacons_missed",
        "int64",
        "frames",
        "beacons that should have come between the first and the last, by the access point's own "
        "timer, less those that did",
    ),
    Field(
        "interval_tu",
        "int64",
        "1024 µs",
        "from one beacon to the next",
        source="IEEE 802.11-2020 §9.4.1.3",
    ),
    Field("has_privacy", "bool", "", "data must be encrypted", source="IEEE 802.11-2020 §9.4.1.4"),
    Field(
        "has_short_slot",
        "bool",
        "",
        "the short slot of 802.11g is in use",
        source="IEEE 802.11-2020 §9.4.1.4",
    ),
    Field("first_ns", "uint64", "ns", "when it was first heard of, since 1970"),
    Field("last_ns", "uint64", "ns", "when it was last heard of"),
]

EVENTS = [
    Field("time_ns", "uint64", "ns", "when, since 1970"),
    Field("packet", "int64", "", "number of the packet that tells it, from 1"),
    Field(
        "what",
        "string",
        "",
        "`authentication`, `association_request` and `_response`, `reassociation_request` and "
        "`_response`, `disassociation`, `deauthentication`, or `roamed`: its data go to another "
        "cell than before",
    ),
    Field("station", "string", "", "the station; everyone where an access point ends it for all"),
    Field("bssid", "string", "", "the cell"),
    Field("is_by_station", "bool", "", "the station itself sent the frame"),
    Field("previous_bssid", "string", "", "the cell before", "it comes from none"),
    Field(
        "code",
        "int64",
        "",
        "status, or reason",
        "such a frame has none",
        "IEEE 802.11-2020 §9.4.1.7, §9.4.1.9",
    ),
    Field(
        "interruption_ms",
        "double",
        "ms",
        "from the last data frame for the cell before to the first for this one",
        "it did not roam",
    ),
]

BURSTS = [
    Field("first_ns", "uint64", "ns", "when it was tried first, since 1970"),
    Field("last_ns", "uint64", "ns", "when it was tried last"),
    Field("packet", "int64", "", "number of the packet that was the first attempt, from 1"),
    Field(
        "attempts",
        "int64",
        "times",
        "how often it was tried; of fragments, the one that was tried most",
    ),
    Field("is_delivered", "bool", "", "it was acknowledged on the air in the end"),
    Field("transmitter", "string", "", "who tried"),
    Field("receiver", "string", "", "for whom"),
    Field(
        "connection",
        "int64",
        "",
        "the connection's number, as in `connections`",
        "it is not listed there",
    ),
    Field("is_from_client", "bool", "", "the connection's client sent the segment"),
    Field("seq", "int64", "", "its sequence number, as it stands in the header"),
    Field(
        "relative_seq",
        "int64",
        "",
        "the same, counted from the first byte of the stream as 1",
        "its SYN was not captured",
    ),
    Field("ack", "int64", "", "its acknowledgment number, as it stands in the header"),
    Field("payload", "int64", "bytes", "its payload"),
    Field(
        "again_packet", "int64", "", "number of the packet by which TCP sent it again", "it did not"
    ),
    Field(
        "again_after_ms",
        "double",
        "ms",
        "how long after the last attempt of the one before",
        "it did not",
    ),
    Field(
        "again_cause",
        "string",
        "",
        "why, as `causes_…` of the connection",
        "it did not, or nothing tells",
    ),
]

LEDGER = [
    Field("interface", "int64", "", "number of the interface in the file, from 0"),
    Field(
        "use",
        "string",
        "",
        "what the air was spent on, a line of the [ledger](metrics.md#airtime-ledger)",
    ),
    Field("airtime_s", "double", "s", "how long"),
    Field(
        "share",
        "double",
        "0 to 1",
        "the same over all that is accounted for",
        "nothing is, as no rate is known",
    ),
]

SERIES = [
    Field("time_s", "double", "s", "begin of the interval, since the first frame"),
    Field("interval_s", "double", "s", "its length: 1 s, of long captures 2, 4, …"),
    Field(
        "station",
        "string",
        "",
        "the station; everyone for those that sent least, where there are too many",
    ),
    Field("frames", "int64", "frames", "frames that it sent in the interval"),
    Field("data_frames", "int64", "frames", "data frames of these"),
    Field("retries", "int64", "frames", "data frames with the retry bit"),
    Field("bytes", "int64", "bytes", "from MAC header to frame check sequence"),
    Field("airtime_s", "double", "s", "airtime of its frames"),
    Field("rate_mbps_mean", "double", "Mbit/s", "mean rate of its data frames", _UNTOLD),
    Field("signal_dbm_mean", "double", "dBm", "mean power of its frames, in dBm", _UNTOLD),
]
