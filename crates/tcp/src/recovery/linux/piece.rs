//! Data written and not sent: the kernel's buffers (`sk_write_queue`), and the piece
//! that leaves of the first of them, to be split into segments by the interface.

use std::collections::VecDeque;

use crate::send::Boundary;

/// Memory that a buffer takes beside its data: `sk_buff`, 256, a head of MAX_TCP_HEADER, here 256,
/// and `skb_shared_info`, 320 (SKB_TRUESIZE; as SO_MEMINFO of Linux 6.18 tells it).
pub(crate) const BUFFER_COST: u64 = 832;

/// A buffer (`sk_buff`) of the stream's bytes from `start` to `end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SkBuff {
    pub start: u64,
    pub end: u64,
    /// Boundary at its last byte (`tcp_mark_push`, `eor`).
    pub boundary: Boundary,
}

impl SkBuff {
    pub fn empty(at: u64) -> SkBuff {
        SkBuff {
            start: at,
            end: at,
            boundary: Boundary::Open,
        }
    }

    #[inline]
    pub fn len(&self) -> u64 {
        self.end - self.start
    }

    /// Returns whether what follows may be copied into it, up to `goal` bytes
    /// (`tcp_skb_can_collapse_to`).
    fn takes_more(&self, goal: u64) -> bool {
        self.len() < goal && self.boundary != Boundary::Record
    }
}

/// Progress of `tcp_sendmsg_locked` with what the application writes. It stops at every
/// full buffer to send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Copying {
    /// All is copied.
    #[default]
    Done,
    /// A buffer is full, and more to copy.
    Stopped,
    /// The only buffer is full: one piece goes (`tcp_push_one`).
    First,
    /// So much was copied since the last push that everything goes (`forced_push`).
    All,
}

/// Up to where there is a buffer for what is written, by what is there already.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteLimit {
    /// The offset that what is copied must not have reached, less the `cost` of every buffer
    /// in the queue.
    pub memory: u64,
    pub cost: u64,
    /// The offset that what is copied must not have reached.
    pub unsent: u64,
}

/// The buffers, in the order of the stream. The queue keeps its capacity.
#[derive(Clone, Debug, Default)]
pub(crate) struct Buffers {
    queue: VecDeque<SkBuff>,
    copying: Copying,
    /// Where what has been copied ends, and where it did when it was last pushed (`pushed_seq`).
    copied: u64,
    pushed: u64,
    pub limit: Option<WriteLimit>,
    /// There is no buffer for the rest of what is written.
    is_refused: bool,
}

impl Buffers {
    /// The stream begins at `start`.
    pub fn new(start: u64) -> Buffers {
        Buffers {
            copied: start,
            pushed: start,
            ..Buffers::default()
        }
    }

    /// The stream begins at `start` after all: what stands before has left with the SYN.
    pub fn begin_at(&mut self, start: u64) {
        (self.copied, self.pushed) = (start, start);
    }

    #[inline]
    pub fn first(&self) -> Option<&SkBuff> {
        self.queue.front()
    }

    /// Bytes copied and, of a stream that has been sent up to `next`, not sent.
    pub fn unsent(&self, next: u64) -> u64 {
        self.copied.saturating_sub(next)
    }

    /// Returns what a segment of the next `length` bytes ends, if it may be made of the buffers
    /// that hold them (`tcp_can_coalesce_send_queue_head`, `tcp_mtu_probe`).
    pub fn joined(&self, length: u64) -> Option<Boundary> {
        let mut left = length;
        let mut reached = Boundary::Open;
        for buffer in &self.queue {
            if left < buffer.len() {
                break;
            }
            left -= buffer.len();
            reached = reached.max(buffer.boundary);
            if left == 0 {
                break;
            }
            if buffer.boundary == Boundary::Record {
                return None;
            }
        }
        Some(reached)
    }

