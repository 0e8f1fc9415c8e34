//! A few MACs on a channel: the smallest owner a [`Medium`] can have.

use dot11::rate_control::{RateControlConfig, fixed};
use dot11::{
    Address, Contention, Decoded, Draw, Frame, Mac, MacConfig, Msdu, MsduDelivery, MsduOutcome,
    Privacy, Protection,
};
use phy::{Mode, Preamble, Standard};
use units::{Duration, Time};

use super::ears::ended;
use crate::{Emitter, LinkBudget, Medium, Reception, ReceptionRandom, Stations, Transmission};

/// A station at 11 Mbit/s, long preamble, answers at 2 Mbit/s, no RTS, no fragments.
pub fn config() -> MacConfig {
    MacConfig {
        standard: Standard::Dot11b,
        band: None,
        aggregation: None,
        coding: None,
        short_slot: false,
        protection: Protection::None,
        preamble: Preamble::Long,
        basic_rates: vec![Mode::DSSS_1, Mode::DSSS_2],
        rate: Mode::CCK_11,
        rate_control: RateControlConfig::Fixed(fixed::Config {}),
        rts_threshold: 2347,
        fragmentation_threshold: 2346,
        short_retry_limit: 7,
        long_retry_limit: 4,
        msdu_lifetime_ns: None,
        privacy: Privacy::None,
        queue_packets: 50,
        cw_min: 31,
        cw_max: 1023,
        edca: None,
    }
}

/// A linear congruential generator (D. Knuth, MMIX).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 32
    }
}

impl Draw for Random {
    fn up_to(&mut self, max: u16) -> u16 {
        ((self.next() * (u64::from(max) + 1)) >> 32) as u16
    }
}

impl ReceptionRandom for Random {
    fn unit(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 32) as f64
    }
}

/// What a station learns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Happening {
    Reception(Frame, Reception),
    Delivery(MsduDelivery),
    Sent(Frame),
    Outcome(MsduOutcome),
}

/// The MACs, their random streams, and all that happened to whom.
pub struct Members {
    now: Time,
    pub macs: Vec<(Mac, Random)>,
    pub happened: Vec<(Time, usize, Happening)>,
}

impl Members {
    fn note(&mut self, radio: usize, what: Happening) {
        self.happened.push((self.now, radio, what));
    }

    fn note_outcome(&mut self, radio: usize) {
        if let Some(outcome) = self.macs[radio].0.poll_outcome() {
            self.note(radio, Happening::Outcome(outcome));
        }
    }
}

impl Stations for Members {
    type Random = Random;

    fn random(&mut self, radio: usize) -> &mut Random {
        &mut self.macs[radio].1
    }

    fn mpdus(&self, radio: usize) -> impl Iterator<Item = u16> {
        self.macs[radio].0.mpdus().iter().map(|mpdu| mpdu.bytes)
    }

    fn on_decoded(&mut self, _radio: usize, _decoded: Decoded) {
        unreachable!("these cells send no aggregates")
    }

    fn on_reception(
        &mut self,
        radio: usize,
        frame: &Frame,
        reception: Reception,
        contention: &mut Contention,
    ) -> Time {
        self.note(radio, Happening::Reception(*frame, reception));
        let (mac, random) = &mut self.macs[radio];
        if reception.decoded && reception.addressed {
            if let Some(delivery) = mac.on_receive(self.now, frame, contention, random) {
                self.note(radio, Happening::Delivery(delivery));
            }
        } else {
            mac.on_garbled(self.now, contention, random);
        }
        self.note_outcome(radio);
        self.macs[radio].0.wake_at()
    }

    fn on_transmit_end(
        &mut self,
        radio: usize,
        frame: &Frame,
        contention: &mut Contention,
    ) -> Time {
        self.note(radio, Happening::Sent(*frame));
        let (mac, random) = &mut self.macs[radio];
        mac.on_transmit_end(self.now, frame, contention, random);
        self.note_outcome(radio);
        self.macs[radio].0.wake_at()
    }
}

/// How a cell puts a frame on the air.
pub type Begin = fn(&mut Medium, Time, usize, &Frame);

/// The channel and its stations.
pub struct Cell {
    pub medium: Medium,
    pub members: Members,
    pub concluded: Vec<Transmission>,
    /// Which transmissions arrive damaged, counted from zero over the whole run.
    pub damaged: Vec<usize>,
    begun: usize,
    ends: Vec<(Time, usize)>,
    begin: Begin,
}

