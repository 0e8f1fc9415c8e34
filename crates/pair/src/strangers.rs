//! Packets of connections that only one capture knows, to recognise them under other names.

use std::collections::{BTreeMap, VecDeque};

use dissect::{ControlBits, TcpSegment};

/// Packets remembered; the oldest give way.
const REMEMBERED: usize = 1 << 16;

/// Connection that has a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HoldingConnection {
    /// Where the connection is kept, if it still is.
    pub slot: u32,
    pub number: u32,
    /// The end that sent it.
    pub end: usize,
}

/// The packets of one capture.
#[derive(Debug, Default)]
pub(super) struct Strangers {
    packets: BTreeMap<PacketKey, HoldingConnection>,
    order: VecDeque<PacketKey>,
    /// True if timestamps of any of them were cut off.
    has_lost_any: bool,
}

impl Strangers {
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Remembers a packet.
    pub fn remember(&mut self, segment: &TcpSegment, owner: HoldingConnection) {
        let key = key(segment);
        self.has_lost_any |= key.1.is_none();
        if self.packets.insert(key, owner).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > REMEMBERED {
            if let Some(oldest) = self.order.pop_front() {
                self.packets.remove(&oldest);
            }
        }
    }

    /// Whose packet this is but for its addresses and ports.
    pub fn owner(&self, segment: &TcpSegment) -> Option<HoldingConnection> {
        let (numbers, timestamps) = key(segment);
        let found = if timestamps.is_some() {
            let equal = self.packets.get(&(numbers, timestamps));
            let may_equal = || self.packets.get(&(numbers, None));
            equal.or_else(|| self.has_lost_any.then(may_equal).flatten())
        } else {
            let of_any = (numbers, None)..=(numbers, Some(u64::MAX));
            self.packets
                .range(of_any)
                .next_back()
                .map(|(_, owner)| owner)
        };
        found.copied()
    }
}

/// A packet's numbers, and its timestamps unless the snap length cut them off.
type PacketKey = (u64, Option<u64>);

/// Returns what a packet keeps when its addresses and ports are changed.
fn key(segment: &TcpSegment) -> PacketKey {
    let ack = if segment.flags.has(ControlBits::ACK) {
        segment.ack
    } else {
        0
    };
    let words = [segment.seq, ack, segment.payload, segment.flags.0.into()];
    // FNV-1a (draft-eastlake-fnv), over words: it need not withstand anybody, since whoever
    // makes captures that agree is believed.
    let numbers = words
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |hash: u64, &word| {
            (hash ^ u64::from(word))
                .wrapping_mul(0x0000_0100_0000_01B3)
                .rotate_left(29)
        });
    let (own, echo) = segment.options.timestamps.unwrap_or((0, 0));
    let timestamps = u64::from(own) << 32 | u64::from(echo);
    (
        numbers,
        (!segment.options.has_lost_timestamps()).then_some(timestamps),
    )
}
