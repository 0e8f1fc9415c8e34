//! The wireless half of a world: medium, MACs and the ledgers of airtime.

mod emitters;
mod fading;
mod line;
mod listening;
mod losses;
mod managed;
mod moving;
mod service;

use air::{Capture, LinkBudget, Medium, PowerRule, Transmission, noise_floor};
use dot11::{Address, Category, Frame, FrameKind, Gaps, Mac, Msdu, Standard};
use phy::Spectrum;
use units::{Db, Dbm, Duration, Time};

use crate::accesses::Accesses;
use crate::drops::GivenUp;
use crate::ledger::Fate;
use crate::luck::Luck;
use crate::meters::QueueMeter;
use crate::plan::{AirPlan, PlacedRadio, Plan};
use crate::vantages::{Ended, Vantages};

use emitters::{Script, emitters};
use fading::fade;
use line::Line;
use listening::{Listening, Taken};
use losses::Losses;
use managed::Tuning;
use moving::set_moving;
use service::Service;

pub use listening::Delivered;
pub use losses::LossCounts;
pub use service::ServiceTimes;

/// A packet that a MAC has done with.
#[derive(Clone, Copy, Debug)]
pub struct Finished {
    /// The interface whose MAC held it.
    pub interface: u16,
    /// The packet.
    pub packet: u32,
}

/// What became of a packet that was to enter a MAC's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
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
pub enum Due {
    /// The last bit of the frame that ends first.
    End,
    /// A countdown, response or timeout of a radio.
    Radio(u32),
}

/// One radio of a world.
#[derive(Debug)]
pub struct Radio {
    mac: Mac,
    luck: Luck,
    /// The interface queue.
    pub queue: QueueMeter,
    line: Option<Box<Line>>,
    service: Option<Box<Service>>,
    /// How long it has sent.
    pub sent: Duration,
    /// How its frames fared among those of others.
    pub accesses: Accesses,
    /// Whose it is.
    pub node: u16,
    interface: u16,
    /// Whether it hands up what is for all. That comes from an access point and is for stations, as
    /// access points take what is To DS (IEEE 802.11-2007 §7.2.2); and of a station's access
    /// functions the first one takes it in.
    takes_broadcasts: bool,
    monitored: bool,
    /// Whether it is to be told of beacons.
    seeks: bool,
}

impl Radio {
    /// Its MAC.
    pub fn mac(&self) -> &Mac {
        &self.mac
    }

    /// Packets waiting, the one in service included.
    #[cfg(test)]
    pub fn queue_len(&self) -> usize {
        self.mac.queue_len() + self.line.as_ref().map_or(0, |line| line.len())
    }

    /// What its own queue has done, if it has one. The longest sojourn is that since the last call.
    pub fn take_line_counts(&mut self) -> Option<net::queue::Counts> {
        self.line.as_mut().map(|line| line.take_counts())
    }

    /// How long packets waited for its MAC and were with it, if that is kept. Where it has a queue
    /// of its own, they wait there.
    pub fn service_times(&self) -> Option<ServiceTimes> {
        let times = self.service.as_ref()?.times();
        let own = self.line.as_ref().and_then(|line| line.sojourns());
        Some(match own {
            Some(waits) => ServiceTimes { waits, ..times },
            None => times,
        })
    }

    /// The gaps between its fragments since they were asked for last.
    pub fn take_fragment_gaps(&mut self) -> Gaps {
        self.mac.take_fragment_gaps()
    }
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
    of_address: Vec<u16>,
    /// Whether any interface has access functions of EDCA.
    has_categories: bool,
    /// The ledgers of airtime.
    pub vantages: Vantages,
    /// Counters of the channel.
    pub counters: ChannelCounters,
    /// What they have taken in.
    pub taken: Taken,
    /// The channels that radios are on, where some change them.
    tuning: Option<Box<Tuning>>,
    scripts: Vec<Script>,
    losses: Option<Box<Losses>>,
    /// Packets done with by the last event.
    pub finished: Vec<Finished>,
}

