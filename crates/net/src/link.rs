//! One direction of a wire: queue, serialiser, delay.

use std::collections::VecDeque;

use units::histogram::Distribution;
use units::{Duration, Rate, Time};

use crate::Chance;
use crate::queue::{Buffer, Discipline, Owner, Queue, QueueCounts, QueueDropCause, QueuedPacket};

/// One direction of a full-duplex point-to-point link.
///
/// The owner calls [`Link::send`] and, when that answers with an arrival to schedule,
/// [`Link::arrive`] at that time. One arrival is outstanding at a time, so a packet costs one
/// event: that the sender gets free is none. What it took from the queue since is made up for
/// with whatever is asked next, each packet at the time the sender was free for it.
#[derive(Debug)]
pub struct Link<Q = Queue> {
    rate: Rate,
    delay: Duration,
    queue: Buffer<Q>,
    /// Arrival times and handles of packets sent or being sent, not yet handed out.
    in_flight: VecDeque<(Time, u32)>,
    /// Time when the packet being sent, the last in flight, has left the sender.
    free_at: Time,
    /// Bit-nanoseconds owed from earlier roundings, so that a long train of
    /// packets takes exactly its bits over the rate.
    owed: u64,
}

/// A packet at the far end, and when the next one comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The packet's handle.
    pub packet: u32,
    /// Time to call [`Link::arrive`] again; [`Time::NEVER`] when nothing is under way.
    pub next_at: Time,
}

impl<Q: Discipline> Link<Q> {
    /// A link with nothing on it, and its sender's queue, an empty one.
    pub fn new(rate: Rate, delay: Duration, queue: Q) -> Self {
        Link {
            rate,
            delay,
            queue: Buffer::new(queue),
            in_flight: VecDeque::new(),
            free_at: Time::ZERO,
            owed: 0,
        }
    }

    /// Sends a packet that occupies the sender for `bytes` byte times, now or when those before
    /// it have been sent. One that is refused stays the owner's.
    #[inline]
    pub fn send(
        &mut self,
        now: Time,
        handle: u32,
        bytes: u32,
        owner: &mut impl Owner,
        random: &mut impl Chance,
    ) -> Result<Time, QueueDropCause> {
        self.advance(now, owner);
        let is_first = self.in_flight.is_empty();
        if self.free_at <= now && self.queue.lets_by() {
            self.transmit(now, handle, bytes);
        } else {
            self.free_at = self.free_at.max(now);
            let waiting = QueuedPacket {
                handle,
                bytes,
                since: now,
            };
            self.queue.enqueue(waiting, owner, random)?;
            self.advance(now, owner);
        }
        Ok(if is_first {
            self.next_at()
        } else {
            Time::NEVER
        })
    }

    /// Takes the packet that arrives now.
    ///
    /// # Panics
    /// When no packet is under way, which only a caller's bug can bring about.
    #[inline]
    pub fn arrive(&mut self, now: Time, owner: &mut impl Owner) -> Arrival {
        self.advance(now, owner);
        let (_, packet) = self
            .in_flight
            .pop_front()
            .expect("an arrival was announced");
        let next_at = self.next_at();
        Arrival { packet, next_at }
    }

    /// Lets the sender take from the queue what it could send until `now`.
    #[inline]
    pub fn advance(&mut self, now: Time, owner: &mut impl Owner) {
        if self.free_at <= now && !self.queue.is_empty() {
            self.catch_up(now, owner);
        }
    }

    /// Keeps from now on how long packets waited.
    pub fn keep_sojourns(&mut self) {
        self.queue.keep_sojourns();
    }

    /// Returns how long the packets waited that have left the queue, if that is kept.
    pub fn sojourns(&self) -> Option<Distribution> {
        self.queue.sojourns()
    }

    /// Returns what has become of the packets at the queue. The longest sojourn is that since the
    /// last call.
    pub fn take_counts(&mut self) -> QueueCounts {
        self.queue.take_counts()
    }

    /// Packets waiting or being sent at `now`.
    pub fn backlog(&mut self, now: Time, owner: &mut impl Owner) -> usize {
        self.advance(now, owner);
        self.queue.len() + usize::from(self.free_at > now)
    }

    /// Packets accepted that have neither arrived nor been dropped.
    pub fn under_way(&self) -> usize {
        self.in_flight.len() + self.queue.len()
    }

    /// Returns when the last packet accepted so far will have left the sender, if none is dropped.
    pub fn free_at(&self) -> Time {
        self.free_at + self.duration_of(self.queue.bytes()).0
    }

    fn catch_up(&mut self, now: Time, owner: &mut impl Owner) {
        while self.free_at <= now {
            let Some(packet) = self.queue.dequeue(self.free_at, owner) else {
                break;
            };
            self.transmit(self.free_at, packet.handle, packet.bytes);
        }
    }

