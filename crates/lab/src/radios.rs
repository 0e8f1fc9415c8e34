//! The wireless half of a world: medium, MACs, alarms and the airtime ledger.

use air::{LinkBudget, Medium, TransmissionId, noise_floor};
use dot11::{Address, Contention, DSSS_HR, Frame, FrameKind, Mac, Msdu, Outcome, OutcomeResult};
use units::{Db, Dbm, Time};

use crate::ledger::{Fate, Ledger};
use crate::luck::Luck;
use crate::meters::QueueMeter;
use crate::plan::Plan;

/// A packet that a radio has received.
#[derive(Clone, Copy, Debug)]
pub struct Delivered {
    /// The node that received it.
    pub node: u16,
    /// The packet.
    pub packet: u32,
}

/// A packet that a MAC has done with.
#[derive(Clone, Copy, Debug)]
pub struct Finished {
    /// The node whose MAC held it.
    pub node: u16,
    /// The packet.
    pub packet: u32,
}

/// A frame whose transmission has ended.
#[derive(Clone, Copy, Debug)]
pub struct Aired {
    /// The frame.
    pub frame: Frame,
    /// Its first bit.
    pub start: Time,
    /// How it fared.
    pub fate: Fate,
}

/// What frames and attempts have counted on the whole channel.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChannelCounters {
    /// Frames that opened an exchange after contention: data, RTS, beacons.
    pub attempts: u64,
    /// Those of them that another transmission overlapped.
    pub overlapped: u64,
    /// Data and RTS frames that were overlapped and not decoded.
    pub collisions: u64,
    /// MSDUs delivered to their addressee.
    pub msdus: u64,
}

/// What is due next on the channel.
#[derive(Clone, Copy, Debug)]
pub enum Due {
    /// The last bit of a frame.
    End(TransmissionId),
    /// A countdown, response or timeout of a radio.
    Radio(usize),
}

/// All radios of a world.
#[derive(Debug)]
pub struct Radios {
    medium: Medium,
    macs: Vec<Mac>,
    luck: Vec<Luck>,
    /// When each MAC wants to be woken, and the next thing to happen, if it is known.
    wakes: Vec<Time>,
    ends: Vec<(Time, TransmissionId)>,
    next: Option<(Time, Due)>,
    /// The node of each radio, and the radio of each node.
    nodes: Vec<u16>,
    radios: Vec<u16>,
    /// The ledger of the channel.
    pub ledger: Ledger,
    /// Counters of the channel.
    pub counters: ChannelCounters,
    /// The queue of each radio.
    pub queues: Vec<QueueMeter>,
    monitored: Vec<bool>,
    /// Monitored nodes that decoded the frame which ended last.
    pub heard: Vec<u16>,
    /// Packets delivered by the last event.
    pub delivered: Vec<Delivered>,
    /// Packets done with by the last event.
    pub finished: Vec<Finished>,
}

impl Radios {
    /// Largest number of radios: an address names one.
    const NO_RADIO: u16 = u16::MAX;

    /// The radios of a plan; `None` without any.
    pub fn new(plan: &Plan, seed: u64) -> Option<Self> {
        let air = plan.air.as_ref()?;
        let with_radio: Vec<(usize, &crate::plan::RadioPlan)> = (plan.nodes.iter().enumerate())
            .filter_map(|(index, node)| node.radio.as_ref().map(|radio| (index, radio)))
            .collect();
        let nodes: Vec<u16> = with_radio.iter().map(|&(node, _)| node as u16).collect();
        let mut radios = vec![Self::NO_RADIO; plan.nodes.len()];
        for (radio, &node) in nodes.iter().enumerate() {
            radios[usize::from(node)] = radio as u16;
        }
        let transmit: Vec<_> = with_radio
            .iter()
            .map(|(_, radio)| radio.tx_power_dbm)
            .collect();
        let loss: Vec<Vec<Db>> = (with_radio.iter())
            .map(|&(from, _)| {
                with_radio
                    .iter()
                    .map(|&(to, _)| air.loss_db[from][to])
                    .collect()
            })
            .collect();
        let noise = noise_floor(air.noise_figure_db);
        let budget = LinkBudget::new(&transmit, &loss, air.carrier_sense_dbm, noise);
        let macs: Vec<Mac> = (with_radio.iter())
            .map(|&(node, radio)| Mac::new(radio.mac.clone(), Address(node as u16)))
            .collect();
        let stations = macs.iter().map(|mac| (mac.address(), mac.contention()));
        Some(Radios {
            medium: Medium::new(budget, stations, DSSS_HR.cca_time),
            macs,
            luck: with_radio
                .iter()
                .map(|&(node, _)| Luck::new(seed, node))
                .collect(),
            wakes: vec![Time::NEVER; nodes.len()],
            ends: Vec::new(),
            next: None,
            ledger: Ledger::new(DSSS_HR.sifs, DSSS_HR.difs),
            counters: ChannelCounters::default(),
            queues: vec![QueueMeter::default(); nodes.len()],
            monitored: vec![false; nodes.len()],
            heard: Vec::new(),
            delivered: Vec::new(),
            finished: Vec::new(),
            nodes,
            radios,
        })
    }

