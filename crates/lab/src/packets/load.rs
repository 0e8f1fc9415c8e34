//! What packets carry that has no room in them, while anybody holds them: bytes of real packets,
//! and packets in tunnels.

use std::num::NonZeroU32;

use crate::ids::PacketId;

/// What a packet carries that has no room in it, by its number: bytes, or of a tunnel a packet's
/// handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load(NonZeroU32);

impl Load {
    /// That of a packet in a tunnel.
    pub fn of_packet(packet: PacketId) -> Load {
        Load::new(packet.0)
    }

    /// The packet that the tunnel carries whose load it is.
    pub fn packet(self) -> PacketId {
        PacketId(self.number())
    }

    /// That of a number, which is below 2³² − 1.
    fn new(number: u32) -> Load {
        Load(NonZeroU32::new(number + 1).expect("it is above zero"))
    }

    /// Its number.
    fn number(self) -> u32 {
        self.0.get() - 1
    }
}

/// The bytes of packets by number, as long as anybody holds them. Buffers are used again.
#[derive(Debug, Default)]
pub struct PayloadStore {
    buffers: Vec<PacketBytes>,
    free: Vec<u32>,
}

#[derive(Debug)]
struct PacketBytes {
    bytes: Vec<u8>,
    holders: u32,
}

impl PayloadStore {
    /// Keeps the bytes of a packet for one holder.
    pub fn keep(&mut self, bytes: &[u8]) -> Load {
        let number = self.free.pop().unwrap_or_else(|| {
            self.buffers.push(PacketBytes {
                bytes: Vec::new(),
                holders: 0,
            });
            self.buffers.len() as u32 - 1
        });
        let buffer = &mut self.buffers[number as usize];
        buffer.bytes.clear();
        buffer.bytes.extend_from_slice(bytes);
        buffer.holders = 1;
        Load::new(number)
    }

    /// The bytes of a packet.
    pub fn bytes(&self, load: Load) -> &[u8] {
        &self.buffers[load.number() as usize].bytes
    }

    /// One more holder.
    pub fn hold(&mut self, load: Load) {
        self.buffers[load.number() as usize].holders += 1;
    }

    /// One holder less; the last one frees the buffer.
    pub fn release(&mut self, load: Load) {
        let holders = &mut self.buffers[load.number() as usize].holders;
        debug_assert!(*holders > 0, "bytes are released by those who hold them");
        *holders -= 1;
        if *holders == 0 {
            self.free.push(load.number());
        }
    }

    /// Buffers in use.
    #[cfg(test)]
    pub fn alive(&self) -> usize {
        self.buffers.len() - self.free.len()
    }
}
