"""Machines with a radio: access points, stations, and routers that join a BSS."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from anechoic.scenario.association import Admission, AdmissionField, AssociationField
from anechoic.scenario.base import Name, Part, about
from anechoic.scenario.costs import DeviceCostField, HostCostField
from anechoic.scenario.edca import Edca
from anechoic.scenario.high_throughput import Coding, GuardInterval, Width
from anechoic.scenario.kinds import RadioMovement, RadioRateControl, WireQueue
from anechoic.scenario.mobile_ip import Agent, MobileIp
from anechoic.scenario.nodes import (
    AddressField,
    MtuField,
    NamespaceField,
    PortField,
    StackField,
    StackOverrides,
)
from anechoic.scenario.places import Position
from anechoic.scenario.profiles import PROFILES
from anechoic.scenario.quantities import Duration, Power, Rate, Size
from anechoic.scenario.standards import StandardName

ProfileName = Literal["vendor-a", "vendor-b", "ns-2", "plain", "openwrt", "linux-5", "fifo"]

# The long retry limit of a device is a byte in most management interfaces.
RetryLimit = Annotated[int | None, Field(ge=1, le=255)]

# The largest window that an exponent of four bits can give (IEEE 802.11-2007 §7.3.2.29).
ContentionWindow = Annotated[int | None, Field(ge=0, le=32767)]
OF_CELL = "a station's access point's, else the amendment's, see [standards](#standards)"
OF_PHY = "the amendment's, see [standards](#standards)"


class Radio(Part):
    """What access points and stations share; an absent value is the profile's."""

    standard: Annotated[
        StandardName | None,
        about(
            "IEEE 802.11 amendment: in a cell of 802.11g, a station may be of 802.11b",
            source="that of its access point, or of [air]",
        ),
    ] = None
    profile: Annotated[
        ProfileName,
        about("radio profile that gives every value not written here", source="no vendor's habit"),
    ] = "plain"
    preamble: Annotated[Literal["long", "short"] | None, about("PLCP preamble of data frames")] = (
        None
    )
    rate: Annotated[
        Rate | None,
        about(
            "data rate, the highest that the rate control may choose",
            source="the amendment's highest, see [standards](#standards); from 802.11n on see mcs",
        ),
    ] = None
    mcs: Annotated[
        int | None,
        about(
            "MCS of data frames from 802.11n on, counted for each stream as in 802.11ac; the "
            "highest that the rate control may choose",
            source="the amendment's highest, see [standards](#standards)",
            ge=0,
            le=11,
        ),
    ] = None
    streams: Annotated[
        int | None,
        about("spatial streams from 802.11n on", source=OF_CELL, ge=1, le=8),
    ] = None
    width: Annotated[
        Width | None, about("width of the channel from 802.11n on", source=OF_CELL)
    ] = None
    guard_interval: Annotated[
        GuardInterval | None,
        about("guard interval of symbols from 802.11n on", source=OF_CELL),
    ] = None
    ampdu_limit: Annotated[
        Size | None,
        about(
            "longest A-MPDU from 802.11n on; 0 B for none, each MPDU alone",
            source="65,535 B of 802.11n, 1,048,575 B of 802.11ac and ax: the longest that their "
            "capabilities announce",
        ),
    ] = None
    amsdu_limit: Annotated[
        Size | None,
        about(
            "longest A-MSDU from 802.11n on; 0 B for none, an MSDU in each MPDU",
            source="inferred: none, as ns-3 has it of best effort; drivers differ",
        ),
    ] = None
    block_ack_window: Annotated[
        int | None,
        about(
            "MPDUs under way to a receiver from 802.11n on, which is the most in an A-MPDU",
            unit="MPDUs",
            source="64 of 802.11n and ac, 256 of ax: the most that an agreement has",
            ge=1,
            le=256,
        ),
    ] = None
    agreements: Annotated[
        Literal["standing", "negotiated"] | None,
        about(
            "how it comes to agreements on block acknowledgment from 802.11n on: they stand from "
            "the start, as closed forms have it, or are asked for by ADDBA requests",
            source="standing",
        ),
    ] = None
    reorder_buffer: Annotated[
        int | None,
        about(
            "MPDUs that it takes at once of who asks for an agreement; 0 if it refuses",
            unit="MPDUs",
            source="block_ack_window",
            ge=0,
            le=256,
        ),
    ] = None
    reorder_timeout: Annotated[
        Duration | None,
        about(
            "longest time for which what has come waits for what was sent before it",
            source="100 ms, HT_RX_REORDER_BUF_TIMEOUT of mac80211",
        ),
    ] = None
    agreement_timeout: Annotated[
        Duration | None,
        about(
            "how long a negotiated agreement lasts that is of no use; 0 s for ever",
            source="0 s, as mac80211 asks for it",
        ),
    ] = None
    mpdu_spacing: Annotated[
        Duration | None,
        about(
            "least time between the beginnings of MPDUs in an A-MPDU, as its receiver asks for",
            source="inferred: none; many devices ask for 4 to 8 µs",
        ),
    ] = None
    aggregate_limit: Annotated[
        Duration | None,
        about(
            "longest time of an A-MPDU from 802.11n on; a single MPDU may last longer",
            source="5.484 ms, the longest PPDU (IEEE Std 802.11-2020, 19.4.3); ath9k has 4 ms",
        ),
    ] = None
    txop_limit: Annotated[
        Duration | None,
        about(
            "how long it may go on once it has the medium, from 802.11n on; 0 s for one PPDU and "
            "its answer",
            source="0 s of best effort (IEEE Std 802.11-2020, 9.4.2.29)",
        ),
    ] = None
    rate_control: Annotated[
        RadioRateControl | None,
        about("how the rate of a data frame is chosen: a kind, or a table with its parameters"),
    ] = None
    basic_rates: Annotated[
        list[Rate] | None,
        about(
            "rates that every station of the BSS has; control responses use them",
            source=OF_PHY,
            min_length=1,
        ),
    ] = None
    protection: Annotated[
        Literal["cts-to-self", "rts-cts", "none"] | None,
        about("what precedes a frame of OFDM while the cell has a station of 802.11b"),
    ] = None
    rts_threshold: Annotated[
        int | None,
        about("an MPDU longer than this is preceded by RTS/CTS", unit="bytes", ge=0, le=2347),
    ] = None
    fragmentation_threshold: Annotated[
        int | None,
        about("longest MPDU, header and FCS included", unit="bytes", ge=256, le=2346),
    ] = None
    short_retry_limit: Annotated[
        RetryLimit, about("attempts at frames up to the RTS threshold", unit="attempts")
    ] = None
    long_retry_limit: Annotated[
        RetryLimit, about("attempts at frames above the RTS threshold", unit="attempts")
    ] = None
    msdu_lifetime: Annotated[
        Duration | None,
        about(
            "time after its first transmission in which an MSDU may be tried again",
            source="inferred: no device is known to keep dot11MaxTransmitMSDULifetime",
        ),
    ] = None
    privacy: Annotated[
        Literal["none", "wep", "tkip", "ccmp"] | None,
        about("encryption whose bytes data frames carry: WEP, TKIP of WPA, CCMP of WPA2"),
    ] = None
    queue_packets: Annotated[
        int | None,
        about("length of the drop-tail interface queue", unit="packets", ge=1, le=1_000_000),
    ] = None
    queue: Annotated[
        WireQueue | None,
        about(
            "what waits in front of the MAC, which then holds the packet in service alone; absent: "
            "a drop-tail queue of queue_packets, that packet included",
            source="every device of the papers' time",
        ),
    ] = None
    cw_min: Annotated[
        ContentionWindow, about("CWmin, the first contention window", unit="slots", source=OF_PHY)
    ] = None
    cw_max: Annotated[
        ContentionWindow,
        about(
            "CWmax, the largest: a window w is followed by 2 w + 1, up to this one",
            unit="slots",
            source=OF_PHY,
        ),
    ] = None
    tx_power: Annotated[Power | None, about("transmit power")] = None
    position: Annotated[
        Position | None,
        about(
            "where it is, or begins; losses follow from it by the air's propagation",
            source="nowhere: its losses are stated",
        ),
    ] = None
    movement: Annotated[
        RadioMovement | None, Field(description="how it moves from there; absent: it stays")
    ] = None
    address: AddressField = None

    @model_validator(mode="after")
    def _has_one_queue(self) -> "Radio":
        if self.queue is None or self.queue_packets is None:
            return self
        context = {"reason": "there is a queue of its own", "allowed": "queue_packets, or queue"}
        raise PydanticCustomError("quantity", "{reason}", context)

    @model_validator(mode="before")
    @classmethod
    def _name_rate_control(cls, data: Any) -> Any:
        """Take a table of parameters that names no rate control for the profile's."""
        own = data.get("rate_control") if isinstance(data, Mapping) else None
        if not isinstance(own, Mapping) or "kind" in own:
            return data
        profile = data.get("profile", "plain")
        known = isinstance(profile, str) and profile in PROFILES
        usual = PROFILES[profile if known else "plain"]["rate_control"].value
        return {**data, "rate_control": {"kind": usual, **own}}