/// The noise at every receiver of a plan; `None` without radios.
pub fn noise_of(plan: &Plan) -> Option<Dbm> {
    let air = plan.air.as_ref()?;
    let placed = plan.radios();
    let phy = placed.first()?.radio.mac.phy();
    Some(noise_floor(air.noise_figure_db, phy.bandwidth_hz))
}

impl Radios {
    /// Largest number of radios: an address names one.
    const NO_RADIO: u16 = u16::MAX;

    /// The radios of a plan; `None` without any.
    pub fn new(plan: &Plan, seed: u64) -> Option<Self> {
        let air = plan.air.as_ref()?;
        let placed = plan.radios();
        let interfaces = plan.interface_numbers().concat().len();
        let mut of_address = vec![Self::NO_RADIO; interfaces + placed.len()];
        for (radio, at) in placed.iter().enumerate() {
            of_address[usize::from(at.address)] = radio as u16;
        }
        let transmit: Vec<_> = placed.iter().map(|at| at.radio.tx_power_dbm).collect();
        // A channel without radios has no noise that anybody hears.
        let bandwidth_hz = (placed.first()).map_or(0, |at| at.radio.mac.phy().bandwidth_hz);
        let keeps = plan.tables.distributions;
        let noise = noise_of(plan).unwrap_or(noise_floor(air.noise_figure_db, bandwidth_hz));
        let loss = losses_between(&placed, air, bandwidth_hz);
        let channels = placed.iter().map(|at| at.radio.frequency_mhz).collect();
        let reads_ofdm: Vec<bool> = (placed.iter())
            .map(|at| at.radio.mac.phy().has_ofdm())
            .collect();
        let mut budget = LinkBudget::new(&transmit, &loss, air.preamble_detection_dbm, noise)
            .on_channels(channels)
            .reading_ofdm(&reads_ofdm)
            .detecting_energy(air.energy_detection_dbm);
        if let Some(thresholds) = air.thresholds {
            budget.decide_by(PowerRule {
                receive: thresholds.receive_dbm.to_milliwatts(),
                capture: libm::pow(10.0, thresholds.capture_db.0 / 10.0),
            });
        }
        if let Some(motion) = &air.motion {
            set_moving(&mut budget, motion, plan, &placed, seed);
        }
        fade(&mut budget, &air.fading, &placed, seed);
        let tuning = Tuning::new(&mut budget, plan, &placed);
        let mut each: Vec<Radio> = (placed.iter())
            .map(|at| Radio {
                mac: Mac::new(at.radio.mac.clone(), Address(at.address)),
                luck: Luck::new(seed, &at.radio.name),
                queue: QueueMeter::default(),
                line: (at.radio.queue.as_ref())
                    .map(|queue| Box::new(Line::new(queue, seed, &at.radio.name, keeps))),
                service: keeps.then(Box::default),
                sent: Duration::ZERO,
                accesses: Accesses::default(),
                node: at.node as u16,
                interface: at.interface,
                takes_broadcasts: at.radio.access_point.is_some() && at.address == at.interface,
                monitored: false,
                seeks: plan.manages(at),
            })
            .collect();
        for at in &placed {
            let Some(ap) = at
                .radio
                .access_point
                .filter(|_| at.radio.mac.standard == Standard::Dot11b)
            else {
                continue;
            };
            let ap = plan.interface_numbers()[ap.node][ap.interface];
            for radio in each.iter_mut().filter(|radio| radio.interface == ap) {
                radio.mac.note_dsss_only(Address(at.address));
            }
        }
        treat_apart(&mut each, plan, &placed);
        let nodes: Vec<usize> = placed.iter().map(|at| at.node).collect();
        let stations = (each.iter()).map(|radio| (radio.mac.address(), radio.mac.contention()));
        let emitters = emitters(air, &placed, seed);
        let scripts = vec![Script::default(); emitters.len()];
        let capture = Capture::new(air.capture, air.capture_margin_db, air.detection_margin_db);
        let mut medium = Medium::new(budget, emitters, stations).capturing(capture);
        let vantages = Vantages::new(plan, &placed, &medium);
        for radio in vantages.overhearing() {
            each[radio].monitored = true;
            medium.monitor(radio);
        }
        Some(Radios {
            scripts,
            medium,
            each,
            ends: Vec::new(),
            of_address,
            has_categories: placed.iter().any(|at| at.radio.mac.edca.is_some()),
            vantages,
            counters: ChannelCounters::default(),
            taken: Taken::default(),
            tuning,
            losses: Losses::new(&air.lose, &nodes),
            finished: Vec::new(),
        })
    }