    #[inline]
    pub fn is_last(&self) -> bool {
        self.queue.len() <= 1
    }

    /// Goes on copying what is written up to `end` into buffers of at most `goal` bytes, as far
    /// as to the next occasion to send. `far` bytes without a push are many; what is written
    /// ends with `boundary`.
    pub fn copy(&mut self, end: u64, goal: u64, far: u64, boundary: Boundary) -> Copying {
        if self.copying != Copying::All {
            self.copying = self.copy_on(end, goal, far, boundary);
        }
        self.copying
    }

    /// Returns whether what is written up to `end` is in buffers.
    #[inline]
    pub fn has_copied(&self, end: u64) -> bool {
        self.copied >= end
    }

    #[inline]
    pub fn copying(&self) -> Copying {
        self.copying
    }

    fn copy_on(&mut self, end: u64, goal: u64, far: u64, boundary: Boundary) -> Copying {
        self.is_refused = false;
        if self.copying == Copying::Done {
            if let Some(last) = self.queue.back_mut().filter(|last| last.takes_more(goal)) {
                last.boundary = Boundary::Open; // more follows it now
            }
        }
        loop {
            let start = self.copied;
            if self
                .limit
                .is_some_and(|limit| self.is_refused_by(&limit, goal))
            {
                return self.refuse();
            }
            let last = match self.queue.back_mut() {
                Some(last) if last.takes_more(goal) => last,
                _ => {
                    self.queue.push_back(SkBuff::empty(start));
                    self.queue.back_mut().expect("it has just been added")
                }
            };
            last.end += (end - start).min(goal - last.len());
            self.copied = last.end;
            let is_far = self.copied > self.pushed + far;
            let is_over = self.copied == end;
            let push = if is_far {
                Boundary::Push
            } else {
                Boundary::Open
            };
            let reached = if is_over { boundary.max(push) } else { push };
            if reached != Boundary::Open {
                last.boundary = reached;
                self.pushed = self.copied;
            }
            if is_over {
                return Copying::Done;
            }
            if is_far {
                return Copying::All;
            }
            if self.queue.len() == 1 {
                return Copying::First;
            }
        }
    }

    /// Returns whether there is neither a buffer to be filled nor room for another
    /// (`sk_stream_memory_free`).
    fn is_refused_by(&self, limit: &WriteLimit, goal: u64) -> bool {
        let is_full = self.queue.back().is_none_or(|last| last.len() >= goal);
        let cost = limit.cost * self.queue.len() as u64;
        is_full && (self.copied + cost >= limit.memory || self.copied >= limit.unsent)
    }

    /// Whoever has to wait for room sends what there is before.
    fn refuse(&mut self) -> Copying {
        self.is_refused = true;
        if let Some(last) = self.queue.back_mut() {
            last.boundary = Boundary::Push;
        }
        self.pushed = self.copied;
        Copying::All
    }

    /// Where the copying has ended for want of room, though more was written.
    pub fn refused_at(&self) -> Option<u64> {
        self.is_refused.then_some(self.copied)
    }

    /// Returns how many buffers there are.
    pub fn count(&self) -> u64 {
        self.queue.len() as u64
    }

    /// Nothing more can be sent at this occasion.
    pub fn go_on_copying(&mut self) {
        if self.copying == Copying::All {
            self.copying = match self.is_refused {
                true => Copying::Done,
                false => Copying::Stopped,
            };
        }
    }

    /// Lets the first buffer grow to `length` from the next (`tcp_grow_skb`).
    #[inline]
    pub fn grow_first(&mut self, length: u64) {
        if self.queue.len() > 1 && self.queue[0].len() < length {
            self.take_from_second(length);
        }
    }

    fn take_from_second(&mut self, length: u64) {
        if self.queue[0].boundary == Boundary::Record {
            return;
        }
        let moved = (length - self.queue[0].len()).min(self.queue[1].len());
        self.queue[0].end += moved;
        self.queue[1].start += moved;
        if self.queue[1].len() == 0 {
            let boundary = self.queue[1].boundary;
            self.queue[0].boundary = self.queue[0].boundary.max(boundary);
            self.queue.remove(1);
        }
    }

