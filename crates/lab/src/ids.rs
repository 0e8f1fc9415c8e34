//! Numbers that name the things of a world, each kind a type of its own.

use dot11::Address;
use serde::{Deserialize, Serialize};
use units::table;

macro_rules! ids {
    ($($(#[doc = $about:literal])+ $name:ident of $number:ty;)+) => {$(
        $(#[doc = $about])+
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $number);

        impl From<$name> for usize {
            #[inline(always)]
            fn from(id: $name) -> usize {
                id.0 as usize
            }
        }

        impl $name {
            /// The thing at an index.
            #[inline(always)]
            pub const fn at(index: usize) -> $name {
                $name(index as $number)
            }

            /// Its index.
            #[inline(always)]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

ids! {
    /// A node, by its index in the plan.
    NodeId of u16;
    /// An interface among those of all nodes, of which a node's first has the node's own number.
    InterfaceId of u16;
    /// A radio, or an access function of one, in the order of the interfaces.
    RadioId of u16;
    /// A wire, by its index in the plan.
    WireId of u16;
    /// One direction of a wire: twice the wire's index, and one more towards its first end.
    LinkId of u16;
    /// A segment, by its index in the plan.
    SegmentId of u16;
    /// One of those who share a segment, by its place there.
    MemberId of u16;
    /// An emitter, by its place among those that radios can hear.
    EmitterId of u16;
    /// A flow, by its index in the plan.
    FlowId of u16;
    /// An agent of Mobile IP, by its index in the plan.
    AgentId of u16;
    /// A port of UDP or TCP.
    PortNumber of u16;
    /// A packet, as long as anybody holds it.
    PacketId of u32;
    /// One end of a TCP connection, as long as there is one.
    SocketId of u32;
}

impl InterfaceId {
    /// Returns what names its radio, or the first access function of that, in frames.
    #[inline(always)]
    pub const fn address(self) -> Address {
        Address(self.0)
    }
}

impl NodeId {
    /// Its first interface.
    #[inline(always)]
    pub const fn first_interface(self) -> InterfaceId {
        InterfaceId(self.0)
    }
}

impl LinkId {
    /// The direction of a wire from its first end, or towards it.
    pub const fn of(wire: WireId, towards_first: bool) -> LinkId {
        LinkId(2 * wire.0 + towards_first as u16)
    }

    /// The other direction of the same wire.
    #[inline(always)]
    #[must_use]
    pub const fn reverse(self) -> LinkId {
        LinkId(self.0 ^ 1)
    }

    /// Returns whether it leads to the first end of its wire.
    #[inline(always)]
    pub const fn is_towards_first(self) -> bool {
        self.0 % 2 == 1
    }

    /// The wire that it is a direction of.
    #[inline(always)]
    pub const fn wire(self) -> WireId {
        WireId(self.0 / 2)
    }
}

impl PortNumber {
    /// The first port that flows take what comes at: iperf's.
    const FIRST: u16 = 5001;

    /// The dynamic ports begin here (RFC 6335 §6).
    pub const FIRST_DYNAMIC: u16 = 49_152;

    /// The flow that takes what comes at it, if it is not one that connections are opened from.
    #[inline]
    pub fn flow(self) -> Option<FlowId> {
        (Self::FIRST..Self::FIRST_DYNAMIC)
            .contains(&self.0)
            .then(|| FlowId(self.0 - Self::FIRST))
    }
}

impl FlowId {
    /// The port at which both ends of the flow take what comes.
    pub const fn port(self) -> PortNumber {
        PortNumber(PortNumber::FIRST + self.0)
    }

    /// An end of the flow.
    #[inline(always)]
    pub const fn end(self, side: Side) -> FlowEnd {
        FlowEnd { flow: self, side }
    }
}

impl From<FlowId> for table::Flow {
    fn from(id: FlowId) -> table::Flow {
        table::Flow(id.0)
    }
}

impl From<NodeId> for table::Node {
    fn from(id: NodeId) -> table::Node {
        table::Node(id.0)
    }
}

/// An end of a flow: the node that it is from, and the node that it goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Side {
    /// It starts the flow.
    #[serde(rename = "from")]
    Initiator = 0,
    /// It waits for what comes.
    #[serde(rename = "to")]
    Responder = 1,
}

impl Side {
    /// Both, in the order of a flow's ends.
    pub const BOTH: [Side; 2] = [Side::Initiator, Side::Responder];

    /// The other end.
    #[inline]
    pub fn other(self) -> Side {
        match self {
            Side::Initiator => Side::Responder,
            Side::Responder => Side::Initiator,
        }
    }
}

/// An end of a certain flow, to which sockets belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowEnd {
    /// The flow.
    pub flow: FlowId,
    /// The end of it.
    pub side: Side,
}

impl FlowEnd {
    /// The other end of the flow.
    #[inline]
    #[must_use]
    pub fn other_end(self) -> FlowEnd {
        self.flow.end(self.side.other())
    }
}
