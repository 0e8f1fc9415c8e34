//! Where link addresses were heard, as long as that is remembered.

use std::collections::BTreeMap;

use units::{Duration, MacAddress, Time};

/// Time that a station that is not heard is remembered (IEEE 802.1D-2004 Table 7-5, recommended
/// default).
pub(crate) const AGEING: Duration = Duration::from_secs(300);

/// Where an address was heard, until when that holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddressEntry {
    pub port: u16,
    pub until: Time,
}

/// Addresses that may be anybody's, each with where it was heard last.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    entries: BTreeMap<MacAddress, AddressEntry>,
    /// Number from which on those that have aged are looked for.
    sweep_at: usize,
}

impl Addresses {
    /// Notes that an address was heard at a port now.
    ///
    /// Addresses may be made up, each used once: those that have aged are forgotten whenever their
    /// number has doubled.
    pub fn learn(&mut self, now: Time, address: MacAddress, port: u16) {
        const FEW: usize = 1024;
        let until = now + AGEING;
        self.entries.insert(address, AddressEntry { port, until });
        if self.entries.len() > self.sweep_at.max(FEW) {
            self.entries.retain(|_, entry| now < entry.until);
            self.sweep_at = 2 * self.entries.len();
        }
    }

    /// Where an address was heard, if that still holds.
    pub fn port_of(&self, now: Time, address: MacAddress) -> Option<u16> {
        let entry = self.entry(address).filter(|entry| now < entry.until);
        entry.map(|entry| entry.port)
    }

    /// The addresses that were heard at a port.
    pub fn at(&self, port: u16) -> impl Iterator<Item = MacAddress> {
        let there = self
            .entries
            .iter()
            .filter(move |(_, entry)| entry.port == port);
        there.map(|(&address, _)| address)
    }

    /// Forgets an address.
    pub fn forget(&mut self, address: MacAddress) {
        self.entries.remove(&address);
    }

    pub(crate) fn entry(&self, address: MacAddress) -> Option<&AddressEntry> {
        self.entries.get(&address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_are_made_up_do_not_fill_the_memory() {
        let mut addresses = Addresses::default();
        for number in 0..100_000_u32 {
            let [a, b, c, d] = number.to_be_bytes();
            let made_up = MacAddress([0x00, 0x60, a, b, c, d]);
            let now = Time::ZERO + Duration::from_secs(number.into());
            addresses.learn(now, made_up, 0);
        }
        let count = addresses.entries.len();
        assert!(count <= 1025, "{count}");
    }
}
