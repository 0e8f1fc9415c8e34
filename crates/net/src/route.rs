//! Routes: over which interface and to which neighbour a packet goes next.

use std::net::Ipv4Addr;

use crate::Prefix;

/// A way to some addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The addresses.
    pub to: Prefix,
    /// The interface of the node that has the route.
    pub interface: u16,
    /// The neighbour that forwards the packets; absent where the addresses are neighbours.
    pub gateway: Option<Ipv4Addr>,
}

/// The next step of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// The interface it leaves through.
    pub interface: u16,
    /// The neighbour it goes to, whose link address is to be resolved.
    pub neighbour: Ipv4Addr,
}

/// The routes of a node, which may change at any time.
#[derive(Clone, Debug, Default)]
pub struct Routes {
    /// The longest prefixes first: the first that contains an address is its longest match. A
    /// node has one to three routes, so nothing is faster than going through them.
    routes: Vec<Route>,
}

impl Routes {
    /// Adds a route; gives the one to the same addresses that it replaces.
    pub fn add(&mut self, route: Route) -> Option<Route> {
        let replaced = self.remove(route.to);
        let length = route.to.length();
        let longer = |other: &Route| other.to.length() >= length;
        self.routes
            .insert(self.routes.partition_point(longer), route);
        replaced
    }

    /// Removes the route to exactly these addresses.
    pub fn remove(&mut self, to: Prefix) -> Option<Route> {
        let index = self.routes.iter().position(|route| route.to == to)?;
        Some(self.routes.remove(index))
    }

    /// The next step to `destination`, by the longest prefix that contains it (RFC 1812
    /// §5.2.4.3); none where no route leads there.
    #[inline]
    pub fn next_hop(&self, destination: Ipv4Addr) -> Option<Hop> {
        let leads_there = |route: &&Route| route.to.contains(destination);
        let route = self.routes.iter().find(leads_there)?;
        Some(Hop {
            interface: route.interface,
            neighbour: route.gateway.unwrap_or(destination),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GATEWAY: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);

    fn lan() -> Route {
        Route {
            to: Prefix::new(Ipv4Addr::new(10, 0, 0, 0), 24),
            interface: 0,
            gateway: None,
        }
    }

    fn elsewhere() -> Route {
        Route {
            to: Prefix::ALL,
            interface: 0,
            gateway: Some(GATEWAY),
        }
    }

    #[test]
    fn a_neighbour_is_reached_directly_and_all_others_through_the_gateway() {
        let mut routes = Routes::default();
        routes.add(elsewhere());
        routes.add(lan());
        let neighbour = |destination| routes.next_hop(destination).map(|hop| hop.neighbour);
        let near = Ipv4Addr::new(10, 0, 0, 7);
        assert_eq!(neighbour(near), Some(near));
        assert_eq!(neighbour(Ipv4Addr::new(192, 0, 2, 1)), Some(GATEWAY));
    }

    #[test]
    fn a_host_that_has_moved_gets_a_route_of_its_own_and_loses_it_when_it_comes_home() {
        let mut routes = Routes::default();
        routes.add(lan());
        let mobile = Ipv4Addr::new(10, 0, 0, 9);
        let tunnel = Route {
            to: Prefix::new(mobile, 32),
            interface: 3,
            gateway: None,
        };
        assert_eq!(routes.add(tunnel), None);
        assert_eq!(routes.next_hop(mobile).unwrap().interface, 3);
        assert_eq!(routes.remove(tunnel.to), Some(tunnel));
        assert_eq!(routes.next_hop(mobile).unwrap().interface, 0);
    }

    #[test]
    fn a_route_replaces_the_one_to_the_same_addresses() {
        let mut routes = Routes::default();
        assert_eq!(routes.next_hop(GATEWAY), None, "there is no route yet");
        routes.add(elsewhere());
        let other = Route {
            interface: 1,
            ..elsewhere()
        };
        assert_eq!(routes.add(other), Some(elsewhere()));
        assert_eq!(routes.next_hop(GATEWAY).unwrap().interface, 1);
    }
}
