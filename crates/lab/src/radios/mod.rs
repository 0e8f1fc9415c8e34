//! The wireless half of a world: medium, MACs and the ledgers of airtime.

mod accounts;
mod beacon;
mod building;
mod emitters;
mod fading;
mod interface_queue;
mod listening;
mod losses;
mod managed;
mod moving;
mod radio;
mod service;
mod settings;
mod vantages;

use air::{Medium, Transmission};
use dot11::{
    Address, BlockAck, Category, DataMpdu, Decoded, Frame, FrameKind, Mac, Msdu, MsduOutcome,
    Negotiation, OutcomeResult,
};
use units::{Dbm, Time};

use crate::ids::{InterfaceId, NodeId, PacketId, RadioId};
use crate::meters::{DataOverhead, FrameReception};

use emitters::EmitterSchedule;
use listening::{Listening, RadioIntake};
use losses::LossLists;
use managed::ChannelTuning;
use vantages::EndedTransmission;

pub use accounts::AccessPath;
pub use beacon::BeaconContent;
pub use building::noise_of;
pub use listening::DeliveredPacket;
pub use losses::LossCounts;
pub use radio::Radio;
pub use service::ServiceTimes;
pub use vantages::{Spending, Vantages};

/// A packet that a MAC has done with.
#[derive(Clone, Copy, Debug)]
pub struct Finished {
    /// The interface whose MAC held it.
    pub interface: InterfaceId,
    /// The radio, one of its access functions where it has several.
    pub radio: Address,
    /// The packet.
    pub packet: PacketId,
    /// How its service ended.
    pub result: OutcomeResult,
}

/// A packet that is to be sent.
#[derive(Clone, Copy, Debug)]
pub struct OutgoingPacket {
    /// Its name.
    pub id: PacketId,
    /// Bytes of IP.
    pub ip_bytes: u16,
}

/// What became of a packet that was to enter a MAC's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueEntry {
    /// It is in.
    Taken,
    /// There is no room: it is its owner's again.
    Refused,
    /// The radio has a queue of its own, into which it has to go.
    Elsewhere,
}

/// What has been counted on the whole channel.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChannelCounters {
    /// Unicast MSDUs delivered to their addressee.
    pub msdus: u64,
}

/// What is due next on the channel.
#[derive(Clone, Copy, Debug)]
pub enum NextOnAir {
    /// The last bit of the frame that ends first.
    End,
    /// A countdown, response or timeout of a radio.
    Radio(RadioId),
}

/// All radios of a world.
#[derive(Debug)]
pub struct Radios {
    medium: Medium,
    /// The radios in the order of their interfaces.
    pub each: Vec<Radio>,
    /// Ends of the frames on the air and who sends them, the next one last; of equal ones
    /// the frame that began first ends first.
    ends: Vec<(Time, usize)>,
    /// The radio of each address; that of an interface is its number.
    of_address: Vec<RadioId>,
    /// Whether any interface has access functions of EDCA.
    has_categories: bool,
    /// Whether any radio has a queue of its own, or aggregates: airtimes of data are told then.
    keeps_airtime: bool,
    /// The ledgers of airtime.
    pub vantages: Vantages,
    /// Counters of the channel.
    pub counters: ChannelCounters,
    /// What they have taken in.
    pub taken: RadioIntake,
    /// The channels that radios are on, where some change them.
    tuning: Option<Box<ChannelTuning>>,
    scripts: Vec<EmitterSchedule>,
    losses: Option<Box<LossLists>>,
    /// Packets done with by the last event.
    pub finished: Vec<Finished>,
}

impl Radios {
    /// What an address names that is no radio's.
    const NO_RADIO: RadioId = RadioId(u16::MAX);