    /// What is due next, and when.
    ///
    /// What ends at an instant ends before what begins there: a frame's last bit comes
    /// before the access of a station whose countdown is over. Of several radios the
    /// lowest comes first.
    #[inline]
    pub fn next(&mut self) -> (Time, Due) {
        let (at, radio) = self.medium.next_act();
        match self.ends[..] {
            [.., (ends_at, _)] if ends_at <= at => (ends_at, Due::End),
            _ => (at, Due::Radio(radio as u32)),
        }
    }

    #[inline]
    fn of(&self, address: u16) -> usize {
        usize::from(self.of_address[usize::from(address)])
    }

    /// The interface that a radio called `address` is behind.
    pub fn interface_of(&self, address: Address) -> u16 {
        self.each[self.of(address.0)].interface
    }

    /// A frame as its bytes name who sends it and whom it is for: a station's access functions have
    /// one address.
    pub fn between_interfaces(&self, frame: &Frame) -> Frame {
        let of = |address: Address| Address(self.interface_of(address));
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

    /// Whether a radio called `address` contends for a category.
    pub fn has_category(&self, address: Address) -> bool {
        self.each[self.of(address.0)].mac.config().edca.is_some()
    }

    /// The MAC of every radio.
    pub fn macs(&self) -> impl Iterator<Item = &Mac> {
        self.each.iter().map(|radio| &radio.mac)
    }

    /// The nodes with a radio.
    pub fn nodes(&self) -> impl Iterator<Item = u16> {
        self.each.iter().map(|radio| radio.node)
    }

    /// Packets that the MACs of an interface have given up so far.
    pub fn given_up(&self, interface: u16) -> u64 {
        let from = self.each[self.of(interface)..].iter();
        let own = from.take_while(|radio| radio.interface == interface);
        own.map(|radio| radio.mac.counters().given_up()).sum()
    }

    /// The same by cause.
    pub fn given_up_by_cause(&self, interface: u16) -> GivenUp {
        let mut counts = GivenUp::default();
        let from = self.each[self.of(interface)..].iter();
        for radio in from.take_while(|radio| radio.interface == interface) {
            let own = radio.mac.counters();
            counts[0] += own.short_retry_drops;
            counts[1] += own.long_retry_drops;
            counts[2] += own.lifetime_drops;
        }
        counts
    }

    /// What the radio of an interface is called that contends for packets of this category.
    pub fn function_of(&self, interface: u16, category: Category) -> u16 {
        let at = self.of(interface) + category as usize;
        self.each[at].mac.address().0
    }

    /// Packets waiting in a radio's queue or being sent.
    #[inline]
    pub fn backlog(&self, radio: u16) -> u32 {
        self.each[self.of(radio)].queue.length
    }

    /// How many packets that may be, if it is limited by their number alone.
    #[inline]
    pub fn queue_limit(&self, radio: u16) -> u32 {
        let radio = &self.each[self.of(radio)];
        match radio.line {
            None => radio.mac.queue_limit(),
            Some(_) => u32::MAX,
        }
    }

    /// Hands a packet to the MAC of a radio, for `to`.
    // In line by order: a radio without categories has its packets from one place.
    #[inline(always)]
    pub fn enqueue(
        &mut self,
        now: Time,
        radio: u16,
        to: Address,
        packet: u32,
        ip_bytes: u16,
    ) -> Entry {
        let at = self.of(radio);
        let Radio {
            mac,
            luck,
            queue,
            line,
            service,
            ..
        } = &mut self.each[at];
        if line.as_mut().is_some_and(|line| !line.is_called(packet)) {
            return Entry::Elsewhere;
        }
        let msdu = Msdu::data(packet, to, ip_bytes + dot11::LLC_SNAP_BYTES);
        let enqueue = |contention: &mut _| mac.enqueue(now, msdu, contention, luck);
        if self.medium.change(at, enqueue).is_err() {
            return Entry::Refused;
        }
        if let Some(service) = service {
            service.on_entry(now);
        }
        if line.is_none() && queue.push(now) {
            self.vantages.on_wanted(now, at);
        }
        Entry::Taken
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
    pub fn beacon(&mut self, now: Time, interface: u16, body_bytes: u16) {
        let at = self.of(interface);
        let Radio { mac, luck, .. } = &mut self.each[at];
        self.medium.change(at, |contention| {
            mac.send_beacon(now, body_bytes, contention, luck);
        });
    }

    /// Notes in [`Self::heard`] every frame that `interface` decodes, whoever it is for.
    pub fn monitor(&mut self, interface: u16) {
        let at = self.of(interface);
        self.each[at].monitored = true;
        self.medium.monitor(at);
    }

    /// The node of a radio.
    pub fn node_of(&self, radio: Address) -> u16 {
        self.each[self.of(radio.0)].node
    }

    /// The power with which `interface` received the last frame of the radio called `from`.
    pub fn signal(&mut self, from: Address, interface: u16) -> Dbm {
        let [from, to] = [from.0, interface].map(|address| self.of(address));
        self.medium.power(from, to).to_dbm()
    }

    /// Lets a radio act that is due.
    pub fn ring(&mut self, now: Time, radio: u32) {
        let at = radio as usize;
        let wakes = self.each[at].mac.wake_at() <= now;
        if self.has_categories && !wakes && self.collides_within(now, at) {
            return;
        }
        let Radio { mac, luck, .. } = &mut self.each[at];
        let receiving = wakes && self.medium.receives_a_response(now, at);
        let transmits = self.medium.act(at, |contention| {
            let frame = if wakes {
                mac.on_wake(now, receiving, contention, luck)
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
        let Radio { mac, luck, .. } = &mut self.each[at];
        self.medium.act(at, |contention| {
            mac.on_internal_collision(now, contention, luck);
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
    pub fn end(&mut self, now: Time, from: usize, done: &mut Transmission) -> Fate {
        self.taken.heard.clear();
        self.taken.duplicate = false;
        let mut listening = Listening {
            now,
            each: &mut self.each,
            taken: &mut self.taken,
            counters: &mut self.counters,
        };
        self.medium.end(now, from, done, &mut listening);
        let fate = if self.taken.duplicate {
            Fate::Duplicate
        } else if done.decoded || is_own_cts(done) {
            Fate::Fresh
        } else {
            Fate::Lost
        };
        self.count(from, done, fate);
        if fate == Fate::Lost && matches!(done.frame.kind, FrameKind::Data | FrameKind::Rts) {
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
        self.settle(now, self.of(settles.0));
        while let Some(radio) = self.taken.to_settle.pop() {
            self.settle(now, radio);
        }
    }

    /// Enters a transmission that has ended in the ledgers. `headers` bytes of its body precede
    /// the application's.
    #[inline]
    pub fn enter_in_ledgers(
        &mut self,
        now: Time,
        from: usize,
        done: &Transmission,
        fate: Fate,
        headers: u16,
    ) {
        if let Some(ledger) = self.vantages.only() {
            return ledger.on_end(now, &done.frame, done.start, fate, headers);
        }
        let of = Ended {
            now,
            from,
            between: self.interfaces_of(&done.frame),
            done,
            fate,
            headers,
            heard: &self.taken.heard,
        };
        self.vantages.on_end(&of, self.medium.budget());
    }

    /// The interfaces between which a frame goes; to none if it is for all, or for nobody.
    fn interfaces_of(&self, frame: &Frame) -> (u16, Option<u16>) {
        let to = self.of_address.get(usize::from(frame.receiver.0));
        let to = to.filter(|&&radio| radio != Self::NO_RADIO);
        (
            self.interface_of(frame.transmitter),
            to.map(|&radio| self.each[usize::from(radio)].interface),
        )
    }

    /// Closes the ledgers with what is on the air. `headers_of` tells of a data frame how many
    /// bytes of its body precede the application's.
    pub fn close_ledgers(&mut self, now: Time, headers_of: impl Fn(&Frame) -> u16) {
        self.vantages.close(now, &self.medium, headers_of);
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

    /// Notes the end of an MSDU's service, of which a call to a MAC brings one at most.
    #[inline]
    fn settle(&mut self, now: Time, at: usize) {
        if let Some(outcome) = self.each[at].mac.poll_outcome() {
            self.finish(now, at, outcome.msdu);
        }
    }

    // Out of line, so that `settle`, which mostly finds nothing, is inlined.
    #[inline(never)]
    fn finish(&mut self, now: Time, at: usize, packet: u32) {
        let Radio {
            queue,
            interface,
            service,
            ..
        } = &mut self.each[at];
        if let Some(service) = service {
            service.on_done(now);
        }
        if queue.pop(now) {
            self.vantages.on_satisfied(now, at);
        }
        self.finished.push(Finished {
            interface: *interface,
            packet,
        });
    }

    fn count(&mut self, from: usize, done: &Transmission, fate: Fate) {
        if matches!(done.frame.kind, FrameKind::Ack | FrameKind::Cts) {
            // It answers, without contention, and is not answered.
            return;
        }
        let Radio { mac, accesses, .. } = &mut self.each[from];
        let access = mac.access();
        accesses.count(done, access.is_some_and(|access| access.contended), fate);
    }
}

/// Whether a frame is a CTS to its own sender, which nobody decodes for it, and nothing overlapped
/// it.
#[inline]
fn is_own_cts(done: &Transmission) -> bool {
    done.frame.receiver == done.frame.transmitter && !done.has_collided()
}

/// Gives radios what they have for single receivers, all access functions of each alike.
fn treat_apart(each: &mut [Radio], plan: &Plan, placed: &[PlacedRadio<'_>]) {
    let numbers = plan.interface_numbers();
    for (radio, from) in each.iter_mut().zip(placed) {
        for receiver in &from.radio.receivers {
            let interface = numbers[receiver.at.node][receiver.at.interface];
            for to in placed.iter().filter(|to| to.interface == interface) {
                (radio.mac).treat_apart(Address(to.address), &receiver.mac);
            }
        }
    }
}

/// What is lost between channels so far apart.
fn between_channels(spectrum: Spectrum, offset_mhz: u16, bandwidth_hz: u32) -> Db {
    /// So much that nothing is heard, and a number all the same: a radio that is tuned back has its
    /// powers back by it.
    const ALL: Db = Db(300.0);
    match offset_mhz {
        0 => Db(0.0),
        _ => spectrum.loss(offset_mhz, bandwidth_hz).unwrap_or(ALL),
    }
}

/// The loss from each radio (row) to each, of path and between channels.
fn losses_between(placed: &[PlacedRadio<'_>], air: &AirPlan, bandwidth_hz: u32) -> Vec<Vec<Db>> {
    let loss = |from: &PlacedRadio<'_>, to: &PlacedRadio<'_>| {
        let path = air.loss_db[from.node][to.node];
        let offset_mhz = from.radio.frequency_mhz.abs_diff(to.radio.frequency_mhz);
        // A radio's frames are taken to have the spectrum of its data frames.
        let spectrum = from.radio.mac.rate.modulation().spectrum();
        Db(path.0 + between_channels(spectrum, offset_mhz, bandwidth_hz).0)
    };
    let row = |from| placed.iter().map(|to| loss(from, to)).collect();
    placed.iter().map(row).collect()
}
