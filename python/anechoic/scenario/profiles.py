"""Radio profiles: what a device does where a scenario says nothing.

The thesis names neither of its two vendors nor any internal parameter of their access
points, only that results are for both; a vendor is therefore a profile of those parameters
that are known to have differed between the enterprise devices of the time. Every value
that the thesis does not print is marked inferred.
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

NS2 = "ns-2.35, ns-default.tcl"
GOEL = "goel2006 §2.2.1, §3.3"
STANDARD = "IEEE Std 802.11-2016, Annex C"


@dataclass(frozen=True, slots=True)
class Setting:
    """A value and where it comes from."""

    value: Any
    source: str


_COMMON = {
    "rate_control": Setting("fallback", f"{GOEL}: retries of an MSDU step down 11, 5.5, 2, 1"),
    "protection": Setting("cts-to-self", "inferred: the usual default of drivers (protmode cts)"),
    "privacy": Setting("none", "inferred: the studies do not say that they encrypt"),
    "rts_threshold": Setting(2347, f"{STANDARD}, dot11RTSThreshold: above every frame, no RTS"),
    "fragmentation_threshold": Setting(
        2346, f"{STANDARD}, dot11FragmentationThreshold: the longest MPDU, no fragments"
    ),
    "short_retry_limit": Setting(7, f"{STANDARD}, dot11ShortRetryLimit; {GOEL}"),
    "long_retry_limit": Setting(4, f"{STANDARD}, dot11LongRetryLimit; {GOEL}"),
    "tx_power": Setting("15 dBm", "inferred: 15 to 20 dBm, the range of such devices"),
}

_VENDOR_A = {
    **_COMMON,
    "preamble": Setting("long", "inferred: every 802.11b device has to support it"),
    "rate_control.attempts_per_rate": Setting(1, f"{GOEL}: every retry steps down"),
    "queue_packets": Setting(100, "inferred: the thesis gives none; to be swept from 30 to 500"),
}

_NS2 = {
    **_COMMON,
    "rate_control": Setting("fixed", f"{NS2}: dataRate_, and basicRate_ for all control frames"),
    "protection": Setting("none", f"{NS2}: it knows one modulation"),
    "rts_threshold": Setting(0, f"{NS2}: RTSThreshold_"),
    "short_retry_limit": Setting(7, f"{NS2}: ShortRetryLimit_"),
    "long_retry_limit": Setting(4, f"{NS2}: LongRetryLimit_"),
    "tx_power": Setting("24.5 dBm", f"{NS2}: Pt_, 0.28183815 W"),
    "preamble": Setting("long", f"{NS2}: PreambleLength_ 144"),
    "queue_packets": Setting(50, f"{NS2}: Queue limit_; one more is with the MAC"),
}

HOSTAPD = "hostapd.conf, tx_queue_data2"

_MAC80211 = {
    **_COMMON,
    "rate_control": Setting("minstrel-ht", "Linux, net/mac80211: for drivers without their own"),
    "preamble": Setting("long", "of no meaning from 802.11n on"),
    "queue_packets": Setting(1000, "txqueuelen of Linux"),
    "cw_max": Setting(63, f"{HOSTAPD}_cwmax: what an access point's own best effort has"),
    "agreements": Setting(
        "negotiated", "ieee80211_aggr_check: a session begins with the first packet"
    ),
}

_LINUX_5 = {
    **_MAC80211,
    "queue": Setting("mac80211", "Linux since 4.11: mac80211 has the queues of its stations"),
    "txop_limit": Setting("0 s", f"{HOSTAPD}_burst: 0"),
}

PROFILES = MappingProxyType(
    {
        "vendor-a": _VENDOR_A,
        "vendor-b": {
            **_COMMON,
            "preamble": Setting("short", "inferred: the preamble is what vendors then set apart"),
            "rate_control.attempts_per_rate": Setting(
                2, "inferred: a same-rate retry before each step down"
            ),
            "queue_packets": Setting(60, "inferred: a smaller buffer than vendor-a's"),
        },
        "ns-2": _NS2,
        "plain": {
            **_COMMON,
            "rate_control": Setting("fixed", "no adaptation, as closed forms assume"),
            "preamble": Setting("long", "IEEE Std 802.11b-1999: mandatory, short is optional"),
            "queue_packets": Setting(100, "inferred: as vendor-a"),
        },
        "openwrt": {
            **_LINUX_5,
            "txop_limit": Setting(
                "2.016 ms",
                f"OpenWrt's hostapd.sh sets {HOSTAPD}_burst to 2.0 ms, 63 units of 32 µs",
            ),
        },
        "linux-5": _LINUX_5,
        "fifo": {
            **_MAC80211,
            "queue": Setting("drop-tail", "Linux before fq_codel was usual: pfifo_fast"),
            "txop_limit": Setting("0 s", f"{HOSTAPD}_burst: 0"),
        },
    }
)

OF_LATER = ("openwrt", "linux-5", "fifo")
"""Profiles of access points from 802.11n on."""
