//! The real nodes of an emulation: namespaces with a TAP interface for each interface of the plan,
//! or whatever is behind an interface of this machine.

use std::cell::RefCell;
use std::io;

use lab::{InterfaceId, InterfacePlan, NodePlan, NodeRole, Plan, RealPlan};
use os::interface::InterfaceSocket;
use os::namespace::NetworkNamespace;
use os::stamps::TransmitStamps;
use os::tap::TapInterface;
use units::MacAddress;

use crate::device::Device;
use crate::failure::EmulationFailure;
use crate::links::{self, KernelLink, KernelRoute, KernelSettings};

/// A real node.
#[derive(Debug)]
pub struct RealNode {
    /// Its name.
    pub name: String,
    /// The network that its programs are in; none where it is behind an interface of this machine.
    pub network: Option<NetworkNamespace>,
    /// Its interfaces.
    pub ports: Vec<EmulatedPort>,
}

/// Where frames of a real node come out and go in.
#[derive(Debug)]
pub struct EmulatedPort {
    /// The number of the interface in the world.
    pub number: InterfaceId,
    /// Its name in the node.
    pub name: String,
    /// Device that carries the frames.
    pub device: Device,
    /// Bytes of the longest frame.
    pub most_bytes: usize,
}

impl RealNode {
    /// Frames that the kernel dropped in front of each interface, because it was not read soon
    /// enough.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn lost(&self) -> io::Result<Vec<u64>> {
        let table = match &self.network {
            Some(network) => network.within(|| std::fs::read_to_string(TABLE))?,
            None => String::new(),
        };
        let lost = |port: &EmulatedPort| match &port.device {
            Device::Tap { .. } => Ok(dropped(&table, &port.name).unwrap_or(0)),
            Device::Interface(interface) => interface.lost(),
        };
        self.ports.iter().map(lost).collect()
    }
}

/// The table of the interfaces of the network that a thread is in.
const TABLE: &str = "/proc/thread-self/net/dev";

/// Returns what an interface dropped of what it was to send, by the table of a network's interfaces
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
/// When the system refuses something, or an interface does not serve; the node is named.
pub fn make(plan: &Plan) -> Result<Vec<RealNode>, EmulationFailure> {
    let numbers = plan.interface_numbers();
    let real = plan.emulation.iter().flat_map(|emulation| &emulation.real);
    real.map(|real| {
        let node = &plan.nodes[real.node];
        let made = machine(node, &numbers[real.node], real);
        made.map_err(|failure| failure.of(&node.name))
    })
    .collect()
}

fn machine(
    node: &NodePlan,
    numbers: &[InterfaceId],
    real: &RealPlan,
) -> Result<RealNode, EmulationFailure> {
    if let Some(name) = &real.interface {
        return behind(name, node, numbers);
    }
    let network = NetworkNamespace::new()?;
    let links = links_of(node, numbers);
    let ways: Vec<KernelRoute> = (node.routes.iter())
        .map(|route| KernelRoute {
            to: (route.to, route.prefix_length),
            gateway: route.gateway,
        })
        .collect();
    let settings = KernelSettings {
        congestion_control: real.congestion_control.clone(),
        forwards: real.forwards,
    };
    let taps = network.within(|| {
        let taps = links.iter().map(|link| TapInterface::new(&link.name));
        let taps = taps.collect::<io::Result<Vec<TapInterface>>>()?;
        // Before the interfaces are up: the first frame has a stamp, too.
        let stamps = links.iter().map(|link| {
            let index = os::namespace::interface_index(&link.name)?;
            Ok(TransmitStamps::of(index).ok().map(RefCell::new))
        });
        let stamps = stamps.collect::<io::Result<Vec<_>>>()?;
        links::set(&links, &ways, &settings)?;
        Ok(taps.into_iter().zip(stamps).collect::<Vec<_>>())
    })?;
    let ports = (links.into_iter().zip(taps).zip(numbers))
        .map(|((link, (tap, stamps)), &number)| EmulatedPort {
            number,
            device: Device::Tap {
                name: format!("{} of {}", link.name, node.name),
                tap,
                stamps,
            },
            name: link.name,
            most_bytes: usize::from(link.mtu) + HEADER,
        })
        .collect();
    Ok(RealNode {
        name: node.name.clone(),
        network: Some(network),
        ports,
    })
}

/// The machine behind an interface of this one.
fn behind(
    name: &str,
    node: &NodePlan,
    numbers: &[InterfaceId],
) -> Result<RealNode, EmulationFailure> {
    let interface = InterfaceSocket::open(name)
        .map_err(|error| EmulationFailure::Refused(not_opened(name, &error)))?;
    let mtu = node.interfaces[0].mtu;
    if let Some(what) = unfit(&interface, mtu)? {
        return Err(EmulationFailure::Refused(format!("{name} {what}")));
    }
    Ok(RealNode {
        name: node.name.clone(),
        network: None,
        ports: vec![EmulatedPort {
            number: numbers[0],
            name: name.into(),
            device: Device::Interface(interface),
            most_bytes: usize::from(mtu) + HEADER,
        }],
    })
}

fn not_opened(name: &str, error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::PermissionDenied {
        return format!("{name} is not an ordinary user's to open: run it as root");
    }
    let listed = std::fs::read_dir("/sys/class/net").into_iter().flatten();
    let names: Vec<_> = listed
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    format!(
        "{name} is no interface of this machine ({error}); it has {}",
        names.join(", ")
    )
}

/// Returns what keeps an interface from being a port, and the command that helps.
fn unfit(interface: &InterfaceSocket, mtu: u16) -> io::Result<Option<String>> {
    let (name, most) = (interface.name(), interface.mtu()?);
    Ok(if !interface.is_up()? {
        Some(format!("is down: ip link set {name} up"))
    } else if u32::from(mtu) > most {
        Some(format!(
            "carries packets of {most} bytes at most, and the scenario's MTU is {mtu}: \
             ip link set {name} mtu {mtu}"
        ))
    } else if let Some(address) = interface.address()? {
        Some(format!(
            "has the address {address}, so that this machine itself would answer there: \
             ip address flush dev {name}"
        ))
    } else if interface.merges() {
        Some(format!(
            "makes one of several packets that come in: ethtool -K {name} gro off lro off"
        ))
    } else {
        None
    })
}

/// The interfaces of a node by the names that Linux gives such: wlan0 by radio, eth0 by wire. An access
/// point bridges its own in the world, and the machine within it has the bridge's alone: br0.
fn links_of(node: &NodePlan, numbers: &[InterfaceId]) -> Vec<KernelLink> {
    if node.role == NodeRole::Ap {
        return vec![link("br0".into(), &node.interfaces[0], numbers[0])];
    }
    let (mut radios, mut wires) = (0.., 0..);
    let mut name_of = |interface: &InterfacePlan| {
        let (kind, count) = match interface.radio {
            Some(_) => ("wlan", &mut radios),
            None => ("eth", &mut wires),
        };
        format!("{kind}{}", count.next().expect("there is no end of them"))
    };
    (node.interfaces.iter().zip(numbers))
        .map(|(interface, &number)| link(name_of(interface), interface, number))
        .collect()
}

fn link(name: String, interface: &InterfacePlan, number: InterfaceId) -> KernelLink {
    KernelLink {
        name,
        mac: MacAddress::of_node(u32::from(number.0)),
        address: (interface.address, interface.prefix_length),
        mtu: interface.mtu,
    }
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
