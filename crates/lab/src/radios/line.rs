//! A radio's own queue, in front of its MAC, which then holds the packet in service alone.

use engine::Purpose;
use net::queue::{Buffer, Cause, Config, Counts, Queue, Waiting};
use net::wire_bytes;
use units::Time;
use units::histogram::Distribution;

use super::Radios;
use crate::luck::{Lot, name_hash};
use crate::packet::Packets;

/// A queue of any discipline.
#[derive(Clone, Debug)]
pub struct Line {
    buffer: Buffer,
    /// The packet that has left it last, for the MAC.
    called: Option<u32>,
    luck: Lot,
}

impl Line {
    /// That of a radio, empty.
    pub fn new(config: &Config, seed: u64, name: &str, keeps_sojourns: bool) -> Line {
        let mut buffer = Buffer::new(Queue::new(config));
        if keeps_sojourns {
            buffer.keep_sojourns();
        }
        Line {
            buffer,
            called: None,
            luck: Lot::new(seed, name_hash(name), Purpose::Queue),
        }
    }

    /// Whether it is this packet's turn; answers so once.
    pub(super) fn is_called(&mut self, packet: u32) -> bool {
        self.called.take_if(|called| *called == packet).is_some()
    }

    /// Packets that wait in it.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// How long the packets waited that have left it, if that is kept.
    pub fn sojourns(&self) -> Option<Distribution> {
        self.buffer.sojourns()
    }

    /// What it has done. The longest sojourn is that since the last call.
    pub fn take_counts(&mut self) -> Counts {
        self.buffer.take_counts()
    }
}

impl Radios {
    /// Puts a packet into a radio's own queue. One that this refuses stays its owner's.
    pub fn line_up(
        &mut self,
        now: Time,
        interface: u16,
        handle: u32,
        packets: &mut Packets,
    ) -> Result<(), Cause> {
        let at = self.of(interface);
        let radio = &mut self.each[at];
        let Some(line) = &mut radio.line else {
            return Err(Cause::Full);
        };
        let waiting = Waiting {
            handle,
            bytes: wire_bytes(u32::from(packets.get(handle).ip_bytes)),
            since: now,
        };
        let before = line.len();
        let accepted = line.buffer.enqueue(waiting, packets, &mut line.luck);
        if accepted.is_err() {
            radio.mac.count_refused();
            return accepted;
        }
        let dropped = before + 1 - line.len();
        self.enter(now, at);
        self.leave(now, at, dropped);
        Ok(())
    }

    /// The packet that a radio's own queue gives its MAC, if that has none; the MAC is to be
    /// handed it.
    pub fn next_in_line(
        &mut self,
        now: Time,
        interface: u16,
        packets: &mut Packets,
    ) -> Option<u32> {
        let at = self.of(interface);
        let radio = &mut self.each[at];
        let line = radio.line.as_mut()?;
        if radio.mac.queue_len() > 0 {
            return None;
        }
        let before = line.len();
        let next = line
            .buffer
            .dequeue(now, packets)
            .map(|waiting| waiting.handle);
        line.called = next;
        let dropped = before - line.len() - usize::from(next.is_some());
        self.leave(now, at, dropped);
        next
    }
}