    /// What is due next, and when.
    #[inline]
    pub fn next(&mut self) -> (Time, Due) {
        match self.next {
            Some(next) => next,
            None => self.find_next(),
        }
    }

    /// Searches all radios. Every edge of the medium moves the countdown of every station
    /// that waits, so a scan of a dense array costs less than an order kept among them.
    ///
    /// What ends at an instant ends before what begins there: a frame's last bit comes
    /// before the access of a station whose countdown is over.
    fn find_next(&mut self) -> (Time, Due) {
        let mut radio_at = (Time::NEVER, 0);
        let countdowns = self.medium.contentions().iter().map(Contention::access_at);
        for (radio, (&wake_at, access_at)) in self.wakes.iter().zip(countdowns).enumerate() {
            let at = wake_at.min(access_at);
            if at < radio_at.0 {
                radio_at = (at, radio);
            }
        }
        let mut next = (radio_at.0, Due::Radio(radio_at.1));
        for &(ends_at, id) in self.ends.iter().rev() {
            if ends_at <= next.0 {
                next = (ends_at, Due::End(id));
            }
        }
        self.next = Some(next);
        next
    }

    /// Notes that the MAC of `radio` may want to be woken at another time.
    ///
    /// A timeout that finds its station in the middle of a reception waits for that
    /// reception's end, which settles the matter; so it need not ring meanwhile.
    #[inline]
    fn touch(&mut self, radio: usize) {
        let deferred =
            self.medium.contention(radio).awaits_response() && self.medium.is_receiving(radio);
        self.wakes[radio] = if deferred {
            Time::NEVER
        } else {
            self.macs[radio].wake_at()
        };
        self.next = None;
    }

    /// The MAC of a node that has a radio.
    pub fn mac(&self, node: u16) -> Option<&Mac> {
        self.macs.get(usize::from(self.radios[usize::from(node)]))
    }

    /// The nodes with a radio, in the order of the queues.
    pub fn nodes(&self) -> &[u16] {
        &self.nodes
    }

    /// Packets waiting in a node's interface queue or being sent.
    #[inline]
    pub fn backlog(&self, node: u16) -> u32 {
        self.queues[usize::from(self.radios[usize::from(node)])].length
    }

    /// Hands a packet to the MAC of `node`, for `to`; answers whether it was taken.
    pub fn enqueue(&mut self, now: Time, node: u16, to: u16, packet: u32, ip_bytes: u16) -> bool {
        let radio = usize::from(self.radios[usize::from(node)]);
        let msdu = Msdu {
            id: packet,
            destination: Address(to),
            bytes: ip_bytes + dot11::LLC_SNAP_BYTES,
        };
        let contention = self.medium.contention_mut(radio);
        let taken = self.macs[radio]
            .enqueue(now, msdu, contention, &mut self.luck[radio])
            .is_ok();
        if taken {
            if self.queues[radio].length == 0 {
                self.ledger.on_wanted(now);
            }
            self.queues[radio].push(now);
            self.touch(radio);
        } else {
            self.queues[radio].drops += 1;
        }
        taken
    }

    /// Queues a beacon at an access point.
    pub fn beacon(&mut self, now: Time, node: u16, body_bytes: u16) {
        let radio = usize::from(self.radios[usize::from(node)]);
        let contention = self.medium.contention_mut(radio);
        self.macs[radio].send_beacon(now, body_bytes, contention, &mut self.luck[radio]);
        self.touch(radio);
    }

    /// Notes in [`Self::heard`] every frame that `node` decodes, whoever it is for.
    pub fn monitor(&mut self, node: u16) {
        let radio = usize::from(self.radios[usize::from(node)]);
        self.monitored[radio] = true;
        self.medium.monitor(radio);
    }

    /// The power with which `node` receives the radio called `from`.
    pub fn signal(&self, from: Address, node: u16) -> Dbm {
        let [from, at] = [from.0, node].map(|node| usize::from(self.radios[usize::from(node)]));
        self.medium.budget().row(from)[at].to_dbm()
    }

