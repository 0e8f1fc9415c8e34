//! A shared medium of cable: half-duplex Ethernet, CSMA/CD (IEEE 802.3-2018 clause 4).
//!
//! All stations are as far from each other as any two are, as around a hub. A station that has a
//! frame waits for the carrier to go, then for the gap, and sends. Until its carrier has reached
//! the others they may begin as well; then all of them send a jam and back off.
//!
//! What happens is settled when it can no longer be otherwise: a frame costs one event as it
//! begins, one when its carrier has reached everybody, and one when it has arrived.

mod collision;
mod counts;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use units::histogram::Distribution;
use units::{Duration, Rate, Time};

use crate::Chance;
use crate::ethernet::GAP;
use crate::queue::{Buffer, Discipline, Owner, Queue, QueueCounts, QueueDropCause, QueuedPacket};

pub use counts::EthernetCounts;

// IEEE 802.3-2018 §4.4.2, in bit times; the same at 10 and at 100 Mbit/s.
/// slotTime: longer than a collision takes to be seen by all.
pub const SLOT_BITS: u64 = 512;
/// interPacketGap.
const GAP_BITS: u64 = 8 * GAP as u64;
/// interPacketGapPart1: carrier that comes after it is passed over, for fairness (§4.2.3.2.1).
const GAP_PART_1_BITS: u64 = GAP_BITS * 2 / 3;
/// attemptLimit.
const ATTEMPT_LIMIT: u32 = 16;

/// The stations of a half-duplex Ethernet, each with its queue.
///
/// The owner calls [`EthernetSegment::poll`] at [`EthernetSegment::next_wake`], which may become earlier whenever
/// something is sent.
#[derive(Debug)]
pub struct EthernetSegment<Q = Queue> {
    rate: Rate,
    delay: Duration,
    stations: Vec<SegmentStation<Q>>,
    /// Stations that have something to send.
    contenders: Vec<u16>,
    phase: CarrierPhase,
    /// Time when the last carrier was, or will be, gone from whoever did not send.
    silent_at: Time,
    /// Counts carriers, so that it is known whose own is the last.
    carriers: u64,
    /// Time when frames arrive, whose they are, and their handles.
    under_way: VecDeque<(Time, u16, u32)>,
    given_up: Vec<(u16, u32)>,
    /// Room for those of one carrier.
    senders: Vec<CsmaSender>,
}

/// A station that sends, from when to when.
#[derive(Clone, Copy, Debug)]
struct CsmaSender {
    number: u16,
    start: Time,
    end: Time,
}

/// Progress of the next carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CarrierPhase {
    /// Nobody has anything to send.
    Idle,
    /// The first station will begin at this time, unless another one gets something earlier.
    Contention(Time),
    /// A carrier began `since`, and has reached everybody at `heard_at`.
    Spreading { since: Time, heard_at: Time },
}

#[derive(Debug)]
struct SegmentStation<Q> {
    queue: Buffer<Q>,
    /// Frame that it is trying to send.
    frame: Option<SegmentFrame>,
    is_contender: bool,
    attempts: u32,
    /// Time when its backoff, or its own carrier, is over.
    ready_at: Time,
    /// Time when it is silent here after the carrier of this number, one of its own.
    silent_at: (u64, Time),
    counts: EthernetCounts,
}

#[derive(Clone, Copy, Debug)]
struct SegmentFrame {
    handle: u32,
    bits: u64,
}

/// Fate of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameOutcome {
    /// A station's frame has reached all others.
    Arrived {
        /// Who sent it.
        from: u16,
        /// Its handle.
        packet: u32,
    },
    /// It was given up.
    GivenUp {
        /// Who tried to send it.
        from: u16,
        /// Its handle.
        packet: u32,
    },
}

impl<Q: Discipline> SegmentStation<Q> {
    fn has_nothing(&self) -> bool {
        self.frame.is_none() && self.queue.is_empty()
    }
}

impl<Q: Discipline> EthernetSegment<Q> {
    /// A silent segment whose stations have these queues, any two `delay` apart.
    pub fn new(rate: Rate, delay: Duration, queues: impl IntoIterator<Item = Q>) -> Self {
        let station = |queue| SegmentStation {
            queue: Buffer::new(queue),
            frame: None,
            is_contender: false,
            attempts: 0,
            ready_at: Time::ZERO,
            silent_at: (0, Time::ZERO),
            counts: EthernetCounts::default(),
        };
        EthernetSegment {
            rate,
            delay,
            stations: queues.into_iter().map(station).collect(),
            contenders: Vec::new(),
            phase: CarrierPhase::Idle,
            silent_at: Time::ZERO,
            carriers: 0,
            under_way: VecDeque::new(),
            given_up: Vec::new(),
            senders: Vec::new(),
        }
    }

