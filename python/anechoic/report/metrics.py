"""What the metrics and the swept axes are called in figures and tables, with their units."""

from dataclasses import dataclass


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
    if name in _TOTALS:
        return Metric(name, *_TOTALS[name])
    group, _, rest = name.partition(".")
    if group == "airtime":
        return _airtime(name, rest)
    if group in ("flow", "node"):
        owner, _, own = rest.rpartition(".")
        if owner and own in _OWN:
            label, unit, description = _OWN[own]
            return Metric(name, f"{label}, {owner}", unit, description)
    if group == "wire":
        wire, _, sender = rest.partition(".drops_from.")
        return Metric(name, f"Drops on {wire} from {sender}", "packets", "found its queue full")
    return Metric(name, name, "", "")


def axis_title(path: str) -> str:
    """Give the label of a swept axis from its name, or from the field that its path ends in."""
    field = path.rpartition(".")[2]
    if field in _AXES:
        return _AXES[field]
    return field.replace("_", " ").capitalize()


AIRTIME_CATEGORIES = {
    "payload": ("Payload", "application bytes in frames that were decoded"),
    "header": ("Headers", "MAC, LLC, IP and TCP headers and frame checks of data frames"),
    "preamble": ("Preambles", "PLCP preambles and headers of data frames"),
    "ack": ("MAC ACK", "MAC acknowledgements with their preambles"),
    "rts_cts": ("RTS/CTS", "request and clear to send with their preambles"),
    "ifs": ("Interframe spaces", "SIFS and DIFS"),
    "backoff": ("Backoff", "silence while somebody counts down"),
    "collision": ("Collisions", "frames that overlapped and were lost"),
    "error": ("Frame errors", "frames that were lost without an overlap"),
    "duplicate": ("Duplicates", "frames that the receiver already had"),
    "timeout": ("Timeouts", "waiting for a response that did not come"),
    "beacon": ("Beacons", "beacon frames"),
    "idle": ("Idle", "nobody had anything to send"),
}
"""The categories of the airtime ledger, which add up to the measured time."""

_CONTENTS = {
    "tcp_data": ("Airtime of TCP data", "first transmissions of TCP data"),
    "tcp_retransmission": ("Airtime of resent TCP data", "TCP retransmissions"),
    "tcp_ack": ("Airtime of TCP ACKs", "segments that only acknowledge"),
    "tcp_duplicate_ack": ("Airtime of duplicate ACKs", "duplicate TCP acknowledgements"),
}

_TOTALS = {
    "goodput_mbps": (
        "Total goodput",
        "Mbit/s",
        "application bytes delivered in order by all connections, over the measured time",
    ),
    "goodput_per_connection_mbps": (
        "Goodput per connection",
        "Mbit/s",
        "total goodput over the number of connections",
    ),
    "tcp.retransmissions": ("TCP retransmissions", "segments", "resent for whatever cause"),
    "tcp.retransmissions_fast": ("Fast retransmissions", "segments", "after duplicate ACKs"),
    "tcp.retransmissions_timeout": ("Timeout retransmissions", "segments", "after a timeout"),
    "tcp.retransmissions_spurious": (
        "Spurious retransmissions",
        "segments",
        "resent although the receiver had the data",
    ),
    "tcp.segments_sent": ("TCP segments sent", "segments", "by both ends, resent ones included"),
    "tcp.duplicate_acks": ("Duplicate TCP ACKs", "segments", "acknowledging nothing new"),
    "tcp.pure_acks": ("Pure TCP ACKs", "segments", "acknowledgements without data"),
    "tcp.timeouts": ("TCP timeouts", "timeouts", "expiries of the retransmission timer"),
    "connections_failed": ("Failed connections", "connections", "ended by an error"),
    "rtt_ms_mean": ("Mean RTT", "ms", "round-trip time that TCP measured"),
    "rtt_ms_max": ("Largest RTT", "ms", "round-trip time that TCP measured"),
    "mac.attempts": ("MAC attempts", "frames", "data frames and fragments transmitted"),
    "mac.retries": ("MAC retries", "frames", "data frames transmitted again"),
    "mac.exchanges": ("Exchanges", "frames", "frames that opened an exchange after contention"),
    "mac.duplicates": ("Duplicates", "frames", "data frames received again and discarded"),
    "mac.collisions": ("Collisions", "frames", "transmissions that overlapped"),
    "mac.drops_retry_limit": ("MAC drops", "MSDUs", "given up at the retry limit"),
    "mac.drops_queue": ("Queue drops", "MSDUs", "found the interface queue full"),
    "mac.rts_frames": ("RTS frames", "frames", "requests to send of all radios"),
    "mac.data_msdus": ("MSDUs", "MSDUs", "data units handed to the air"),
    "mac.fragments_per_msdu": ("Fragments per MSDU", "", "MPDUs that carry one MSDU"),
    "collision_probability": ("Collision probability", "", "collided attempts over attempts"),
    "measured_s": ("Measured time", "s", "duration of a run without its warm-up"),
}

_OWN = {
    "goodput_mbps": ("Goodput", "Mbit/s", "application bytes over the measured time"),
    "bytes": ("Bytes", "bytes", "application bytes delivered"),
    "retransmissions": ("TCP retransmissions", "segments", "resent for whatever cause"),
    "rtt_ms_mean": ("Mean RTT", "ms", "round-trip time"),
    "rtt_ms_max": ("Largest RTT", "ms", "round-trip time"),
    "records": ("Timing records", "records", "timing records finished"),
    "record_mbps_mean": ("Throughput of a record", "Mbit/s", "mean over the timing records"),
    "replies": ("Ping replies", "", "echo replies received"),
    "lost": ("Lost pings", "", "echo requests without a reply"),
    "queue_mean_packets": ("Mean queue", "packets", "interface queue over time"),
    "queue_max_packets": ("Longest queue", "packets", "interface queue"),
    "queue_drops": ("Queue drops", "packets", "found the interface queue full"),
    "drops_queue": ("Queue drops", "MSDUs", "found the interface queue full"),
    "requests": ("Ping requests", "", "echo requests sent"),
    "attempts": ("Attempts", "frames", "data frames and fragments transmitted"),
    "retries": ("Retries", "frames", "data frames transmitted again"),
    "duplicates": ("Duplicates", "frames", "data frames received again and discarded"),
    "fragments_per_msdu": ("Fragments per MSDU", "", "data frames that carry one MSDU"),
    "collisions": ("Collisions", "frames", "transmissions that overlapped"),
    "rts_frames": ("RTS frames", "frames", "requests to send"),
    "drops_retry_limit": ("MAC drops", "MSDUs", "given up at the retry limit"),
}

_AXES = {
    "connections": "TCP connections",
    "count": "Count",
    "fragmentation_threshold": "Fragmentation threshold (bytes)",
    "rts_threshold": "RTS threshold (bytes)",
    "queue_packets": "Queue (packets)",
    "vendor": "Access point",
    "profile": "Profile",
    "preamble": "Preamble",
    "rate": "Rate",
    "stack": "TCP stack",
    "loss": "Path loss",
    "file_size": "File size (bytes)",
    "transactions_per_record": "Transactions per record",
}


def _airtime(name: str, rest: str) -> Metric:
    part, _, unit = rest.rpartition("_")
    label, description = (
        AIRTIME_CATEGORIES.get(part) or _CONTENTS.get(part) or (part.replace("_", " "), "")
    )
    if unit == "share":
        return Metric(name, f"{label}, share of airtime", "", description)
    return Metric(name, f"{label}, airtime", "s", description)
