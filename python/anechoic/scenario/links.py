"""What connects machines: wires and the air."""

from typing import Annotated, Literal

from pydantic import Field

from anechoic.scenario.base import Name, Part, about
from anechoic.scenario.kinds import AirPropagation, DropTail, LinkFading, Stage, WireQueue
from anechoic.scenario.lost_frames import LostFrames
from anechoic.scenario.nodes import MTU_MAX, MTU_MIN
from anechoic.scenario.quantities import Duration, Power, Rate, Ratio
from anechoic.scenario.standards import StandardName

Ends = Annotated[list[Name], Field(min_length=2, max_length=2)]


class Wire(Part):
    """A full-duplex point-to-point link with a queue at either end."""

    between: Annotated[Ends, about("the two nodes it connects")]
    rate: Annotated[
        Rate, about("rate of each direction", source="inferred: Fast Ethernet, no bottleneck")
    ] = "100 Mbit/s"
    delay: Annotated[
        Duration, about("one-way propagation delay", source="a cable on one bench")
    ] = "0 s"
    mtu: Annotated[
        int,
        about("longest IP packet", unit="bytes", source="RFC 894", ge=MTU_MIN, le=MTU_MAX),
    ] = MTU_MAX
    queue: Annotated[WireQueue, Field(description="what waits at either end")] = DropTail()
    queue_at: Annotated[
        dict[Name, WireQueue],
        Field(description="what waits at one end instead, by the node there"),
    ] = {}
    emulator: Annotated[
        Literal["gel2"] | None,
        about("device that impairs the packets and sets limits to how; absent: none that exists"),
    ] = None
    impair: Annotated[
        dict[Name, Stage],
        Field(description="what happens to packets on the way, one stage after the other"),
    ] = {}


class Segment(Part):
    """A half-duplex Ethernet that several nodes share, as around a hub (CSMA/CD)."""

    members: Annotated[
        list[Name], about("the nodes, or groups of them, that share it"), Field(min_length=1)
    ]
    rate: Annotated[
        Rate, about('"10 Mbit/s" or "100 Mbit/s"', source="10BASE-T, the rate of most hubs")
    ] = "10 Mbit/s"
    delay: Annotated[
        Duration,
        about(
            "propagation delay between any two of them, the hub's included: at most half a slot, "
            "25.6 µs at 10 Mbit/s, 2.56 µs at 100 Mbit/s",
            source="inferred: a hub's 8 bit times (IEEE 802.3-2018 §9.5.5) and some cable",
        ),
    ] = "1 us"
    mtu: Annotated[
        int,
        about("longest IP packet", unit="bytes", source="RFC 894", ge=MTU_MIN, le=MTU_MAX),
    ] = MTU_MAX
    queue: Annotated[WireQueue, Field(description="what waits at each of them")] = DropTail()


class AirLink(Part):
    """The loss between two radios (or groups), the same in both directions without `back`."""

    between: Annotated[Ends, about("the two radios, or a noise and a radio")]
    loss: Annotated[
        Ratio | None,
        about("path loss between them", source="that of their places, or of [air]"),
    ] = None
    back: Annotated[
        Ratio | None,
        about("path loss from the second to the first, where it is another", source="`loss`"),
    ] = None
    fading: Annotated[
        dict[Name, LinkFading],
        Field(description="what lets the loss change with time, one process over the other"),
    ] = {}


class Air(Part):
    """The shared channel."""

    standard: Annotated[
        StandardName, about("IEEE 802.11 amendment", source="that of the papers")
    ] = "802.11b"
    channel: Annotated[
        int | None,
        about(
            "channel number of access points that name none, and of their stations",
            source="6 at 2.4 GHz: goel2006 §3.3; 36 at 5 GHz: the lowest",
            ge=1,
        ),
    ] = None
    loss: Annotated[
        Ratio,
        about("path loss between any two radios", source="goel2006 §3.5, chassis minimum"),
    ] = "48 dB"
    chassis: Annotated[
        Literal["azimuth-w"] | None,
        about("chassis that joins the radios and sets limits to their losses; absent: none"),
    ] = None
    propagation: Annotated[
        AirPropagation | None,
        Field(description="what distance takes from a signal, between radios that have positions"),
    ] = None
    noise_figure: Annotated[
        Ratio, about("receiver noise figure", source="inferred: usual for consumer radios")
    ] = "7 dB"
    preamble_detection: Annotated[
        Power,
        about(
            "received power from which a frame's preamble is detected, so that the frame is sensed "
            "and may be received",
            source="data sheets of Cisco's Aironet 350 and the Orinoco Gold at 1 Mbit/s, the rate "
            "of a long preamble (Gast 2005, Table 16-1); of OFDM, inferred: the same",
        ),
    ] = "-94 dBm"
    energy_detection: Annotated[
        Power,
        about(
            "received power from which the channel is busy, whatever it is; of several signals "
            "each counts by itself, as weak ones do not add up to it",
            source="IEEE 802.11-2007 §18.4.8.4, for transmitters of at most 50 mW",
        ),
    ] = "-70 dBm"
    detection_margin: Annotated[
        Ratio,
        about(
            "how much stronger than all frames together that are on its channel already a frame "
            "has to be for its preamble to be detected",
            source="ns-3's ThresholdPreambleDetectionModel, Threshold",
        ),
    ] = "4 dB"
    capture: Annotated[
        Literal["detection", "ns-3", "header", "payload"],
        about(
            "until when a receiver leaves a frame for a stronger one: until it has been detected "
            "(the standard's), for 16 us more (ns-3's SimpleFrameCaptureModel), until its PLCP "
            "header ends (cards with Prism chips), or until it ends itself",
            source="measured on cards with Atheros chips: Lee et al., WiNTECH 2007",
        ),
    ] = "payload"
    capture_margin: Annotated[
        Ratio,
        about(
            "how much stronger that has to be, once the first has been detected",
            source="Lee et al., WiNTECH 2007",
        ),
    ] = "10 dB"
    error_model: Annotated[
        Literal["nist", "link-simulation"],
        about(
            "how often frames of OFDM err: NIST's bound for decisions bit by bit, or curves of our "
            "own simulation of links whose receivers weigh what they hear, as chips do; by those "
            "as much gets through with 3 to 7 dB less",
            source="that of the simulators of the papers (ns-3's NistErrorRateModel)",
        ),
    ] = "nist"
    receive_threshold: Annotated[
        Power | None,
        about(
            "received power that decides alone whether a frame is decoded, whatever its rate, as "
            "ns-2's RXThresh_ does; absent: an error model by rate, signal and interference",
        ),
    ] = None
    capture_threshold: Annotated[
        Ratio,
        about(
            "with a receive_threshold: what a frame needs over each one that begins after it",
            source="ns-2's CPThresh_",
        ),
    ] = "10 dB"
    ssid: Annotated[
        str, about("name of the network, in beacons", source="ours", min_length=1, max_length=32)
    ] = "anechoic"
    link: Annotated[
        dict[Name, AirLink],
        Field(description="losses of single pairs of radios"),
    ] = {}
    lose: Annotated[
        dict[Name, LostFrames],
        Field(description="frames that get lost, in lists that are asked one after the other"),
    ] = {}