class Towards(Part):
    """What an access point has for one station instead of what it has for all others."""

    rate: Annotated[
        Rate | None,
        about(
            "data rate of what goes there, the highest that the rate control may choose",
            source="the access point's, or the highest of an older station",
        ),
    ] = None
    mcs: Annotated[
        int | None,
        about(
            "MCS of what goes there from 802.11n on, the highest that the rate control may choose",
            source="the access point's; streams, width and guard interval are the station's where "
            "it has less",
            ge=0,
            le=11,
        ),
    ] = None
    rate_control: Annotated[
        RadioRateControl | None,
        about("how the rate is chosen: a kind, or a table with it and its parameters"),
    ] = None
    short_retry_limit: Annotated[
        RetryLimit, about("attempts at frames up to the RTS threshold", unit="attempts")
    ] = None
    long_retry_limit: Annotated[
        RetryLimit, about("attempts at frames above the RTS threshold", unit="attempts")
    ] = None
    airtime_weight: Annotated[
        int | None,
        about(
            "what of the airtime goes there from a mac80211 queue, in proportion to others",
            source="256, IEEE80211_DEFAULT_AIRTIME_WEIGHT of Linux; hostapd's airtime_sta_weight "
            "sets it",
            ge=1,
            le=65_535,
        ),
    ] = None