    /// Sends a packet from the time `at`, when the sender is free.
    #[inline]
    fn transmit(&mut self, at: Time, handle: u32, bytes: u32) {
        let (duration, owed) = self.duration_of(u64::from(bytes));
        self.owed = owed;
        self.free_at = at + duration;
        self.in_flight
            .push_back((self.free_at + self.delay, handle));
    }

    #[inline]
    fn next_at(&self) -> Time {
        self.in_flight.front().map_or(Time::NEVER, |&(at, _)| at)
    }

    /// Returns how long so many bytes take from now on, and what the rounding then owes.
    #[inline]
    fn duration_of(&self, bytes: u64) -> (Duration, u64) {
        let bit_nanos = bytes * 8 * 1_000_000_000 + self.owed;
        let rate = self.rate.as_bps();
        (Duration::from_nanos(bit_nanos / rate), bit_nanos % rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::tests::MmixRandom;
    use crate::queue::{Backlog, Class, Config, drop_tail};

    /// An owner who lays down the handles that are dropped.
    #[derive(Default)]
    struct Dropped(Vec<u32>);

    impl Owner for Dropped {
        fn class(&self, _: u32) -> Class {
            Class::default()
        }

        fn drop(&mut self, handle: u32, _: QueueDropCause) {
            self.0.push(handle);
        }

        fn mark(&mut self, _: u32) -> Option<u32> {
            None
        }
    }

    fn link(rate: Rate, delay: Duration, packets: u32) -> Link {
        let queue = drop_tail::Config {
            packets,
            bytes: None,
        };
        Link::new(rate, delay, Queue::new(&Config::DropTail(queue)))
    }

    /// Packets waiting or being sent.
    fn backlog(link: &mut Link, now: Time) -> usize {
        link.backlog(now, &mut Dropped::default())
    }

    fn arrive(link: &mut Link, now: Time) -> Arrival {
        link.arrive(now, &mut Dropped::default())
    }

    fn fast_ethernet(packets: u32) -> Link {
        link(Rate::from_mbps(100.0), Duration::from_millis(1), packets)
    }

    fn send(
        link: &mut Link<impl Discipline>,
        now: Time,
        handle: u32,
        bytes: u32,
    ) -> Result<Time, QueueDropCause> {
        link.send(
            now,
            handle,
            bytes,
            &mut Dropped::default(),
            &mut MmixRandom(1),
        )
    }

    #[test]
    fn a_packet_arrives_after_its_serialisation_and_the_delay() {
        let mut link = fast_ethernet(10);
        let arrival = send(&mut link, Time::ZERO, 7, 1538).expect("empty queue");
        assert_eq!(arrival.as_nanos(), 123_040 + 1_000_000);
        let then = arrive(&mut link, arrival);
        assert_eq!((then.packet, then.next_at), (7, Time::NEVER));
    }

    #[test]
    fn packets_queue_behind_each_other_and_the_last_is_dropped() {
        let mut link = fast_ethernet(1);
        let first = send(&mut link, Time::ZERO, 1, 1538).expect("on the wire");
        let second = send(&mut link, Time::ZERO, 2, 1538);
        assert_eq!(second, Ok(Time::NEVER), "waits");
        assert_eq!(
            send(&mut link, Time::ZERO, 3, 1538),
            Err(QueueDropCause::Full)
        );
        assert_eq!(backlog(&mut link, Time::ZERO), 2);
        let then = arrive(&mut link, first);
        let next = first + Duration::from_nanos(123_040);
        assert_eq!((then.packet, then.next_at), (1, next));
        assert_eq!(backlog(&mut link, first), 0, "both have left long since");
    }

    #[test]
    fn roundings_do_not_add_up() {
        let third = Rate::from_bps(3_000_000);
        let mut link = link(third, Duration::ZERO, 1_000_000);
        for packet in 0..300_000 {
            send(&mut link, Time::ZERO, packet, 1).expect("room");
        }
        let all_left = Time::ZERO + Duration::from_millis(800);
        assert_eq!(link.free_at(), all_left, "before the first has been sent");
        link.advance(all_left, &mut Dropped::default());
        assert_eq!(
            (link.free_at(), backlog(&mut link, all_left)),
            (all_left, 0)
        );
    }

    /// A drop-tail link in closed form: each packet's departure is known when it comes.
    struct Formula {
        rate: Rate,
        delay: Duration,
        capacity: usize,
        departures: Vec<Time>,
        free_at: Time,
        owed: u64,
    }

    impl Formula {
        fn new(rate: Rate, delay: Duration, packets: u32) -> Self {
            Formula {
                rate,
                delay,
                capacity: packets as usize,
                departures: Vec::new(),
                free_at: Time::ZERO,
                owed: 0,
            }
        }

        fn backlog(&self, now: Time) -> usize {
            self.departures.iter().filter(|&&at| at > now).count()
        }

        /// Returns when the packet arrives; `None` where it is dropped.
        fn send(&mut self, now: Time, bytes: u32) -> Option<Time> {
            if self.backlog(now) > self.capacity {
                return None;
            }
            let bit_nanos = u64::from(bytes) * 8_000_000_000 + self.owed;
            self.owed = bit_nanos % self.rate.as_bps();
            let serialisation = Duration::from_nanos(bit_nanos / self.rate.as_bps());
            self.free_at = self.free_at.max(now) + serialisation;
            self.departures.push(self.free_at);
            Some(self.free_at + self.delay)
        }
    }

    /// Sends random packets and compares every arrival, drop and backlog with the closed form.
    fn compare(dice: &mut MmixRandom) -> (usize, usize) {
        let rate = Rate::from_bps(1_000_000 + dice.below(100_000_000));
        let delay = Duration::from_nanos([0, 1, 500_000, 20_000_000][dice.below(4) as usize]);
        let packets = [0, 1, 2, 10, 1000][dice.below(5) as usize];
        let pause = 1 + dice.below(2_000_000);
        let mut link = link(rate, delay, packets);
        let mut formula = Formula::new(rate, delay, packets);
        let (mut expected, mut arrived, mut drops) = (Vec::new(), Vec::new(), 0);
        let (mut now, mut due) = (Time::ZERO, Time::NEVER);
        for handle in 0..400 {
            now += Duration::from_nanos(dice.below(3) * dice.below(pause));
            while due <= now {
                let arrival = arrive(&mut link, due);
                arrived.push((due, arrival.packet));
                due = arrival.next_at;
            }
            let bytes = 84 + dice.below(1455) as u32;
            assert_eq!(backlog(&mut link, now), formula.backlog(now));
            match (
                formula.send(now, bytes),
                send(&mut link, now, handle, bytes),
            ) {
                (Some(at), Ok(next)) => {
                    expected.push((at, handle));
                    due = due.min(next);
                }
                (None, Err(QueueDropCause::Full)) => drops += 1,
                (formula, link) => panic!("packet {handle}: {formula:?} is not {link:?}"),
            }
            assert_eq!(link.free_at().max(now), formula.free_at.max(now));
            assert_eq!(link.under_way(), expected.len() - arrived.len());
        }
        while due < Time::NEVER {
            let arrival = arrive(&mut link, due);
            arrived.push((due, arrival.packet));
            due = arrival.next_at;
        }
        assert_eq!(arrived, expected);
        (arrived.len(), drops)
    }

    #[test]
    fn what_is_made_up_for_later_happens_as_in_the_closed_form_of_drop_tail() {
        let mut dice = MmixRandom(17);
        let (mut arrivals, mut drops) = (0, 0);
        for _ in 0..500 {
            let (arrived, dropped) = compare(&mut dice);
            arrivals += arrived;
            drops += dropped;
        }
        assert!(arrivals > 50_000 && drops > 10_000, "{arrivals}, {drops}");
    }

    /// A queue that nothing passes unseen, and that drops what has waited for more than 1 ms.
    #[derive(Default)]
    struct Impatient(VecDeque<QueuedPacket>);

    impl Discipline for Impatient {
        fn enqueue(
            &mut self,
            packet: QueuedPacket,
            _backlog: &mut Backlog<'_, impl Owner>,
            _random: &mut impl Chance,
        ) -> Result<(), QueueDropCause> {
            self.0.push_back(packet);
            Ok(())
        }

        fn dequeue(
            &mut self,
            now: Time,
            backlog: &mut Backlog<'_, impl Owner>,
        ) -> Option<QueuedPacket> {
            while let Some(packet) = self.0.pop_front() {
                if now - packet.since <= Duration::from_millis(1) {
                    return Some(packet);
                }
                backlog.drop(packet, QueueDropCause::Late);
            }
            None
        }

        fn can_be_bypassed(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_queue_is_asked_at_the_time_the_sender_gets_free_however_late_it_is_made_up_for() {
        let delay = Duration::from_millis(50);
        let mut link = Link::new(Rate::from_mbps(10.0), delay, Impatient::default());
        let millis = |millis| Time::ZERO + Duration::from_millis(millis);
        let first = send(&mut link, millis(1), 1, 1250).expect("one millisecond long");
        assert_eq!(first, millis(52));
        let others = [2, 3, 4].map(|handle| send(&mut link, millis(1), handle, 1250));
        assert_eq!(others, [Ok(Time::NEVER); 3]);
        assert_eq!((link.under_way(), link.free_at()), (4, millis(5)));
        let mut owner = Dropped::default();
        let then = link.arrive(first, &mut owner);
        assert_eq!((then.packet, then.next_at), (1, millis(53)));
        assert_eq!(owner.0, [3, 4], "they had waited for 2 ms when 2 had left");
        assert_eq!(link.arrive(millis(53), &mut owner).next_at, Time::NEVER);
        let counts = link.take_counts();
        assert_eq!((counts.sent, counts.late), (2, 2));
        assert_eq!(
            counts.sojourn,
            Duration::from_millis(1),
            "the second waited for the first"
        );
        assert_eq!(link.under_way(), 0);
        assert_eq!(send(&mut link, millis(60), 5, 1250), Ok(millis(111)));
    }
}
