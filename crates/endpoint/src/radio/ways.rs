//! By which interface a machine reaches an address, and whose MAC address its frames are sent to.

use std::net::IpAddr;

use super::attributes::{Attributes, write};
use super::netlink::{Netlink, RequestExtent};

const GET_ROUTE: u16 = 26;
const GET_NEIGHBOUR: u16 = 30;
/// Bytes before the attributes of a route (`struct rtmsg`) and of a neighbour (`struct ndmsg`).
const BEFORE: usize = 12;

const DESTINATION: u16 = 1;
const INTERFACE: u16 = 4;
const GATEWAY: u16 = 5;
const LINK_ADDRESS: u16 = 2;

/// The route to a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PeerRoute {
    /// The number that the kernel has for the interface.
    pub interface: u32,
    /// The next machine on it.
    next: IpAddr,
}

impl PeerRoute {
    /// The way to an address, if there is one.
    pub fn to(address: IpAddr, kernel: &mut Netlink) -> Option<PeerRoute> {
        let (family, bytes) = bytes_of(address);
        let head = [family, bytes.len() as u8 * 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let mut way = None;
        let asked = write(&head, &[(DESTINATION, &bytes)]);
        kernel
            .ask(GET_ROUTE, RequestExtent::One, &asked, |told| {
                let told = Attributes(told.get(BEFORE..).unwrap_or_default());
                let interface = told.number(INTERFACE);
                let interface = interface.and_then(|number| u32::try_from(number).ok());
                let next = told.bytes(GATEWAY).and_then(address_of).unwrap_or(address);
                way = interface.map(|interface| PeerRoute { interface, next });
            })
            .ok()?;
        way
    }

    /// The MAC address of the next machine, once the kernel knows it.
    pub fn next_address(&self, kernel: &mut Netlink) -> Option<[u8; 6]> {
        let (family, bytes) = bytes_of(self.next);
        let mut head = [0; BEFORE];
        head[0] = family;
        head[4..8].copy_from_slice(&self.interface.to_ne_bytes());
        let mut found = None;
        let asked = write(&head, &[(DESTINATION, &bytes)]);
        kernel
            .ask(GET_NEIGHBOUR, RequestExtent::One, &asked, |told| {
                let told = Attributes(told.get(BEFORE..).unwrap_or_default());
                found = told.address(LINK_ADDRESS);
            })
            .ok()?;
        found
    }
}

/// The family of an address, and its bytes.
fn bytes_of(address: IpAddr) -> (u8, Vec<u8>) {
    match address {
        IpAddr::V4(address) => (libc::AF_INET as u8, address.octets().to_vec()),
        IpAddr::V6(address) => (libc::AF_INET6 as u8, address.octets().to_vec()),
    }
}

fn address_of(bytes: &[u8]) -> Option<IpAddr> {
    let of_four = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    of_four
        .or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from))
        .ok()
}

#[cfg(test)]
mod tests {
    use netlink_sys::protocols::NETLINK_ROUTE;

    use super::*;

    #[test]
    fn the_way_to_oneself_is_the_loopback_where_nobody_has_a_mac_address() {
        let mut kernel = Netlink::open(NETLINK_ROUTE).unwrap();
        for own in ["127.0.0.1", "::1"] {
            let own = own.parse().unwrap();
            let way = PeerRoute::to(own, &mut kernel).unwrap();
            assert_eq!((way.interface, way.next), (1, own));
            assert!(
                way.next_address(&mut kernel)
                    .is_none_or(|next| next == [0; 6])
            );
        }
    }
}