class AccessPoint(Radio):
    """An access point: it bridges its wire and its BSS."""

    channel: Annotated[
        int | None,
        about("channel number of its BSS", source="air.channel", ge=1),
    ] = None
    coding: Annotated[
        Coding | None,
        about(
            "code of its cell's data frames from 802.11n on: the convolutional one, or the "
            "low-density parity-check code",
            source="ldpc of 802.11ax, which needs it above 20 MHz; else bcc, as every device has "
            "that",
        ),
    ] = None
    beacon_interval: Annotated[
        Duration,
        about(
            "time between beacons; 0 s for none",
            source="100 time units of 1024 µs, the usual dot11BeaconPeriod",
        ),
    ] = "102.4 ms"
    access: Annotated[
        Literal["dcf", "edca"],
        about(
            "how it and its stations contend: all alike, or by the access categories of their "
            "packets' codepoints",
            source="every device of the papers' time",
        ),
    ] = "dcf"
    edca: Annotated[
        Edca, Field(description='what the categories contend with, where access = "edca"')
    ] = Edca()
    to: Annotated[
        dict[Name, Towards],
        Field(description="what it has for single stations, or groups, instead of its own"),
    ] = {}
    association: AdmissionField = Admission()
    cost: DeviceCostField = None
    port: Annotated[
        bool,
        about(
            "whether what has its own address is real where the scenario is emulated: a network "
            "namespace with a kernel of this machine in it, for an snmpd, say. Its bridge and its "
            "radio stay those of the scenario",
            source="a simulated one, as where the scenario is simulated",
        ),
    ] = False


class Client(Radio):
    """A radio that is associated with an access point."""

    ledger: Annotated[
        bool,
        about(
            "whether it keeps a ledger of airtime of its own, of what it senses; access points "
            "always do",
            source="that of its access point tells what its cell senses",
        ),
    ] = False
    ap: Annotated[Name, about("name of the access point it is associated with")]


class Router(Part):
    """A machine that passes packets on between the networks of its wires and radios."""

    radio: Annotated[
        dict[Name, Client],
        Field(description="radios by which it joins cells; reported as ROUTER-NAME"),
    ] = {}
    nat: Annotated[
        str | None,
        about(
            "wire, segment or radio of its own, as wire.NAME or radio.NAME, whose address stands "
            "for all who send through it",
            source="none: it translates nothing",
        ),
    ] = None
    agent: Annotated[
        Agent | None, Field(description="makes it a mobility agent; absent: it is none")
    ] = None
    cost: DeviceCostField = None
    port: NamespaceField = False


class Station(Client):
    """A station of an access point's BSS, or a group of equal ones."""

    stack: StackField = None
    tcp: StackOverrides = {}
    mtu: MtuField = None
    association: AssociationField = None
    mobile_ip: Annotated[
        MobileIp | None, Field(description="Mobile IP; absent: its address holds at home alone")
    ] = None
    cost: HostCostField = None
    port: PortField = False
    count: Annotated[
        int | None,
        about("makes a group of equal stations, NAME-1 to NAME-count", ge=1, le=2000),
    ] = None
    freeze_below: Annotated[
        Power | None,
        about(
            "level of its access point's frames, as its card reports it, below which its TCP tells "
            "its peers of no window, so that they stop their timers (Freeze-TCP); absent: never",
            source="no stack of the papers' time",
        ),
    ] = None
