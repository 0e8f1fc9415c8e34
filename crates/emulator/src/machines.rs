//! The real nodes of an emulation: namespaces with a TAP interface for each interface of the plan.

use std::cell::RefCell;
use std::io;

use lab::{InterfaceId, InterfacePlan, NodePlan, Plan, RealPlan};
use os::namespace::Network;
use os::stamps::Stamps;
use os::tap::Tap;
use units::MacAddress;

use crate::links::{self, Link, Settings, Way};

/// A real node.
#[derive(Debug)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// The network that its programs are in.
    pub network: Network,
    /// Its interfaces.
    pub ports: Vec<Port>,
}

/// Where frames of a real node come out and go in.
#[derive(Debug)]
pub struct Port {
    /// The number of the interface in the world.
    pub number: InterfaceId,
    /// Its name in the node.
    pub name: String,
    /// What carries the frames.
    pub tap: Tap,
    /// When its frames were sent, where the system tells.
    pub stamps: Option<RefCell<Stamps>>,
    /// Bytes of the longest frame.
    pub most_bytes: usize,
}

impl Machine {
    /// Frames that the kernel dropped in front of each interface, because it was not read soon
    /// enough.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn lost(&self) -> io::Result<Vec<u64>> {
        let table = (self.network).within(|| std::fs::read_to_string("/proc/thread-self/net/dev"));
        let table = table?;
        let lost = |port: &Port| dropped(&table, &port.name).unwrap_or(0);
        Ok(self.ports.iter().map(lost).collect())
    }
}

/// What an interface dropped of what it was to send, by the table of a network's interfaces
/// (/proc/net/dev: eight columns of what was received, then bytes, packets, errors, drops).
fn dropped(table: &str, name: &str) -> Option<u64> {
    let line = table.lines().find_map(|line| {
        let (head, rest) = line.split_once(':')?;
        (head.trim() == name).then_some(rest)
    })?;
    line.split_whitespace().nth(11)?.parse().ok()
}

/// Bytes of an Ethernet header with one VLAN tag.
const HEADER: usize = 18;

/// Makes the real nodes of a plan.
///
/// # Errors
/// When the system refuses something; the node is named.
pub fn make(plan: &Plan) -> io::Result<Vec<Machine>> {
    let numbers = plan.interface_numbers();
    let real = plan.emulation.iter().flat_map(|emulation| &emulation.real);
    real.map(|real| {
        let node = &plan.nodes[real.node];
        let made = machine(node, &numbers[real.node], real);
        made.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", node.name)))
    })
    .collect()
}

fn machine(node: &NodePlan, numbers: &[InterfaceId], real: &RealPlan) -> io::Result<Machine> {
    let network = Network::new()?;
    let links = links_of(node, numbers);
    let ways: Vec<Way> = (node.routes.iter())
        .map(|route| Way {
            to: (route.to, route.prefix_length),
            gateway: route.gateway,
        })
        .collect();
    let settings = Settings {
        congestion_control: real.congestion_control.clone(),
        forwards: real.forwards,
    };
    let taps = network.within(|| {
        let taps = links.iter().map(|link| Tap::new(&link.name));
        let taps = taps.collect::<io::Result<Vec<Tap>>>()?;
        // Before the interfaces are up: the first frame has a stamp, too.
        let stamps = links.iter().map(|link| {
            let index = os::namespace::interface_index(&link.name)?;
            Ok(Stamps::of(index).ok().map(RefCell::new))
        });
        let stamps = stamps.collect::<io::Result<Vec<_>>>()?;
        links::set(&links, &ways, &settings)?;
        Ok(taps.into_iter().zip(stamps).collect::<Vec<_>>())
    })?;
    let ports = (links.into_iter().zip(taps).zip(numbers))
        .map(|((link, (tap, stamps)), &number)| Port {
            number,
            name: link.name,
            tap,
            stamps,
            most_bytes: usize::from(link.mtu) + HEADER,
        })
        .collect();
    Ok(Machine {
        name: node.name.clone(),
        network,
        ports,
    })
}

/// The interfaces of a node by the names that Linux gives such: wlan0 by radio, eth0 by wire.
fn links_of(node: &NodePlan, numbers: &[InterfaceId]) -> Vec<Link> {
    let (mut radios, mut wires) = (0.., 0..);
    let mut name_of = |interface: &InterfacePlan| {
        let (kind, count) = match interface.radio {
            Some(_) => ("wlan", &mut radios),
            None => ("eth", &mut wires),
        };
        format!("{kind}{}", count.next().expect("there is no end of them"))
    };
    (node.interfaces.iter().zip(numbers))
        .map(|(interface, &number)| Link {
            name: name_of(interface),
            mac: MacAddress::of_node(u32::from(number.0)),
            address: (interface.address, interface.prefix_length),
            mtu: interface.mtu,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_sent_stands_in_the_fourth_column_behind_what_was_received() {
        let table = "Inter-|   Receive\n face |bytes\n  \
            lo: 1 2 0 0 0 0 0 0 5 6 0 0 0 0 0 0\n wlan0: 9 9 0 0 0 0 0 0 9 9 0 42 0 0 0 0\n";
        assert_eq!(dropped(table, "wlan0"), Some(42));
        assert_eq!(dropped(table, "eth0"), None);
    }
}
