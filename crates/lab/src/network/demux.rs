//! Which socket of a machine a packet is for.

use std::net::Ipv4Addr;

use crate::ids::PortNumber;

/// A table from keys to numbers: open addressing with linear probing, at most half full.
///
/// It is asked once for every packet that arrives, and a machine has few entries.
#[derive(Clone, Debug, Default)]
pub struct Demux {
    slots: Vec<Option<(u64, u32)>>,
    used: usize,
}

/// Returns what names a connection: the peer's address and the ports.
#[inline]
pub fn key(peer: Ipv4Addr, remote_port: PortNumber, local_port: PortNumber) -> u64 {
    address_key(peer) | u64::from(remote_port.0) << 16 | port_key(local_port)
}

/// Returns what names a socket that takes any peer: its own port.
#[inline]
pub fn port_key(port: PortNumber) -> u64 {
    u64::from(port.0)
}

/// Returns what names an interface: its address.
#[inline]
pub fn address_key(address: Ipv4Addr) -> u64 {
    u64::from(u32::from(address)) << 32
}

impl Demux {
    /// The number entered for a key.
    #[inline]
    pub fn get(&self, key: u64) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mut at = self.home(key);
        loop {
            match self.slots[at] {
                Some((other, number)) if other == key => return Some(number),
                Some(_) => at = self.after(at),
                None => return None,
            }
        }
    }

    /// Enters a number for a key that has none.
    pub fn insert(&mut self, key: u64, number: u32) {
        if 2 * (self.used + 1) > self.slots.len() {
            self.grow();
        }
        let mut at = self.home(key);
        while self.slots[at].is_some() {
            at = self.after(at);
        }
        self.slots[at] = Some((key, number));
        self.used += 1;
    }

    /// Takes a key out; whatever stood behind it is entered anew.
    pub fn remove(&mut self, key: u64) {
        if self.get(key).is_none() {
            return;
        }
        let mut at = self.home(key);
        while self.slots[at].is_some_and(|(other, _)| other != key) {
            at = self.after(at);
        }
        self.slots[at] = None;
        self.used -= 1;
        at = self.after(at);
        while let Some((key, number)) = self.slots[at].take() {
            self.used -= 1;
            self.insert(key, number);
            at = self.after(at);
        }
    }

    fn grow(&mut self) {
        let larger = vec![None; (2 * self.slots.len()).max(8)];
        let before = std::mem::replace(&mut self.slots, larger);
        self.used = 0;
        for (key, number) in before.into_iter().flatten() {
            self.insert(key, number);
        }
    }

    /// Fibonacci hashing (Knuth, TAOCP 3, 6.4): the golden ratio spreads neighbouring keys.
    #[inline]
    fn home(&self, key: u64) -> usize {
        (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        (at + 1) & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    const PEER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
    const STRANGER: Ipv4Addr = Ipv4Addr::new(0, 0, 0, 1);

    proptest! {
        #[test]
        fn it_is_a_map(steps in prop::collection::vec((0u16..40, any::<bool>()), 0..400)) {
            let (mut demux, mut map) = (Demux::default(), BTreeMap::new());
            for (step, (port, insert)) in steps.into_iter().enumerate() {
                let key = key(PEER, PortNumber(port), PortNumber(5001));
                if insert && !map.contains_key(&key) {
                    demux.insert(key, step as u32);
                    map.insert(key, step as u32);
                } else {
                    demux.remove(key);
                    map.remove(&key);
                }
                for (&key, &number) in &map {
                    prop_assert_eq!(demux.get(key), Some(number));
                }
                prop_assert_eq!(demux.get(super::key(STRANGER, PortNumber(port), PortNumber(5001))), None);
            }
        }
    }
}
