"""What the metrics are called in figures and tables, with their units."""

from dataclasses import dataclass
from typing import Literal

from anechoic.scenario.declared import declarations


@dataclass(frozen=True)
class Metric:
    """A metric as people read it."""

    name: str
    label: str
    unit: str
    description: str

    @property
    def title(self) -> str:
        """Give label and unit, as an axis carries them."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


def metric(name: str) -> Metric:
    """Look a metric up; one that the catalogue does not know is called by its name."""
    if name in TOTALS:
        return Metric(name, *TOTALS[name])
    group, _, rest = name.partition(".")
    if group == "airtime":
        return _airtime(name, rest)
    if group in _OWN:
        owner, _, own = rest.rpartition(".")
        if owner and own in _OWN[group]:
            label, unit, description = _OWN[group][own]
            return Metric(name, f"{label}, {owner}", unit, description)
    if group == "wire":
        wire, _, own = rest.partition(".")
        what, _, sender = own.partition(".")
        if what in OF_WIRE:
            label, description = OF_WIRE[what]
            return Metric(name, f"{label} on {wire} from {sender}", "packets", description)
        stage, (what, _, sender) = what, sender.partition(".")
        if what in OF_STAGE:
            label, description = OF_STAGE[what]
            label = f"{label} by {stage} on {wire} from {sender}"
            return Metric(name, label, "packets", description)
    return Metric(name, name, "", "")


def metric_of_each(name: str) -> Metric:
    """Look up a metric that each flow or node has, by the last part of its name."""
    return Metric(name, *(OF_FLOW.get(name) or OF_NODE.get(name) or (name, "", "")))


def together(name: str) -> Literal["sum", "mean", "largest"]:
    """Say what the values of several flows or nodes amount to, for such a metric."""
    if "_max" in name:
        return "largest"
    # What has no unit is a ratio.
    return "mean" if "_mean" in name or not metric_of_each(name).unit else "sum"


AIRTIME_CATEGORIES = {
    "payload": ("Payload", "application bytes in data frames that were decoded"),
    "header": ("Headers", "MAC, LLC, IP and TCP, UDP or ICMP headers and the FCS of those frames"),
    "preamble": ("Preambles", "PLCP preambles and PLCP headers of those frames"),
    "ack": ("MAC ACK", "MAC acknowledgements with their preambles"),
    "rts_cts": ("RTS/CTS", "request and clear to send with their preambles"),
    "ifs": ("Interframe spaces", "SIFS within exchanges, and DIFS before a countdown"),
    "backoff": ("Backoff", "silence while somebody counts down or waits for EIFS"),
    "collision": ("Collisions", "frames that overlapped and of which none was decoded"),
    "error": ("Frame errors", "frames that were lost although nothing overlapped them"),
    "duplicate": ("Duplicates", "data frames that their receiver had already"),
    "timeout": ("Timeouts", "silence while a sender waits for a response that does not come"),
    "beacon": ("Beacons", "beacon frames with their preambles"),
    "idle": ("Idle", "silence while nobody has anything to send"),
}
"""The categories of the airtime ledger, which add up to the measured time."""

AIRTIME_CONTENTS = {
    "tcp_data": ("Airtime of TCP data", "data segments that TCP sent for the first time"),
    "tcp_retransmission": ("Airtime of resent TCP data", "data segments that TCP sent again"),
    "tcp_ack": (
        "Airtime of TCP ACKs",
        "segments without data: in-order acknowledgements, window updates, SYN, FIN and RST",
    ),
    "tcp_duplicate_ack": (
        "Airtime of duplicate ACKs",
        "acknowledgements of data out of order or received before",
    ),
}
"""What data frames carried. Frames that the MAC sent again count again, overlapping ones each."""

_MAC = {
    "attempts": ("frames", "data MPDUs (whole MSDUs or fragments) transmitted, retries included"),
    "retries": ("frames", "data MPDUs transmitted with the retry bit"),
    "rts_frames": ("frames", "RTS transmitted, repeated ones included"),
    "drops_retry_limit": ("MSDUs", "MSDUs given up at the short or the long retry limit"),
    "drops_queue": ("MSDUs", "MSDUs refused because the interface queue was full"),
    "duplicates": ("frames", "data MPDUs received again, acknowledged and discarded"),
    "fragments_per_msdu": ("", "data MPDUs sent without the retry bit over MSDUs acknowledged"),
}
"""The counters of a MAC: unit and definition."""

TOTALS = {
    "measured_s": ("Measured time", "s", "simulated time of a run after its warm-up"),
    "goodput_mbps": (
        "Total goodput",
        "Mbit/s",
        "application bytes that receivers read from all TCP connections and UDP flows, "
        "over the measured time",
    ),
    "goodput_per_connection_mbps": (
        "Goodput per connection",
        "Mbit/s",
        "total goodput over the number of TCP connections and UDP flows in the scenario",
    ),
    "connections_failed": (
        "Failed connections",
        "connections",
        "TCP connections ended by an error, in the warm-up too",
    ),
    "rtt_ms_mean": (
        "Mean RTT",
        "ms",
        "mean of all round-trip times that either end of a TCP connection or a ping measured",
    ),
    "rtt_ms_max": (
        "Largest RTT",
        "ms",
        "largest round-trip time that either end of a TCP connection or a ping measured",
    ),
    "tcp.retransmissions": (
        "TCP retransmissions",
        "segments",
        "data segments sent again, fast or after a timeout",
    ),
    "tcp.retransmissions_fast": (
        "Fast retransmissions",
        "segments",
        "data segments sent again because of duplicate ACKs or SACK blocks",
    ),
    "tcp.retransmissions_timeout": (
        "Timeout retransmissions",
        "segments",
        "data segments sent again because the retransmission timer expired",
    ),
    "tcp.retransmissions_spurious": (
        "Spurious retransmissions",
        "segments",
        "resent data segments that arrived where every byte of them was there already",
    ),
    "tcp.segments_sent": (
        "TCP data segments sent",
        "segments",
        "segments with data sent by either end, resent ones included",
    ),
    "tcp.duplicate_acks": (
        "Duplicate TCP ACKs",
        "segments",
        "ACKs sent at once for a segment out of order or received before",
    ),
    "tcp.pure_acks": (
        "Pure TCP ACKs",
        "segments",
        "ACKs without data, delayed or not, duplicate ones and window updates not counted",
    ),
    "tcp.timeouts": (
        "TCP timeouts",
        "timeouts",
        "expiries of the retransmission timer, those of a SYN included",
    ),
    "mac.attempts": ("MAC attempts", *_MAC["attempts"]),
    "mac.retries": ("MAC retries", *_MAC["retries"]),
    "mac.rts_frames": ("RTS frames", *_MAC["rts_frames"]),
    "mac.drops_retry_limit": ("MAC drops", *_MAC["drops_retry_limit"]),
    "mac.drops_queue": ("Queue drops", *_MAC["drops_queue"]),
    "mac.duplicates": ("Duplicates", *_MAC["duplicates"]),
    "mac.fragments_per_msdu": ("Fragments per MSDU", *_MAC["fragments_per_msdu"]),
    "mac.exchanges": (
        "Exchanges",
        "frames",
        "frames that had the medium by contention: data, RTS and beacons that open an exchange; "
        "a frame right after its own station's success, its backoff zero slots, is not among "
        "them, because nothing could collide with it",
    ),
    "mac.collisions": (
        "Collisions",
        "frames",
        "data and RTS frames that another transmission overlapped and the receiver did not decode",
    ),
    "mac.data_msdus": ("MSDUs", "MSDUs", "MSDUs delivered over the air, each once"),
    "collision_probability": (
        "Collision probability",
        "",
        "of the frames that had the medium by contention (mac.exchanges), those that another "
        "transmission overlapped: the conditional collision probability of Bianchi's model",
    ),
}
"""Metrics of a whole run by name: label, unit, definition."""

OF_FLOW = {
    "goodput_mbps": ("Goodput", "Mbit/s", "application bytes received over the measured time"),
    "bytes": (
        "Bytes",
        "bytes",
        "application bytes that the receiver read; of a ping, those echoed",
    ),
    "retransmissions": ("TCP retransmissions", "segments", "data segments sent again"),
    "rtt_ms_mean": ("Mean RTT", "ms", "mean of the round-trip times measured"),
    "rtt_ms_max": ("Largest RTT", "ms", "largest round-trip time measured"),
    "records": ("Timing records", "records", "timing records completed"),
    "record_mbps_mean": (
        "Throughput of a record",
        "Mbit/s",
        "mean over the timing records of bytes over duration",
    ),
    **{
        each["name"]: (each["label"], each["unit"], each["about"])
        for application in declarations("traffic")
        for each in application["metrics"]
    },
}
"""Metrics of a flow by the last part of their name."""

OF_NODE = {
    "queue_mean_packets": (
        "Mean queue",
        "packets",
        "interface queue averaged over time, the packet in service included",
    ),
    "queue_max_packets": (
        "Longest queue",
        "packets",
        "most packets in the interface queue, the one in service included",
    ),
    "attempts": ("Attempts", *_MAC["attempts"]),
    "retries": ("Retries", *_MAC["retries"]),
    "rts_frames": ("RTS frames", *_MAC["rts_frames"]),
    "drops_retry_limit": ("MAC drops", *_MAC["drops_retry_limit"]),
    "drops_queue": ("Queue drops", *_MAC["drops_queue"]),
    "duplicates": ("Duplicates", *_MAC["duplicates"]),
    "fragments_per_msdu": ("Fragments per MSDU", *_MAC["fragments_per_msdu"]),
}
"""Metrics of an access point or a station by the last part of their name."""

OF_WIRE = {
    "drops_from": ("Drops", "packets that found the wire's queue at this end full"),
}
"""Metrics of a wire by the part of their name before the sender."""

OF_STAGE = {
    "matched_from": ("Packets met", "packets from this end that the stage's filter matched"),
    "dropped_from": ("Losses", "packets from this end that the stage dropped"),
}
"""Metrics of a wire's impairment by the part of their name before the sender."""

_OWN = {"flow": OF_FLOW, "node": OF_NODE}


def _airtime(name: str, rest: str) -> Metric:
    part, _, unit = rest.rpartition("_")
    label, description = (
        AIRTIME_CATEGORIES.get(part) or AIRTIME_CONTENTS.get(part) or (part.replace("_", " "), "")
    )
    if unit == "share":
        return Metric(name, f"{label}, share of airtime", "", description)
    return Metric(name, f"{label}, airtime", "s", description)