    /// Notes that everything before `offset` has been sent.
    #[inline]
    pub fn send_to(&mut self, offset: u64) {
        while let Some(first) = self.queue.front_mut() {
            if first.end > offset {
                first.start = offset;
                return;
            }
            self.queue.pop_front();
        }
    }
}

/// The segments that leave together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Piece {
    /// Where it ends, a FIN included.
    pub end: u64,
    pub fin: bool,
    /// Payload that a segment of it carries.
    pub mss: u64,
    /// True if it is of several segments, the last of which carries PSH in any case.
    pub is_several: bool,
    /// Boundary at its end.
    pub boundary: Boundary,
    /// True if nothing was outstanding before it.
    pub is_first: bool,
    /// True if it is a tail loss probe.
    pub is_probe: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOAL: u64 = 4000;

    fn lengths(buffers: &Buffers) -> Vec<u64> {
        buffers.queue.iter().map(SkBuff::len).collect()
    }

    /// Goes on copying what is written up to `end`, where it is pushed, towards a far end.
    fn copy(buffers: &mut Buffers, end: u64) -> Copying {
        buffers.copy(end, GOAL, 50_000, Boundary::Push)
    }

    #[test]
    fn what_a_short_write_leaves_free_the_next_one_fills() {
        let mut buffers = Buffers::new(1);
        assert_eq!(copy(&mut buffers, 1001), Copying::Done);
        assert_eq!(buffers.first().unwrap().boundary, Boundary::Push);
        assert_eq!(
            buffers.copy(1501, GOAL, 50_000, Boundary::Open),
            Copying::Done
        );
        assert_eq!(lengths(&buffers), [1500]);
        assert_eq!(buffers.first().unwrap().boundary, Boundary::Open);
    }

    #[test]
    fn a_long_write_sends_a_piece_of_the_first_buffer_and_fills_it_again() {
        let mut buffers = Buffers::new(1);
        assert_eq!(copy(&mut buffers, 9001), Copying::First);
        buffers.send_to(2001);
        assert_eq!(copy(&mut buffers, 9001), Copying::First);
        assert_eq!(copy(&mut buffers, 9001), Copying::Done);
        assert_eq!(lengths(&buffers), [4000, 3000]);
    }

    #[test]
    fn half_a_window_without_a_push_pushes() {
        let mut buffers = Buffers::new(1);
        for expected in [Copying::First, Copying::All, Copying::All] {
            let reached = buffers.copy(20_001, GOAL, 6000, Boundary::Push);
            assert_eq!(reached, expected);
        }
        buffers.go_on_copying();
        assert_eq!(lengths(&buffers), [4000, 4000]);
        assert_eq!(buffers.queue[1].boundary, Boundary::Push);
    }

    #[test]
    fn the_first_buffer_grows_from_the_second_alone() {
        let mut buffers = Buffers::new(1);
        while copy(&mut buffers, 9001) != Copying::Done {}
        buffers.send_to(3501);
        buffers.grow_first(8000);
        assert_eq!(lengths(&buffers), [4500, 1000]);
        buffers.grow_first(8000);
        assert_eq!(lengths(&buffers), [5500]);
        assert_eq!(buffers.first().unwrap().boundary, Boundary::Push);
    }

    #[test]
    fn nothing_is_added_to_a_record_that_has_ended() {
        let mut buffers = Buffers::new(1);
        buffers.copy(1001, GOAL, 50_000, Boundary::Record);
        copy(&mut buffers, 1501);
        assert_eq!(lengths(&buffers), [1000, 500]);
        buffers.grow_first(8000);
        assert_eq!(lengths(&buffers), [1000, 500]);
    }
}