    /// Returns what is due next, and when.
    ///
    /// What ends at an instant ends before what begins there: a frame's last bit comes
    /// before the access of a station whose countdown is over. Of several radios the
    /// lowest comes first.
    #[inline]
    pub fn next(&mut self) -> (Time, NextOnAir) {
        let (at, radio) = self.medium.next_act();
        match self.ends[..] {
            [.., (ends_at, _)] if ends_at <= at => (ends_at, NextOnAir::End),
            _ => (at, NextOnAir::Radio(RadioId::at(radio))),
        }
    }

    #[inline]
    fn of(&self, address: Address) -> usize {
        self.of_address[usize::from(address.0)].index()
    }

    /// The interface that a radio called `address` is behind.
    pub fn interface_of(&self, address: Address) -> InterfaceId {
        self.each[self.of(address)].interface
    }

    /// A frame as its bytes name who sends it and whom it is for: a station's access functions have
    /// one address.
    pub fn between_interfaces(&self, frame: &Frame) -> Frame {
        let of = |address: Address| self.interface_of(address).address();
        let receiver = frame.receiver;
        Frame {
            transmitter: of(frame.transmitter),
            receiver: match receiver.is_broadcast() || receiver == Address::UNSAID {
                true => receiver,
                false => of(receiver),
            },
            ..*frame
        }
    }

    /// Returns whether a radio called `address` contends for a category.
    pub fn has_category(&self, address: Address) -> bool {
        self.each[self.of(address)].mac.config().edca.is_some()
    }

    /// The MAC of every radio.
    pub fn macs(&self) -> impl Iterator<Item = &Mac> {
        self.each.iter().map(|radio| &radio.mac)
    }

    /// The MPDUs that a radio has on the air, or had last, under block acknowledgment.
    pub fn mpdus(&self, from: usize) -> &[DataMpdu] {
        self.each[from].mac.mpdus()
    }

    /// Returns which MPDUs of the frame that ended last its addressee has decoded.
    pub fn decoded(&self, fate: FrameReception) -> Decoded {
        match (fate, self.taken.decoded) {
            (FrameReception::Lost, _) => Decoded::NONE,
            (_, decoded) => decoded.unwrap_or(Decoded::ALL),
        }
    }

    /// Returns what the last BlockAck of the radio called `from` says.
    pub fn said(&self, from: Address) -> BlockAck {
        self.each[self.of(from)].mac.said()
    }

    /// The number of the radio called `address`.
    pub fn number_of(&self, address: Address) -> usize {
        self.of(address)
    }

