//! A handful of stations on an ideal channel: no distance, every overlap destroys.
//!
//! It exists to drive MACs through whole exchanges and to write down what they put on the air. Who
//! hears whom is a matrix, so hidden stations can be placed; frames can be lost on purpose.

use std::collections::VecDeque;

use units::{Duration, Time};

use super::{Decoded, Mac, MacConfig, Msdu, MsduDelivery, MsduOutcome};
use crate::contention::{Contention, Draw};
use crate::frame::{Address, Frame, FrameKind};

/// Backoffs as listed, then zeros; remembers the windows they were drawn from.
#[derive(Default)]
pub(super) struct Backoffs {
    pub(super) scripted: VecDeque<u16>,
    pub(super) windows: Vec<u16>,
    pub(super) random: Option<u64>,
}

impl Draw for Backoffs {
    fn up_to(&mut self, max: u16) -> u16 {
        self.windows.push(max);
        match &mut self.random {
            // Xorshift (G. Marsaglia, "Xorshift RNGs", 2003).
            Some(state) => {
                *state ^= *state << 13;
                *state ^= *state >> 7;
                *state ^= *state << 17;
                ((*state >> 32) % (u64::from(max) + 1)) as u16
            }
            None => self.scripted.pop_front().unwrap_or(0),
        }
    }
}

/// A transmission, as a sniffer would list it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) at: Time,
    pub(super) frame: Frame,
}

#[derive(Clone, Copy)]
struct Reception {
    frame: Frame,
    intact: bool,
    decoded: Decoded,
}

pub(super) struct Station {
    pub(super) mac: Mac,
    pub(super) contention: Contention,
    pub(super) backoffs: Backoffs,
    pub(super) outcomes: Vec<MsduOutcome>,
    pub(super) deliveries: Vec<(Time, MsduDelivery)>,
    pub(super) hears: Vec<bool>,
    activity: u32,
    receiving: Option<Reception>,
}

#[derive(Default)]
pub(super) struct Channel {
    pub(super) now: Time,
    pub(super) stations: Vec<Station>,
    pub(super) sent: Vec<Sent>,
    /// Which transmissions nobody can read, counted from zero over the whole run.
    pub(super) lost: Vec<usize>,
    /// Which MPDUs of A-MPDUs nobody can read: of which transmission, and at which place.
    pub(super) lost_mpdus: Vec<(usize, usize)>,
    /// Whether every queue is refilled at once.
    pub(super) saturated: Option<Msdu>,
    on_air: Vec<(Time, Frame)>,
}

pub(super) fn micros(at: Time) -> f64 {
    at.as_nanos() as f64 / 1e3
}

impl Channel {
    /// `count` stations with one configuration that all hear each other.
    pub(super) fn new(count: u16, config: &MacConfig) -> Channel {
        let stations = (0..count).map(|address| {
            let mac = Mac::new(config.clone(), Address(address));
            Station {
                contention: mac.contention(),
                mac,
                backoffs: Backoffs::default(),
                outcomes: Vec::new(),
                deliveries: Vec::new(),
                hears: vec![true; usize::from(count)],
                activity: 0,
                receiving: None,
            }
        });
        Channel {
            stations: stations.collect(),
            ..Channel::default()
        }
    }

    pub(super) fn hide(&mut self, one: usize, other: usize) {
        self.stations[one].hears[other] = false;
        self.stations[other].hears[one] = false;
    }

    pub(super) fn backoffs(&mut self, station: usize, slots: &[u16]) {
        self.stations[station].backoffs.scripted.extend(slots);
    }

    pub(super) fn enqueue(&mut self, station: usize, id: u32, to: u16, bytes: u16) {
        let Station {
            mac,
            contention,
            backoffs,
            ..
        } = &mut self.stations[station];
        let msdu = Msdu::data(id, Address(to), bytes);
        mac.enqueue(self.now, msdu, contention, backoffs)
            .expect("room in the queue");
    }

    /// Runs until nothing is due before `until`.
    pub(super) fn run(&mut self, until: Time) {
        loop {
            let next = self.next_event();
            if next > until {
                self.now = until;
                return;
            }
            self.now = next;
            self.end_transmissions();
            self.look_at_agreements();
            self.wake_stations();
            self.grant_accesses();
        }
    }

    pub(super) fn run_micros(&mut self, micros: u64) {
        self.run(self.now + Duration::from_micros(micros));
    }

    /// Returns what was sent: begin and end in µs, who, what.
    pub(super) fn timeline(&self) -> Vec<(f64, f64, u16, FrameKind)> {
        self.sent
            .iter()
            .map(|sent| {
                let end = sent.at + sent.frame.airtime();
                (
                    micros(sent.at),
                    micros(end),
                    sent.frame.transmitter.0,
                    sent.frame.kind,
                )
            })
            .collect()
    }

    fn next_event(&self) -> Time {
        let ends = self.on_air.iter().map(|&(end, _)| end);
        let wakes = self.stations.iter().map(|s| {
            (s.mac.wake_at().min(s.contention.access_at())).min(s.mac.agreements_due_at())
        });
        ends.chain(wakes).min().unwrap_or(Time::NEVER)
    }