    /// Lets a station send a packet that takes `bytes` byte times with preamble and gap, as
    /// [`crate::wire_bytes`] gives them.
    ///
    /// # Errors
    /// When its queue does not take it: it is the owner's again.
    pub fn send(
        &mut self,
        now: Time,
        station: u16,
        handle: u32,
        bytes: u32,
        owner: &mut impl Owner,
        random: &mut impl Chance,
    ) -> Result<(), QueueDropCause> {
        let waiting = QueuedPacket {
            handle,
            bytes,
            since: now,
        };
        let here = &mut self.stations[usize::from(station)];
        here.queue.enqueue(waiting, owner, random)?;
        if !here.is_contender {
            here.is_contender = true;
            here.ready_at = here.ready_at.max(now);
            self.contenders.push(station);
            if !matches!(self.phase, CarrierPhase::Spreading { .. }) {
                self.contend();
            }
        }
        Ok(())
    }

    /// Returns when something happens next; [`Time::NEVER`] when nothing is sent.
    pub fn next_wake(&self) -> Time {
        let arrival = self.under_way.front().map_or(Time::NEVER, |&(at, ..)| at);
        arrival.min(match self.phase {
            CarrierPhase::Idle => Time::NEVER,
            CarrierPhase::Contention(at) => at,
            CarrierPhase::Spreading { heard_at, .. } => heard_at,
        })
    }

    /// Returns what has become of a frame by now, if anything has; to be asked until nothing has.
    pub fn poll(
        &mut self,
        now: Time,
        owner: &mut impl Owner,
        random: &mut impl Chance,
    ) -> Option<FrameOutcome> {
        loop {
            if let Some((from, packet)) = self.given_up.pop() {
                return Some(FrameOutcome::GivenUp { from, packet });
            }
            let arrives_at = self.under_way.front().map_or(Time::NEVER, |&(at, ..)| at);
            match self.phase {
                CarrierPhase::Contention(at) if at <= now && at < arrives_at => {
                    self.begin(at, owner);
                }
                CarrierPhase::Spreading { since, heard_at }
                    if heard_at <= now && heard_at < arrives_at =>
                {
                    self.settle(since, heard_at, owner, random);
                }
                _ if arrives_at <= now => {
                    let (_, from, packet) = self.under_way.pop_front().expect("it has a time");
                    return Some(FrameOutcome::Arrived { from, packet });
                }
                _ => return None,
            }
        }
    }

    /// Packets of a station's that wait, are being sent or are on the way.
    pub fn under_way(&self) -> usize {
        let frames = self
            .stations
            .iter()
            .map(|station| station.queue.len() + usize::from(station.frame.is_some()));
        frames.sum::<usize>() + self.under_way.len()
    }

    /// Packets that a station has not yet begun to send to the end.
    pub fn backlog(&self, station: u16) -> u32 {
        let station = &self.stations[usize::from(station)];
        station.queue.len() as u32 + u32::from(station.frame.is_some())
    }

    /// Returns what each station has done.
    pub fn counts(&self) -> impl Iterator<Item = EthernetCounts> {
        self.stations.iter().map(|station| station.counts)
    }

    /// Returns what has become of the packets at each station's queue. The longest sojourn is that
    /// since the last call.
    pub fn take_queue_counts(&mut self) -> impl Iterator<Item = QueueCounts> {
        (self.stations.iter_mut()).map(|station| station.queue.take_counts())
    }

    /// Keeps from now on how long packets waited.
    pub fn keep_sojourns(&mut self) {
        for station in &mut self.stations {
            station.queue.keep_sojourns();
        }
    }

    /// Returns how long the packets waited that have left each station's queue, if that is kept.
    pub fn sojourns(&self) -> impl Iterator<Item = Option<Distribution>> {
        (self.stations.iter()).map(|station| station.queue.sojourns())
    }

    /// The station that is first to begin does so now, unless its queue has nothing left for it.
    fn begin(&mut self, at: Time, owner: &mut impl Owner) {
        let mut is_anyone_sending = false;
        let mut contenders = std::mem::take(&mut self.contenders);
        contenders.retain(|&number| {
            if self.start_of(number) <= at {
                is_anyone_sending |= self.take_frame(number, at, owner);
            }
            self.stations[usize::from(number)].is_contender
        });
        self.contenders = contenders;
        if is_anyone_sending {
            let heard_at = at + self.delay;
            self.phase = CarrierPhase::Spreading {
                since: at,
                heard_at,
            };
        } else {
            self.contend();
        }
    }