impl Cell {
    /// Stations of one configuration, with random numbers of their own.
    pub fn new(budget: LinkBudget, config: &MacConfig, begin: Begin) -> Cell {
        Cell::with(budget, config, begin, Vec::new())
    }

    /// The same among what radiates.
    pub fn with(
        budget: LinkBudget,
        config: &MacConfig,
        begin: Begin,
        emitters: Vec<Emitter>,
    ) -> Cell {
        Cell::made(budget, config, begin, |budget, stations| {
            Medium::new(budget, emitters, stations)
        })
    }

    /// The same on a medium that `make` makes.
    pub fn made(
        budget: LinkBudget,
        config: &MacConfig,
        begin: Begin,
        make: impl FnOnce(LinkBudget, &mut dyn Iterator<Item = (Address, Contention)>) -> Medium,
    ) -> Cell {
        let macs: Vec<_> = (0..budget.radios())
            .map(|radio| {
                let mac = Mac::new(config.clone(), Address(radio as u16));
                (mac, Random(radio as u64 + 1))
            })
            .collect();
        let mut stations = (macs.iter()).map(|(mac, _)| (mac.address(), mac.contention()));
        Cell {
            medium: make(budget, &mut stations),
            members: Members {
                now: Time::ZERO,
                macs,
                happened: Vec::new(),
            },
            concluded: Vec::new(),
            damaged: Vec::new(),
            begun: 0,
            ends: Vec::new(),
            begin,
        }
    }

    /// Hands an MSDU to the MAC of a radio now.
    pub fn enqueue(&mut self, radio: usize, id: u32, to: Address, bytes: u16) {
        let (mac, random) = &mut self.members.macs[radio];
        let now = self.members.now;
        let msdu = Msdu::data(id, to, bytes);
        // A full queue drops it, as in life.
        let _ = self.medium.change(radio, |contention| {
            mac.enqueue(now, msdu, contention, random)
        });
    }

    /// A burst of the first emitter begins now.
    pub fn radiate(&mut self) {
        self.medium.radiate(self.members.now, 0);
    }

    /// A burst of the first emitter ends now.
    pub fn cease(&mut self) {
        self.medium.cease(self.members.now, 0, &mut self.members);
    }

    /// Returns when something happens next.
    pub fn next_at(&mut self) -> Time {
        let ends_at = self.ends.last().map_or(Time::NEVER, |&(at, _)| at);
        ends_at.min(self.medium.next_act().0)
    }

    /// Lets the next thing happen.
    pub fn step(&mut self) {
        let (at, radio) = self.medium.next_act();
        match self.ends.last() {
            Some(&(ends_at, _)) if ends_at <= at => self.end(),
            _ => self.ring(at, radio),
        }
    }

    /// Lets everything happen up to `until`.
    pub fn run(&mut self, until: Time) {
        while self.next_at() <= until {
            self.step();
        }
        self.members.now = until;
    }

    /// Lets `micros` pass.
    pub fn run_micros(&mut self, micros: u64) {
        self.run(self.members.now + Duration::from_micros(micros));
    }

    fn end(&mut self) {
        let (now, from) = self.ends.pop().expect("something is on the air");
        self.members.now = now;
        let concluded = ended(&mut self.medium, now, from, &mut self.members);
        self.concluded.push(concluded);
    }

    fn ring(&mut self, now: Time, radio: usize) {
        self.members.now = now;
        let (mac, random) = &mut self.members.macs[radio];
        let receiving = self.medium.receives_a_response(now, radio);
        let frame = self.medium.act(radio, |contention| {
            let frame = if mac.wake_at() <= now {
                mac.on_wake(now, receiving, contention, random)
            } else {
                Some(mac.on_access(now, contention))
            };
            let frame = frame.copied();
            (mac.wake_at(), frame)
        });
        self.members.note_outcome(radio);
        if let Some(frame) = frame {
            (self.begin)(&mut self.medium, now, radio, &frame);
            if self.damaged.contains(&self.begun) {
                self.medium.damage(radio);
            }
            self.begun += 1;
            let ends_at = now + frame.airtime();
            let after = self.ends.partition_point(|&(other, _)| other > ends_at);
            self.ends.insert(after, (ends_at, radio));
        }
    }
}