    /// The nodes with a radio.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.each.iter().map(|radio| radio.node)
    }

    /// Returns what the radio of an interface is called that contends for packets of this category.
    pub fn function_of(&self, interface: InterfaceId, category: Category) -> Address {
        let at = self.of(interface.address()) + category as usize;
        self.each[at].mac.address()
    }

    /// Packets waiting in a radio's queue or being sent.
    #[inline]
    pub fn backlog(&self, radio: Address) -> u32 {
        self.each[self.of(radio)].queue.length
    }

    /// Returns how many packets that may be, if it is limited by their number alone.
    #[inline]
    pub fn queue_limit(&self, radio: Address) -> u32 {
        let radio = &self.each[self.of(radio)];
        match radio.interface_queue {
            None => radio.mac.queue_limit(),
            Some(_) => u32::MAX,
        }
    }

    /// Returns how many packets it has that is never out of them: in service, and behind that.
    #[inline]
    pub fn enough(&self, radio: Address) -> u32 {
        let radio = &self.each[self.of(radio)];
        match radio.interface_queue {
            None => radio.mac.enough(),
            Some(_) => radio.mac.enough().max(2),
        }
    }

    /// Hands a packet to the MAC of a radio, for `to`, if it has no queue in front of that.
    // In line by order: a radio without categories has its packets from one place.
    #[inline(always)]
    pub fn enqueue(
        &mut self,
        now: Time,
        radio: Address,
        to: Address,
        packet: OutgoingPacket,
    ) -> QueueEntry {
        let at = self.of(radio);
        if self.each[at].interface_queue.is_some() {
            return QueueEntry::Elsewhere;
        }
        if !self.hand_to_mac(now, at, to, packet) {
            return QueueEntry::Refused;
        }
        self.enter(now, at);
        QueueEntry::Taken
    }

    /// Hands a packet to a MAC; answers whether that has taken it.
    #[inline(always)]
    fn hand_to_mac(&mut self, now: Time, at: usize, to: Address, packet: OutgoingPacket) -> bool {
        let Radio {
            mac,
            streams,
            service,
            ..
        } = &mut self.each[at];
        let msdu_bytes = packet.ip_bytes + dot11::LLC_SNAP_BYTES;
        let msdu = Msdu::data(packet.id.0, to, msdu_bytes);
        let enqueue = |contention: &mut _| mac.enqueue(now, msdu, contention, streams);
        if self.medium.change(at, enqueue).is_err() {
            return false;
        }
        if let Some(service) = service {
            service.on_entry(now);
        }
        true
    }

    /// A packet enters a radio's queue.
    #[inline(always)]
    fn enter(&mut self, now: Time, at: usize) {
        if self.each[at].queue.push(now) {
            self.vantages.on_wanted(now, at);
        }
    }

    /// Packets leave a radio's queue.
    fn leave(&mut self, now: Time, at: usize, packets: usize) {
        let queue = &mut self.each[at].queue;
        let are_last = (0..packets).map(|_| queue.pop(now));
        if are_last.last() == Some(true) {
            self.vantages.on_satisfied(now, at);
        }
    }

    /// Queues a beacon at an access point.
    pub fn beacon(&mut self, now: Time, interface: InterfaceId, body_bytes: u16) {
        let at = self.of(interface.address());
        let Radio { mac, streams, .. } = &mut self.each[at];
        self.medium.change(at, |contention| {
            mac.send_beacon(now, body_bytes, contention, streams);
        });
    }

    /// Notes in [`Self::heard`] every frame that `interface` decodes, whoever it is for.
    pub fn monitor(&mut self, interface: InterfaceId) {
        let at = self.of(interface.address());
        self.each[at].monitored = true;
        self.medium.monitor(at);
    }

    /// The node of a radio.
    pub fn node_of(&self, radio: Address) -> NodeId {
        self.each[self.of(radio)].node
    }

    /// The power with which `interface` received the last frame of the radio called `from`.
    pub fn signal(&mut self, from: Address, interface: InterfaceId) -> Dbm {
        let [from, to] = [from, interface.address()].map(|address| self.of(address));
        self.medium.power(from, to).to_dbm()
    }

    /// Lets a radio act that is due.
    pub fn act(&mut self, now: Time, radio: RadioId) {
        let at = radio.index();
        let wakes = self.each[at].mac.wake_at() <= now;
        if self.has_categories && !wakes && self.collides_within(now, at) {
            return;
        }
        let Radio { mac, streams, .. } = &mut self.each[at];
        let receiving = wakes && self.medium.receives_a_response(now, at);
        let transmits = self.medium.act(at, |contention| {
            let frame = if wakes {
                mac.on_wake(now, receiving, contention, streams)
            } else {
                Some(mac.on_access(now, contention))
            };
            let transmits = frame.is_some();
            (mac.wake_at(), transmits)
        });
        match transmits {
            true => self.transmit(now, at),
            false => self.settle(now, at),
        }
    }

    /// Refuses a radio the access that another one of the same interface has just had: of equals
    /// in time, the lowest is asked first, which is the most urgent.
    #[cold]
    #[inline(never)]
    fn collides_within(&mut self, now: Time, at: usize) -> bool {
        let own = self.each[at].interface;
        let mut on_air = self.ends.iter().map(|&(_, from)| self.each[from].interface);
        if !on_air.any(|interface| interface == own) {
            return false;
        }
        let Radio { mac, streams, .. } = &mut self.each[at];
        self.medium.act(at, |contention| {
            mac.on_internal_collision(now, contention, streams);
            (mac.wake_at(), ())
        });
        self.settle(now, at);
        true
    }

    /// Takes the transmission off the air that is to end first; and whose it was.
    ///
    /// # Panics
    /// When nothing is on the air.
    #[inline]
    pub fn withdraw(&mut self) -> (usize, Transmission) {
        let (_, from) = self.ends.pop().expect("a frame on the air has an end");
        (from, self.medium.withdraw(from))
    }

    /// Ends a transmission: hands the frame to those who decoded it, then lets the carrier go.
    /// Answers how it fared.
    #[inline]
    pub fn end(&mut self, now: Time, from: usize, done: &mut Transmission) -> FrameReception {
        self.taken.heard.clear();
        self.taken.duplicate = false;
        self.taken.decoded = None;
        let mut listening = Listening {
            now,
            each: &mut self.each,
            taken: &mut self.taken,
            counters: &mut self.counters,
            of_address: &self.of_address,
        };
        self.medium.end(now, from, done, &mut listening);
        let fate = if self.taken.duplicate {
            FrameReception::Duplicate
        } else if done.decoded || is_own_cts(done) {
            FrameReception::Fresh
        } else {
            FrameReception::Lost
        };
        self.count(from, done, fate);
        if done.frame.kind == FrameKind::Data && self.keeps_airtime {
            self.report_airtime(from, &done.frame);
        }
        if fate == FrameReception::Lost && awaits_answer(done.frame.kind) {
            let until = self.each[from].mac.wake_at();
            if until != Time::NEVER {
                self.vantages.on_vain_wait(until, from);
            }
        }
        fate
    }

    /// Settles with the MACs that heard `frame` what they have done with.
    #[inline]
    pub fn settle_after(&mut self, now: Time, frame: &Frame) {
        // What is for all is done with once it is sent; all else, once it is answered.
        let settles = if frame.receiver.is_broadcast() {
            frame.transmitter
        } else {
            frame.receiver
        };
        self.settle(now, self.of(settles));
        while let Some(radio) = self.taken.to_settle.pop() {
            self.settle(now, radio);
        }
    }

    /// Enters a transmission that has ended in the ledgers. `carried` says what of it is none of
    /// the application's.
    #[inline]
    pub fn enter_in_ledgers(
        &mut self,
        now: Time,
        from: usize,
        done: &Transmission,
        fate: FrameReception,
        carried: DataOverhead,
    ) {
        if let Some(ledger) = self.vantages.only() {
            return ledger.on_end(now, &done.frame, done.start, fate, carried);
        }
        let of = EndedTransmission {
            now,
            from,
            between: self.interfaces_of(&done.frame),
            done,
            fate,
            carried,
            heard: &self.taken.heard,
        };
        self.vantages.on_end(&of, self.medium.budget());
    }

    /// The interfaces between which a frame goes; to none if it is for all, or for nobody.
    fn interfaces_of(&self, frame: &Frame) -> (InterfaceId, Option<InterfaceId>) {
        let to = self.of_address.get(usize::from(frame.receiver.0));
        let to = to.filter(|&&radio| radio != Self::NO_RADIO);
        (
            self.interface_of(frame.transmitter),
            to.map(|&radio| self.each[radio.index()].interface),
        )
    }

    /// Closes the ledgers with what is on the air. `carried_of` tells of a data frame what of it is
    /// none of the application's.
    pub fn close_ledgers(&mut self, now: Time, carried_of: impl Fn(&Frame) -> DataOverhead) {
        self.vantages.close(now, &self.medium, carried_of);
    }

    /// Has a radio look at what is due of its agreements, if it has not done so since.
    pub fn look_at_agreements(&mut self, now: Time, radio: RadioId) {
        let at = radio.index();
        if self.each[at].looks_at != now {
            return;
        }
        let Radio {
            mac,
            streams,
            looks_at,
            ..
        } = &mut self.each[at];
        *looks_at = Time::NEVER;
        self.medium.change(at, |contention| {
            mac.look_at_agreements(now, contention, streams);
        });
        self.taken.hand_up(radio, &mut self.each[at]);
    }

    /// Returns what the last action frame of the radio called `from` says of an agreement.
    pub fn negotiation(&self, from: Address) -> Option<(Negotiation, Category)> {
        let mac = &self.each[self.of(from)].mac;
        let function = mac.config().edca;
        let category = function.map_or(Category::BestEffort, |own| own.category);
        mac.negotiates().map(|what| (what, category))
    }

    fn transmit(&mut self, now: Time, at: usize) {
        let frame = self.each[at].mac.frame();
        self.medium.begin(now, at, frame);
        (self.vantages).on_begin(now, at, frame.mode(), self.medium.budget());
        if self.losses.is_some() && self.gets_lost(at) {
            self.medium.damage(at);
        }
        let Radio { mac, sent, .. } = &mut self.each[at];
        let airtime = mac.frame().airtime();
        *sent += airtime;
        let ends_at = now + airtime;
        if self.ends.is_empty() {
            self.ends.push((ends_at, at));
        } else {
            let after = self.ends.partition_point(|&(other, _)| other > ends_at);
            self.ends.insert(after, (ends_at, at));
        }
    }

    /// Notes the ends of MSDUs' services.
    #[inline]
    fn settle(&mut self, now: Time, at: usize) {
        if let Some(outcome) = self.each[at].mac.poll_outcome() {
            self.finish(now, at, &outcome);
            self.settle_all(now, at);
        }
    }

    /// Notes the ends that came with another.
    fn settle_all(&mut self, now: Time, at: usize) {
        while let Some(outcome) = self.each[at].mac.poll_further_outcome() {
            self.finish(now, at, &outcome);
        }
    }

    // Out of line, so that `settle`, which mostly finds nothing, is inlined.
    #[inline(never)]
    fn finish(&mut self, now: Time, at: usize, outcome: &MsduOutcome) {
        let Radio {
            mac,
            queue,
            interface_queue,
            interface,
            service,
            ..
        } = &mut self.each[at];
        if let Some(interface_queue) = interface_queue {
            interface_queue.on_done(outcome.destination, outcome.bytes);
        }
        if let Some(service) = service {
            service.on_done(now);
        }
        if queue.pop(now) {
            self.vantages.on_satisfied(now, at);
        }
        self.finished.push(Finished {
            interface: *interface,
            radio: mac.address(),
            packet: PacketId(outcome.msdu),
            result: outcome.result,
        });
    }

    /// Tells both ends of a data frame, and their queues, what airtime it took: those of its category,
    /// where there are several.
    #[cold]
    #[inline(never)]
    fn report_airtime(&mut self, from: usize, frame: &Frame) {
        let (airtime, bytes) = (frame.airtime(), frame.psdu_bytes());
        let (sender, receiver) = self.interfaces_of(frame);
        let function = from - self.of(sender.address());
        self.each[from].report_airtime(frame.receiver, airtime, bytes);
        let Some(receiver) = receiver else {
            return;
        };
        if let Some(to) = self.functions_of(receiver).nth(function) {
            self.each[to].report_airtime(sender.address(), airtime, 0);
        }
    }

    fn count(&mut self, from: usize, done: &Transmission, fate: FrameReception) {
        if matches!(
            done.frame.kind,
            FrameKind::Ack | FrameKind::Cts | FrameKind::BlockAck
        ) {
            // It answers, without contention, and is not answered.
            return;
        }
        let Radio { mac, accesses, .. } = &mut self.each[from];
        let access = mac.access();
        accesses.count(done, access.is_some_and(|access| access.contended), fate);
    }
}

fn awaits_answer(kind: FrameKind) -> bool {
    matches!(
        kind,
        FrameKind::Data | FrameKind::Rts | FrameKind::BlockAckRequest | FrameKind::Action
    )
}

/// Returns whether a frame is a CTS to its own sender, which nobody decodes for it, and nothing
/// overlapped it.
#[inline]
fn is_own_cts(done: &Transmission) -> bool {
    done.frame.receiver == done.frame.transmitter && !done.has_collided()
}
