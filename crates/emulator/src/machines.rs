//! The real nodes of an emulation: namespaces with a TAP interface for each interface of the plan.

use std::io;

use lab::{InterfacePlan, NodePlan, Plan, RealPlan};
use os::namespace::Network;
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
    pub number: u16,
    /// Its name in the node.
    pub name: String,
    /// What carries the frames.
    pub tap: Tap,
    /// Bytes of the longest frame.
    pub most_bytes: usize,
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

fn machine(node: &NodePlan, numbers: &[u16], real: &RealPlan) -> io::Result<Machine> {
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
        links::set(&links, &ways, &settings)?;
        Ok(taps)
    })?;
    let ports = (links.into_iter().zip(taps).zip(numbers))
        .map(|((link, tap), &number)| Port {
            number,
            name: link.name,
            tap,
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
fn links_of(node: &NodePlan, numbers: &[u16]) -> Vec<Link> {
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
            mac: MacAddress::of_node(u32::from(number)),
            address: (interface.address, interface.prefix_length),
            mtu: interface.mtu,
        })
        .collect()
}
