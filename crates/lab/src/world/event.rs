//! What the calendar of a world holds.

use crate::ids::{
    AgentId, EmitterId, FlowEnd, FlowId, InterfaceId, LinkId, NodeId, RadioId, SegmentId, SocketId,
};

/// What the calendar holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum WorldEvent {
    /// A packet at the far end of a link.
    Arrival(LinkId),
    /// A time that the impairments at the far end of a link asked for.
    Impaired(LinkId),
    /// A time that a segment asked for.
    Segment(SegmentId),
    /// A look at the timers of a connection's end.
    Timer(SocketId),
    /// A flow starts.
    Start(FlowId),
    /// The time has come that an application asked for.
    Wake(FlowEnd),
    /// An end of a flow sends a datagram so that the other can answer.
    BindingRequest(FlowId),
    /// A flow's time is over.
    Stop(FlowId),
    /// A node's processor has done with a packet.
    Processed(NodeId),
    /// The wire has room again for an application that fills it.
    QueueSpace(FlowEnd),
    /// A beacon of an access point's radio.
    Beacon(InterfaceId),
    /// A look at what is due of a radio's agreements on block acknowledgment.
    Agreements(RadioId),
    /// An emitter turns on or off.
    Emission(EmitterId),
    /// A look at an interface's open questions for link addresses.
    Neighbours(InterfaceId),
    /// An agent of Mobile IP says that it is there.
    Advertisement(AgentId),
    /// A look at what is due at a station that looks for its access point.
    Association(InterfaceId),
    /// A look at what is due at a mobile node.
    Mobile(NodeId),
    /// A station foresees that its access point fades, or finds it back.
    Fade(InterfaceId),
    /// The end of a step of the series.
    Step,
    /// The end of the warm-up.
    Measure,
    /// A time at which a window begins or ends.
    Edge,
    /// A round of samples of TCP_INFO.
    Sample,
}
