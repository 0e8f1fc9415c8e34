//! Segments that count against the connection that has sent them until they have left the queue
//! below it (`sk_wmem_alloc`).

use tcp::Segment;

use super::packet::{Body, Packet};
use crate::ids::{PacketId, PortNumber, SocketId};

/// A segment that has left the queue below its sender, sent or dropped.
#[derive(Clone, Copy, Debug)]
pub struct DepartedSegment {
    /// The connection that has sent it, if that is still there.
    pub sender: SocketId,
    /// The port of that.
    pub port: PortNumber,
    /// The segment.
    pub segment: Segment,
}

/// Packets that count against a connection.
#[derive(Debug, Default)]
pub(super) struct Charges {
    /// Whose segments are being made, if they are to count.
    pub sender: Option<SocketId>,
    /// By packet.
    senders: Vec<Option<SocketId>>,
    /// Number of packets that count.
    pub count: usize,
    pub left: Vec<DepartedSegment>,
}

impl Charges {
    /// A packet counts against the connection whose segments are being made, if it has data.
    #[cold]
    pub fn begin(&mut self, handle: PacketId, packet: &Packet) {
        if !matches!(packet.body, Body::Tcp(_, segment) if segment.payload > 0) {
            return;
        }
        if handle.index() >= self.senders.len() {
            self.senders.resize(handle.index() + 1, None);
        }
        self.senders[handle.index()] = self.sender;
        self.count += 1;
    }

    /// A packet counts no longer, if it did.
    #[cold]
    pub fn end(&mut self, handle: PacketId, packet: &Packet) {
        let sender = self.senders.get_mut(handle.index());
        let (Some(sender), Body::Tcp(ports, segment)) =
            (sender.and_then(Option::take), packet.body)
        else {
            return;
        };
        self.count -= 1;
        self.left.push(DepartedSegment {
            sender,
            port: PortNumber(ports.source),
            segment,
        });
    }
}