    /// A carrier has reached everybody: it is alone, or others have begun as well.
    fn settle(
        &mut self,
        since: Time,
        heard_at: Time,
        owner: &mut impl Owner,
        random: &mut impl Chance,
    ) {
        let mut senders = std::mem::take(&mut self.senders);
        let mut contenders = std::mem::take(&mut self.contenders);
        contenders.retain(|&number| {
            let start = self.start_of(number);
            let is_unaware = start <= since || start < heard_at;
            if (is_unaware || self.is_past_part_1(number, heard_at))
                && self.take_frame(number, start, owner)
            {
                senders.push(CsmaSender {
                    number,
                    start,
                    end: start,
                });
            }
            self.stations[usize::from(number)].is_contender
        });
        self.contenders = contenders;
        self.carriers += 1;
        match senders[..] {
            [CsmaSender { number, start, .. }] => self.succeed(number, start),
            _ => self.collide(&mut senders, random),
        }
        senders.clear();
        self.senders = senders;
        self.contend();
    }

    /// A station's frame goes to its end.
    fn succeed(&mut self, number: u16, start: Time) {
        let (carriers, delay) = (self.carriers, self.delay);
        let station = &mut self.stations[usize::from(number)];
        let frame = station.frame.take().expect("it is being sent");
        let end = start + bit_times(self.rate, frame.bits);
        station.attempts = 0;
        station.ready_at = end;
        station.silent_at = (carriers, end);
        station.counts.frames += 1;
        self.silent_at = end + delay;
        (self.under_way).push_back((end + delay, number, frame.handle));
        self.rest(number);
    }

    /// Looks at when the next station begins.
    fn contend(&mut self) {
        let starts = self.contenders.iter().map(|&number| self.start_of(number));
        self.phase = starts
            .min()
            .map_or(CarrierPhase::Idle, CarrierPhase::Contention);
    }

    /// A station that has nothing left is no contender.
    fn rest(&mut self, number: u16) {
        if self.stations[usize::from(number)].has_nothing() {
            self.stations[usize::from(number)].is_contender = false;
            self.contenders.retain(|&each| each != number);
        }
    }

    /// Sees to it that a station has a frame in hand; its queue may have dropped what it had.
    fn take_frame(&mut self, number: u16, now: Time, owner: &mut impl Owner) -> bool {
        let station = &mut self.stations[usize::from(number)];
        if station.frame.is_none() {
            station.frame = (station.queue.dequeue(now, owner)).map(|packet| SegmentFrame {
                handle: packet.handle,
                bits: 8 * u64::from(packet.bytes - GAP),
            });
            station.is_contender = !station.has_nothing();
        }
        station.frame.is_some()
    }

    /// Returns when a contender begins, unless it hears somebody before (§4.2.3.2.1).
    fn start_of(&self, number: u16) -> Time {
        let ready_at = self.stations[usize::from(number)].ready_at;
        if self.carriers == 0 {
            return ready_at;
        }
        ready_at.max(self.silent_for(number) + bit_times(self.rate, GAP_BITS))
    }

    /// Returns whether a contender has waited for so much of its gap by now that carrier stops it
    /// no more.
    fn is_past_part_1(&self, number: u16, now: Time) -> bool {
        let silent_at = self.silent_for(number);
        let is_ready = self.stations[usize::from(number)].ready_at
            <= silent_at + bit_times(self.rate, GAP_BITS);
        is_ready && silent_at + bit_times(self.rate, GAP_PART_1_BITS) <= now
    }

    /// Returns when the last carrier was, or will be, gone from a station.
    fn silent_for(&self, number: u16) -> Time {
        match self.stations[usize::from(number)].silent_at {
            (carrier, at) if carrier == self.carriers => at,
            _ => self.silent_at,
        }
    }
}

/// The longest delay with which every collision is seen within a slot: there and back.
pub fn longest_delay(rate: Rate) -> Duration {
    bit_times(rate, SLOT_BITS / 2)
}

/// Returns how long so many bits take; the rates of Ethernet have whole nanoseconds for each.
fn bit_times(rate: Rate, bits: u64) -> Duration {
    Duration::from_nanos(bits * 1_000_000_000 / rate.as_bps())
}
