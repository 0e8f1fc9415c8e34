"""The names of a record's metrics, so that a mistyped one is refused before anything runs."""

from collections.abc import Mapping
from typing import Any

from anechoic.scenario.declared import declarations

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
    "measured_s",
    "goodput_mbps",
    "goodput_per_connection_mbps",
    "connections_failed",
    "rtt_ms_mean",
    "rtt_ms_max",
    "tcp.retransmissions",
    "tcp.retransmissions_fast",
    "tcp.retransmissions_timeout",
    "tcp.retransmissions_spurious",
    "tcp.segments_sent",
    "tcp.duplicate_acks",
    "tcp.pure_acks",
    "tcp.timeouts",
)
CHANNEL = (
    "collision_probability",
    "mac.collisions",
    "mac.exchanges",
    "mac.data_msdus",
    *(f"airtime.{category}_s" for category in AIRTIME),
    *(f"airtime.{category}_share" for category in AIRTIME),
    *(f"airtime.{content}_s" for content in AIRTIME_BY_CONTENT),
)
MAC = (
    "attempts",
    "retries",
    "rts_frames",
    "drops_retry_limit",
    "drops_queue",
    "duplicates",
    "fragments_per_msdu",
)
QUEUE = ("queue_mean_packets", "queue_max_packets")
STAGE = ("matched", "dropped")
FLOW = ("goodput_mbps", "bytes")
RTT = ("rtt_ms_mean", "rtt_ms_max")


def of_app(kind: str) -> tuple[str, ...]:
    """Name the metrics of a flow that its application gives, besides what every flow has."""
    about = next(each for each in declarations("traffic") if each["name"] == kind)
    own = tuple(metric["name"] for metric in about["metrics"])
    if about["transport"] == "udp":
        return own
    records = ("records", "record_mbps_mean") if about["records"] else ()
    return (*RTT, *(("retransmissions",) if about["transport"] == "tcp" else ()), *records, *own)


def metric_names(plan: Mapping[str, Any]) -> list[str]:
    """Name the metrics that a run of this plan can give."""
    names = list(TOTAL)
    for flow in plan["flows"]:
        own = (*FLOW, *of_app(flow["app"]["kind"]))
        names += [f"flow.{flow['name']}.{metric}" for metric in own]
    if plan["air"] is not None:
        names += [*CHANNEL, *(f"mac.{metric}" for metric in MAC)]
    for node in plan["nodes"]:
        if any(each["radio"] for each in node["interfaces"]):
            names += [f"node.{node['name']}.{metric}" for metric in (*QUEUE, *MAC)]
    for wire in plan["wires"]:
        for end, chain in zip(wire["ends"], wire["impair"], strict=True):
            node = plan["nodes"][end["node"]]["name"]
            names.append(f"wire.{wire['name']}.drops_from.{node}")
            names += [
                f"wire.{wire['name']}.{stage['name']}.{what}_from.{node}"
                for stage in chain
                for what in STAGE
            ]
    return names