    fn end_transmissions(&mut self) {
        while let Some(index) = self.on_air.iter().position(|&(end, _)| end == self.now) {
            let (_, frame) = self.on_air.remove(index);
            self.end(&frame);
        }
    }

    fn look_at_agreements(&mut self) {
        let now = self.now;
        let is_due = |station: &&mut Station| station.mac.agreements_due_at() <= now;
        for station in self.stations.iter_mut().filter(is_due) {
            let Station {
                mac,
                contention,
                backoffs,
                deliveries,
                ..
            } = station;
            mac.look_at_agreements(now, contention, backoffs);
            deliveries.extend(mac.take_deliveries().map(|delivery| (now, delivery)));
        }
    }

    fn wake_stations(&mut self) {
        for index in 0..self.stations.len() {
            let station = &mut self.stations[index];
            if station.mac.wake_at() <= self.now {
                let Station {
                    mac,
                    contention,
                    backoffs,
                    ..
                } = station;
                let receiving = station.receiving.is_some();
                let frame = mac
                    .on_wake(self.now, receiving, contention, backoffs)
                    .copied();
                self.collect(index);
                if let Some(frame) = frame {
                    self.begin(frame);
                }
            }
        }
    }

    fn grant_accesses(&mut self) {
        for index in 0..self.stations.len() {
            let station = &mut self.stations[index];
            if station.contention.access_at() <= self.now {
                let frame = *station.mac.on_access(self.now, &mut station.contention);
                self.begin(frame);
            }
        }
    }

    fn begin(&mut self, frame: Frame) {
        let now = self.now;
        let intact = !self.lost.contains(&self.sent.len());
        let mut decoded = Decoded::NONE;
        (0..usize::from(Decoded::MOST))
            .filter(|&place| !self.lost_mpdus.contains(&(self.sent.len(), place)))
            .for_each(|place| decoded.add(place));
        self.sent.push(Sent { at: now, frame });
        self.on_air.push((now + frame.airtime(), frame));
        let from = usize::from(frame.transmitter.0);
        for (index, station) in self.stations.iter_mut().enumerate() {
            if index != from && !station.hears[from] {
                continue;
            }
            if index == from {
                station.receiving = None;
            } else if let Some(reception) = &mut station.receiving {
                reception.intact = false;
            } else if station.activity == 0 {
                station.receiving = Some(Reception {
                    frame,
                    intact,
                    decoded,
                });
            }
            station.activity += 1;
            station.contention.on_busy(now);
        }
    }

    fn end(&mut self, frame: &Frame) {
        let now = self.now;
        let from = usize::from(frame.transmitter.0);
        let Station {
            mac,
            contention,
            backoffs,
            ..
        } = &mut self.stations[from];
        mac.on_transmit_end(now, frame, contention, backoffs);
        self.collect(from);
        for index in 0..self.stations.len() {
            if index != from && self.stations[index].hears[from] {
                self.end_reception(index, frame);
            }
        }
        for (index, station) in self.stations.iter_mut().enumerate() {
            if index == from || station.hears[from] {
                station.activity -= 1;
                if station.activity == 0 {
                    station.contention.on_idle(now, &mut station.backoffs);
                }
            }
        }
    }

    fn end_reception(&mut self, index: usize, frame: &Frame) {
        let now = self.now;
        let from = usize::from(frame.transmitter.0);
        let Ok([station, sender]) = self.stations.get_disjoint_mut([index, from]) else {
            return;
        };
        let Some(reception) = station.receiving.take_if(|locked| locked.frame == *frame) else {
            return;
        };
        let Station {
            mac,
            contention,
            backoffs,
            deliveries,
            ..
        } = station;
        let for_us = frame.receiver == mac.address() || frame.receiver.is_broadcast();
        if reception.intact && for_us && frame.is_under_block_ack() {
            let sent = (&sender.mac, &reception.decoded);
            mac.on_receive_from(now, frame, sent, contention, backoffs);
            deliveries.extend(mac.take_deliveries().map(|delivery| (now, delivery)));
        } else if reception.intact && for_us {
            let delivery = mac.on_receive(now, frame, contention, backoffs);
            deliveries.extend(delivery.map(|delivery| (now, delivery)));
        } else {
            if reception.intact {
                contention.on_overheard(now, frame);
            } else {
                contention.on_garbled(now, frame);
            }
            if contention.awaits_response() {
                mac.on_garbled(now, contention, backoffs);
            }
        }
        self.collect(index);
    }

    fn collect(&mut self, index: usize) {
        let now = self.now;
        let Station {
            mac,
            contention,
            backoffs,
            outcomes,
            ..
        } = &mut self.stations[index];
        while let Some(outcome) = mac.poll_outcome().or_else(|| mac.poll_further_outcome()) {
            outcomes.push(outcome);
            if let Some(msdu) = self.saturated {
                mac.enqueue(now, msdu, contention, backoffs)
                    .expect("its place has become free");
            }
        }
    }
}
