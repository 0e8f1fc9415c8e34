"""The names of a record's metrics, so that a mistyped one is refused before anything runs."""

from collections.abc import Mapping
from typing import Any

AIRTIME = (
    "payload",
    "header",
    "preamble",
    "ack",
    "rts_cts",
    "ifs",
    "backoff",
    "collision",
    "error",
    "duplicate",
    "timeout",
    "beacon",
    "idle",
)
AIRTIME_BY_CONTENT = ("tcp_data", "tcp_retransmission", "tcp_ack", "tcp_duplicate_ack")

TOTAL = (
    "goodput_mbps",
    "goodput_per_connection_mbps",
    "tcp.retransmissions",
    "tcp.retransmissions_fast",
    "tcp.retransmissions_timeout",
    "tcp.retransmissions_spurious",
    "tcp.segments_sent",
    "tcp.duplicate_acks",
    "tcp.pure_acks",
    "rtt_ms_mean",
    "rtt_ms_max",
    "mac.attempts",
    "mac.retries",
    "mac.collisions",
    "mac.drops_retry_limit",
    "mac.drops_queue",
    "mac.rts_frames",
    "mac.data_msdus",
    "mac.fragments_per_msdu",
    "collision_probability",
    "measured_s",
    *(f"airtime.{category}_s" for category in AIRTIME),
    *(f"airtime.{category}_share" for category in AIRTIME),
    *(f"airtime.{content}_s" for content in AIRTIME_BY_CONTENT),
)
FLOW = ("goodput_mbps", "bytes", "retransmissions", "rtt_ms_mean", "records", "record_mbps_mean")
PING = ("replies", "lost", "rtt_ms_mean", "rtt_ms_max")
NODE = (
    "queue_mean_packets",
    "queue_max_packets",
    "queue_drops",
    "attempts",
    "retries",
    "collisions",
    "rts_frames",
    "drops_retry_limit",
)


def metric_names(plan: Mapping[str, Any]) -> list[str]:
    """Name the metrics that a run of this plan can give."""
    names = list(TOTAL)
    for flow in plan["flows"]:
        own = PING if flow["app"]["kind"] == "ping" else FLOW
        names += [f"flow.{flow['name']}.{metric}" for metric in own]
    for node in plan["nodes"]:
        names += [f"node.{node['name']}.{metric}" for metric in NODE]
    return names
