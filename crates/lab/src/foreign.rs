//! What packets carry that has no room in them, while it is in the world: bytes from outside, those
//! that ICMP errors quote, and other packets.

use crate::packet::Packet;

/// The bytes of foreign packets by number.
///
/// They are kept until the number comes round again, long after the packet has arrived or
/// was dropped: a store that nobody has to give anything back to.
#[derive(Debug, Default)]
pub struct Foreign {
    packets: Vec<Vec<u8>>,
    next: u32,
    wrapped: Vec<Packet>,
    next_wrapped: u32,
}

impl Foreign {
    /// Packets that can be under way at once: far more than all queues hold.
    const MOST: u32 = 1 << 16;

    /// Keeps the bytes of a packet; answers its number.
    pub fn keep(&mut self, bytes: &[u8]) -> u32 {
        let number = self.next;
        self.next = (self.next + 1) % Self::MOST;
        match self.packets.get_mut(number as usize) {
            Some(slot) => bytes.clone_into(slot),
            None => self.packets.push(bytes.to_vec()),
        }
        number
    }

    /// Keeps an IPv4 packet anew with one hop less to go; answers its number.
    ///
    /// The header's sum changes by as much as the word does that holds the time to live, with the
    /// carry of ones' complement (RFC 1624).
    pub fn keep_with_one_hop_less(&mut self, number: u32) -> u32 {
        let mut bytes = self.bytes(number).to_vec();
        if let [_, _, _, _, _, _, _, _, ttl, _, high, low, ..] = &mut bytes[..] {
            *ttl = ttl.saturating_sub(1);
            let sum = u32::from(u16::from_be_bytes([*high, *low])) + 0x0100;
            [*high, *low] = ((sum & 0xFFFF) as u16 + (sum >> 16) as u16).to_be_bytes();
        }
        self.keep(&bytes)
    }

    /// Keeps a packet that another one carries; answers its number.
    pub fn wrap(&mut self, packet: Packet) -> u32 {
        let number = self.next_wrapped;
        self.next_wrapped = (self.next_wrapped + 1) % Self::MOST;
        match self.wrapped.get_mut(number as usize) {
            Some(slot) => *slot = packet,
            None => self.wrapped.push(packet),
        }
        number
    }

    /// The packet that another one carries.
    pub fn wrapped(&self, number: u32) -> &Packet {
        &self.wrapped[number as usize]
    }

    /// The bytes of a packet.
    pub fn bytes(&self, number: u32) -> &[u8] {
        &self.packets[number as usize]
    }
}
