//! The radios of a plan.

use air::{Capture, LinkBudget, Medium, PowerRule, noise_floor};
use dot11::{Mac, Standard};
use net::queue;
use phy::Spectrum;
use units::{Db, Dbm, Duration, Time};

use super::emitters::{EmitterSchedule, emitters};
use super::fading::fade;
use super::interface_queue::InterfaceQueue;
use super::listening::RadioIntake;
use super::losses::LossLists;
use super::managed::ChannelTuning;
use super::moving::set_moving;
use super::{ChannelCounters, Radio, Radios, Vantages};
use crate::ids::{NodeId, RadioId};
use crate::meters::{Accesses, QueueMeter};
use crate::plan::{AirPlan, PlacedRadio, Plan};
use crate::streams::RadioStreams;

/// The noise at every receiver of a plan; `None` without radios.
pub fn noise_of(plan: &Plan) -> Option<Dbm> {
    let air = plan.air.as_ref()?;
    let placed = plan.radios();
    let mac = &placed.first()?.radio.mac;
    Some(noise_floor(air.noise_figure_db, mac.bandwidth_hz()))
}

impl Radios {
    /// The radios of a plan; `None` without any.
    pub fn new(plan: &Plan, seed: u64) -> Option<Self> {
        let air = plan.air.as_ref()?;
        let placed = plan.radios();
        let interfaces = plan.interface_numbers().concat().len();
        let mut of_address = vec![Self::NO_RADIO; interfaces + placed.len()];
        for (radio, at) in placed.iter().enumerate() {
            of_address[usize::from(at.address.0)] = RadioId::at(radio);
        }
        let transmit: Vec<_> = placed.iter().map(|at| at.radio.tx_power_dbm).collect();
        // A channel without radios has no noise that anybody hears.
        let bandwidth_hz = (placed.first()).map_or(0, |at| at.radio.mac.bandwidth_hz());
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
            .detecting_energy(air.energy_detection_dbm)
            .erring_by(air.error_model)
            .carrying(placed.iter().map(|at| at.radio.mac.rate.modulation()));
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
        let tuning = ChannelTuning::new(&mut budget, plan, &placed);
        let mut each: Vec<Radio> = (placed.iter())
            .map(|at| Radio {
                mac: mac_of(at),
                streams: RadioStreams::new(seed, &at.radio.name),
                queue: QueueMeter::default(),
                interface_queue: (at.radio.queue.as_ref())
                    .map(|queue| Box::new(InterfaceQueue::new(queue, seed, &at.radio.name, keeps))),
                service: keeps.then(Box::default),
                sent: Duration::ZERO,
                data_airtime: Duration::ZERO,
                accesses: Accesses::default(),
                node: NodeId::at(at.node),
                interface: at.interface,
                looks_at: Time::NEVER,
                takes_broadcasts: at.radio.access_point.is_some()
                    && at.address == at.interface.address(),
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
                radio.mac.note_dsss_only(at.address);
            }
        }
        treat_apart(&mut each, plan, &placed);
        let nodes: Vec<usize> = placed.iter().map(|at| at.node).collect();
        let stations = (each.iter()).map(|radio| (radio.mac.address(), radio.mac.contention()));
        let emitters = emitters(air, &placed, seed);
        let scripts = vec![EmitterSchedule::default(); emitters.len()];
        let capture = Capture::new(air.capture, air.capture_margin_db, air.detection_margin_db);
        let mut medium = Medium::new(budget, emitters, stations).capturing(capture);
        let vantages = Vantages::new(plan, &placed, &medium);
        for radio in vantages.overhearing() {
            each[radio].monitored = true;
            medium.monitor(radio);
        }
        let keeps = |radio: &Radio| radio.interface_queue.is_some() || radio.aggregates();
        let keeps_airtime = each.iter().any(keeps);
        Some(Radios {
            scripts,
            medium,
            each,
            ends: Vec::new(),
            of_address,
            has_categories: placed.iter().any(|at| !at.radio.categories.is_empty()),
            keeps_airtime,
            vantages,
            counters: ChannelCounters::default(),
            taken: RadioIntake::default(),
            tuning,
            losses: LossLists::new(&air.lose, &nodes),
            finished: Vec::new(),
        })
    }
}

/// The MAC of a radio. Where the queue in front of it says so, its driver makes aggregates ahead.
fn mac_of(at: &PlacedRadio<'_>) -> Mac {
    let mut mac = Mac::new(at.radio.mac.clone(), at.address);
    if let Some(queue::Config::Mac80211(queue)) = &at.radio.queue
        && let Some(most) = queue.aggregates
    {
        mac.make_ahead(most);
    }
    mac
}

/// Gives radios what they have for single receivers, all access functions of each alike.
fn treat_apart(each: &mut [Radio], plan: &Plan, placed: &[PlacedRadio<'_>]) {
    let numbers = plan.interface_numbers();
    for (radio, from) in each.iter_mut().zip(placed) {
        for receiver in &from.radio.receivers {
            let interface = numbers[receiver.at.node][receiver.at.interface];
            for to in placed.iter().filter(|to| to.interface == interface) {
                (radio.mac).treat_apart(to.address, &receiver.mac);
            }
            if let Some((queue, weight)) =
                radio.interface_queue.as_mut().zip(receiver.airtime_weight)
            {
                queue.set_weight(interface.address(), weight);
            }
        }
    }
}

/// Returns what is lost between channels so far apart.
pub(super) fn between_channels(spectrum: Spectrum, offset_mhz: u16, bandwidth_hz: u32) -> Db {
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
