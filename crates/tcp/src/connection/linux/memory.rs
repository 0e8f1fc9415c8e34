//! Room for an application's writes: Linux's send buffer holds memory, not bytes, and may be told
//! how little to keep unsent.
//!
//! What is written is copied into buffers (`sk_buff`), and only a new one is asked for: one that is
//! there is filled, whatever the limits (`tcp_sendmsg_locked`). In the middle of a write full
//! buffers leave, and make room for more of it.

use units::Time;

use super::super::Connection;
use crate::recovery::linux::{BUFFER_COST, Sender, WriteLimit};
use crate::send::SendQueue;
use crate::{Event, Segment};

/// SOCK_MIN_SNDBUF: the least that SO_SNDBUF makes, which is what two packets of 2 KiB take.
const MEMORY_MIN: u64 = 4608;

/// Limits that the application has set.
#[derive(Clone, Copy, Debug)]
pub(in crate::connection) struct SendLimits {
    /// Bytes of memory (sk_sndbuf).
    memory: u64,
    /// Bytes not sent (TCP_NOTSENT_LOWAT).
    unsent: u64,
}

impl SendLimits {
    /// SO_SNDBUF, which the kernel doubles for what buffers take beside their data (socket(7)).
    pub fn of_buffer(bytes: u32) -> SendLimits {
        SendLimits {
            memory: (2 * u64::from(bytes)).max(MEMORY_MIN),
            unsent: u64::MAX,
        }
    }
}

impl Connection {
    /// SO_SNDBUF.
    pub(in crate::connection) fn limit_memory(&mut self, bytes: u32) {
        let memory = SendLimits::of_buffer(bytes).memory;
        self.limits_or_none().memory = memory;
    }

    /// TCP_NOTSENT_LOWAT; `None` for no limit.
    pub(in crate::connection) fn limit_unsent(&mut self, bytes: Option<u32>) {
        self.limits_or_none().unsent = bytes.map_or(u64::MAX, u64::from);
    }

    /// The limits, to be set; a buffer that nobody has set is as large as the profile says.
    fn limits_or_none(&mut self) -> &mut SendLimits {
        let memory = self.config.send_capacity;
        self.limits.get_or_insert(SendLimits {
            memory,
            unsent: u64::MAX,
        })
    }

    /// `tcp_sendmsg_locked`: takes as much as finds room, and sends what is full on the way.
    /// `mark` says how what is written ends.
    pub(in crate::connection) fn write_within_limits(
        &mut self,
        now: Time,
        bytes: u64,
        mark: impl FnOnce(&mut SendQueue),
    ) -> u64 {
        let start = self.send.end;
        self.send.offer(bytes);
        mark(&mut self.send);
        while let Some(segment) = self.next_written(now) {
            self.urgent.owe_at(self.leaves_at, segment);
        }
        let taken = self.send.end - start;
        self.send.note_blocked(taken < bytes);
        taken
    }

    pub(in crate::connection) fn next_written(&mut self, now: Time) -> Option<Segment> {
        if self.config.pacing.is_below {
            self.look_when_it_leaves(now);
        }
        match self.state.may_transmit() {
            true => self.next_data_as_linux(now),
            false => None,
        }
    }

    /// The limits as those who copy see them: as offsets.
    pub(super) fn limit(&self, sender: &Sender) -> Option<WriteLimit> {
        let limits = self.limits?;
        let sent = BUFFER_COST * sender.pieces_out();
        Some(WriteLimit {
            memory: (self.send.una + limits.memory).saturating_sub(sent),
            unsent: self.send.nxt.saturating_add(limits.unsent),
            cost: BUFFER_COST,
        })
    }

    /// `__sk_stream_is_writeable`: whether a third of the memory is free, and so little unsent that
    /// it is worth while to wake a writer.
    pub(in crate::connection) fn is_writable_within(
        &self,
        limits: &SendLimits,
        sender: &Sender,
    ) -> bool {
        let used = self.memory_used(sender);
        let free = limits.memory.saturating_sub(used);
        free > 0 && 2 * free >= used && self.send.unsent().saturating_mul(2) < limits.unsent
    }

    /// Bytes of memory that are free, if a new buffer would be given at all.
    pub(in crate::connection) fn writable_within(
        &self,
        limits: &SendLimits,
        sender: &Sender,
    ) -> u64 {
        match self.send.unsent() < limits.unsent {
            true => limits.memory.saturating_sub(self.memory_used(sender)),
            false => 0,
        }
    }

    /// sk_wmem_queued.
    fn memory_used(&self, sender: &Sender) -> u64 {
        let buffers = sender.pieces_out() + sender.buffers.count();
        self.send.buffered() + BUFFER_COST * buffers
    }

    /// `tcp_check_space`: all that could has left; a writer who found no room may find some now.
    #[inline(never)]
    pub(super) fn check_space(&mut self, sender: &Sender, limits: &SendLimits) {
        if self.send.is_blocked() && self.is_writable_within(limits, sender) {
            self.send.note_blocked(false);
            self.events.push(Event::Writable);
        }
    }
}
