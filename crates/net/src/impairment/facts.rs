//! Facts of a packet that impairments and their filters may know.

/// A packet as somebody on the wire sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Number that tells the packets of its conversation and direction from others.
    pub flow: u32,
    /// The traffic it is of, by the index of its flow in the plan; that of an error, a question
    /// for an address or a machine from outside is not known.
    pub traffic: Option<u16>,
    /// Length of the IP packet, header included; of an ARP packet, its own.
    pub ip_bytes: u32,
    /// The protocol it carries.
    pub protocol: CarriedProtocol,
}

/// Protocol that a packet carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarriedProtocol {
    /// A TCP segment.
    Tcp {
        /// Bytes of data.
        payload: u32,
        /// Its control bits.
        flags: SegmentFlags,
    },
    /// A UDP datagram.
    Udp,
    /// An ICMP message.
    Icmp,
    /// A request for an address or a reply.
    Arp,
    /// Anything else.
    Other,
}

/// The control bits of a TCP segment, as in its header (RFC 9293 §3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentFlags(pub u8);

impl SegmentFlags {
    /// No more data from the sender.
    pub const FIN: u8 = 0x01;
    /// Synchronise sequence numbers.
    pub const SYN: u8 = 0x02;
    /// Reset the connection.
    pub const RST: u8 = 0x04;
    /// The application wants now what has come.
    pub const PSH: u8 = 0x08;
    /// The acknowledgment number means something.
    pub const ACK: u8 = 0x10;

    /// Returns whether any of these bits is set.
    #[inline]
    pub const fn any_of(self, bits: u8) -> bool {
        self.0 & bits != 0
    }

    /// Returns whether all of these bits are set.
    #[inline]
    pub const fn all_of(self, bits: u8) -> bool {
        self.0 & bits == bits
    }
}
