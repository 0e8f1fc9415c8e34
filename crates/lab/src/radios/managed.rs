//! What stations that look for their access points need of radios: frames of their own, queues
//! emptied, other channels.

use air::LinkBudget;
use dot11::{Address, Msdu};
use phy::Spectrum;
use units::Time;

use super::building::between_channels;
use super::{Radio, Radios};
use crate::ids::{InterfaceId, PacketId};
use crate::plan::{PlacedRadio, Plan};

/// The channels that radios are on, and how each fills one.
#[derive(Debug)]
pub struct ChannelTuning {
    /// By radio, in MHz.
    frequencies: Vec<u16>,
    spectra: Vec<Spectrum>,
    bandwidth_hz: u32,
}

impl ChannelTuning {
    /// That of a plan's radios; none where nobody changes his channel.
    pub(super) fn new(
        budget: &mut LinkBudget,
        plan: &Plan,
        placed: &[PlacedRadio<'_>],
    ) -> Option<Box<ChannelTuning>> {
        let frequencies: Vec<u16> = placed.iter().map(|at| at.radio.frequency_mhz).collect();
        let seeking = (0..).zip(placed).filter(|(_, at)| plan.manages(at));
        let seeking: Vec<usize> = seeking.map(|(radio, _)| radio).collect();
        for &radio in &seeking {
            budget.make_tunable(radio, &frequencies);
        }
        let spectrum = |at: &PlacedRadio<'_>| at.radio.mac.rate.modulation().spectrum();
        (!seeking.is_empty()).then(|| {
            Box::new(ChannelTuning {
                frequencies,
                spectra: placed.iter().map(spectrum).collect(),
                bandwidth_hz: placed[0].radio.mac.phy().bandwidth_hz,
            })
        })
    }

    /// Returns what a signal between two radios gains when one of them is tuned.
    fn gain(&self, from: usize, to: usize, tuned: usize, frequency_mhz: u16) -> f64 {
        let other = self.frequencies[if from == tuned { to } else { from }];
        let loss = |own: u16| {
            between_channels(self.spectra[from], other.abs_diff(own), self.bandwidth_hz).0
        };
        let gain_db = loss(self.frequencies[tuned]) - loss(frequency_mhz);
        libm::pow(10.0, gain_db / 10.0)
    }
}

impl Radios {
    /// The channel of the radio called `address`, in MHz, where some change it.
    pub fn tuned_to(&self, address: Address) -> Option<u16> {
        let tuning = self.tuning.as_ref()?;
        Some(tuning.frequencies[self.of(address)])
    }

    /// Has the radio of an interface be on another channel, unless it is in the middle of an
    /// exchange; answers whether it is.
    pub fn tune(&mut self, interface: InterfaceId, frequency_mhz: u16) -> bool {
        let functions = self.functions_of(interface);
        if functions.clone().any(|at| self.each[at].mac.is_engaged()) {
            return false;
        }
        for at in functions {
            let Some(tuning) = &mut self.tuning else {
                return true;
            };
            let gain = |from, to| tuning.gain(from, to, at, frequency_mhz);
            self.medium.tune(at, frequency_mhz, gain);
            tuning.frequencies[at] = frequency_mhz;
        }
        true
    }

    /// Hands the MAC of an interface a management frame with a body of so many bytes.
    pub fn send_management(&mut self, now: Time, interface: InterfaceId, mmpdu: Msdu) {
        let at = self.of(interface.address());
        let Radio {
            mac,
            streams,
            service,
            ..
        } = &mut self.each[at];
        let place = self.medium.change(at, |contention| {
            mac.enqueue_management(now, mmpdu, contention, streams)
        });
        if let Some(service) = service {
            service.on_entry_behind(now, place);
        }
        self.enter(now, at);
    }

    /// Takes the data for a receiver out of the MACs of an interface, but for what they are about
    /// to send.
    pub fn flush(&mut self, now: Time, interface: InterfaceId, to: Address) -> Vec<PacketId> {
        let mut packets = Vec::new();
        for at in self.functions_of(interface) {
            let Radio { mac, service, .. } = &mut self.each[at];
            let flushed = self
                .medium
                .change(at, |contention| mac.flush(to, contention));
            if let Some(service) = service {
                let last_first = flushed.iter().rev();
                last_first.for_each(|&(place, _)| service.on_flush(place));
            }
            self.leave(now, at, flushed.len());
            if let Some(queue) = &mut self.each[at].interface_queue {
                (flushed.iter()).for_each(|(_, msdu)| queue.on_done(msdu.destination, msdu.bytes));
            }
            packets.extend(flushed.iter().map(|(_, msdu)| PacketId(msdu.id)));
        }
        packets
    }

    /// Management frames that an interface has sent.
    pub fn management_sent(&self, interface: InterfaceId) -> u64 {
        let counters = |at: usize| self.each[at].mac.counters();
        let functions = self.functions_of(interface);
        functions.map(|at| counters(at).management_attempts).sum()
    }

    /// Returns what the radios of an interface are called: one, or its access functions.
    pub fn radios_of(&self, interface: InterfaceId) -> Vec<Address> {
        let radios = &self.each[self.functions_of(interface)];
        radios.iter().map(|radio| radio.mac.address()).collect()
    }

    /// The radios of an interface: one, or its access functions.
    pub(super) fn functions_of(&self, interface: InterfaceId) -> std::ops::Range<usize> {
        let first = self.of(interface.address());
        let own = |radio: &&Radio| radio.interface == interface;
        first..first + self.each[first..].iter().take_while(own).count()
    }
}