    /// Lets a radio act that is due.
    pub fn ring(&mut self, now: Time, radio: usize) {
        let receiving = self.medium.is_receiving(radio);
        let contention = self.medium.contention_mut(radio);
        let mac = &mut self.macs[radio];
        let frame = if mac.wake_at() <= now {
            mac.on_wake(now, receiving, contention, &mut self.luck[radio])
        } else {
            Some(mac.on_access(now, contention))
        };
        if let Some(frame) = frame {
            self.transmit(now, radio, frame);
        }
        self.settle(now, radio);
        self.touch(radio);
    }

    /// Ends a transmission: hands the frame to those who decoded it, then lets the carrier go.
    pub fn end(&mut self, now: Time, id: TransmissionId) -> Aired {
        let done = self.medium.conclude(now, id, &mut self.luck);
        self.heard.clear();
        let mut fate = if done.decoded {
            Fate::Fresh
        } else {
            Fate::Lost
        };
        for index in 0..self.medium.receptions().len() {
            let reception = self.medium.receptions()[index];
            if reception.decoded && self.monitored[reception.at] {
                self.heard.push(self.nodes[reception.at]);
            }
            let for_it = reception.decoded && reception.addressed;
            if self.receive(now, reception.at, for_it, &done.frame) {
                fate = Fate::Duplicate;
            }
        }
        self.ends.retain(|&(_, other)| other != id);
        let radio = done.from;
        let contention = self.medium.contention_mut(radio);
        self.macs[radio].on_transmit_end(now, &done.frame, contention, &mut self.luck[radio]);
        self.medium.release(now, id, &mut self.luck);
        self.touch(radio);
        self.count(&done.frame, done.overlapped, fate);
        let aired = Aired {
            frame: done.frame,
            start: done.start,
            fate,
        };
        if fate == Fate::Lost && matches!(done.frame.kind, FrameKind::Data | FrameKind::Rts) {
            let until = self.macs[radio].wake_at();
            if until != Time::NEVER {
                self.ledger.on_vain_wait(until);
            }
        }
        aired
    }

    /// Settles with the MACs that heard `aired` what they have done with.
    pub fn settle_after(&mut self, now: Time, aired: &Aired) {
        for Address(node) in [aired.frame.transmitter, aired.frame.receiver] {
            if let Some(&radio) = self.radios.get(usize::from(node)) {
                self.settle(now, usize::from(radio));
            }
        }
    }

    /// A frame on the air and its first bit.
    pub fn unfinished(&self) -> Option<(Frame, Time)> {
        self.medium.on_air()
    }

    fn transmit(&mut self, now: Time, radio: usize, frame: Frame) {
        self.ledger.on_begin(now);
        let id = self.medium.begin(now, radio, frame);
        if let Some(&answered) = self.radios.get(usize::from(frame.receiver.0)) {
            self.touch(usize::from(answered));
        }
        self.ends.push((now + frame.airtime(), id));
    }

    /// Answers whether the frame was one that the receiver had already.
    fn receive(&mut self, now: Time, radio: usize, decoded: bool, frame: &Frame) -> bool {
        let contention = self.medium.contention_mut(radio);
        let mac = &mut self.macs[radio];
        if !decoded {
            mac.on_garbled(now, contention, &mut self.luck[radio]);
            self.touch(radio);
            return false;
        }
        let duplicates = mac.counters().duplicates;
        let delivery = mac.on_receive(now, frame, contention, &mut self.luck[radio]);
        let is_duplicate = mac.counters().duplicates != duplicates;
        self.touch(radio);
        if let Some(delivery) = delivery {
            self.counters.msdus += 1;
            self.delivered.push(Delivered {
                node: self.nodes[radio],
                packet: delivery.msdu,
            });
        }
        is_duplicate
    }

    /// Notes the end of an MSDU's service, of which a call to a MAC brings one at most.
    #[inline]
    fn settle(&mut self, now: Time, radio: usize) {
        if let Some(outcome) = self.macs[radio].poll_outcome() {
            self.finish(now, radio, outcome);
        }
    }

    fn finish(&mut self, now: Time, radio: usize, outcome: Outcome) {
        let queue = &mut self.queues[radio];
        queue.pop(now);
        if queue.length == 0 {
            self.ledger.on_satisfied(now);
        }
        queue.losses += u64::from(matches!(outcome.result, OutcomeResult::Dropped { .. }));
        self.finished.push(Finished {
            node: self.nodes[radio],
            packet: outcome.msdu,
        });
    }

    fn count(&mut self, frame: &Frame, overlapped: bool, fate: Fate) {
        let opens = match frame.kind {
            FrameKind::Data | FrameKind::Rts | FrameKind::Beacon => true,
            FrameKind::Ack | FrameKind::Cts => false,
        };
        self.counters.attempts += u64::from(opens);
        self.counters.overlapped += u64::from(opens && overlapped);
        self.counters.collisions += u64::from(opens && overlapped && fate == Fate::Lost);
    }
}
