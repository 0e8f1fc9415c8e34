//! Interfaces, addresses and routes of a real node, set by netlink, and what its kernel is told.

use std::fs;
use std::io;
use std::net::Ipv4Addr;

use rtnetlink::packet_route::route::{
    RouteAttribute, RouteMessage, RouteMetric, RouteProtocol, RouteScope,
};
use rtnetlink::{Handle, LinkUnspec, RouteMessageBuilder, new_connection};
use tokio::runtime::Builder;
use units::MacAddress;

/// An interface as its kernel shall have it.
#[derive(Clone, Debug)]
pub struct KernelLink {
    /// Its name.
    pub name: String,
    /// Its link address.
    pub mac: MacAddress,
    /// Its IP address, and how many bits of it the whole network shares.
    pub address: (Ipv4Addr, u8),
    /// Bytes of the longest IP packet that it carries.
    pub mtu: u16,
}

/// A way to other networks.
#[derive(Clone, Debug)]
pub struct KernelRoute {
    /// The network, and how many bits of it count; none for all others.
    pub to: (Ipv4Addr, u8),
    /// The router that knows more.
    pub gateway: Ipv4Addr,
}

/// Settings of a kernel for TCP and for passing packets on.
#[derive(Clone, Debug)]
pub struct KernelSettings {
    /// The congestion control of connections; the kernel's usual one without it.
    pub congestion_control: Option<String>,
    /// True if packets are passed on between interfaces.
    pub forwards: bool,
}

/// Sets the network that the calling thread is in.
///
/// # Errors
/// When the kernel refuses something, which is named.
pub fn set(
    links: &[KernelLink],
    ways: &[KernelRoute],
    settings: &KernelSettings,
) -> io::Result<()> {
    tell_kernel(settings)?;
    let runtime = Builder::new_current_thread().enable_io().build()?;
    runtime.block_on(async {
        let (connection, handle, _) = new_connection()?;
        let connection = tokio::spawn(connection);
        let done = set_all(&handle, links, ways, settings).await;
        connection.abort();
        done
    })
}

async fn set_all(
    handle: &Handle,
    links: &[KernelLink],
    ways: &[KernelRoute],
    settings: &KernelSettings,
) -> io::Result<()> {
    let loopback = LinkUnspec::new_with_name("lo").up().build();
    let up = handle.link().set(loopback).execute().await;
    up.map_err(refused("lo"))?;
    for link in links {
        set_link(handle, link, settings).await?;
    }
    for way in ways {
        let route = RouteMessageBuilder::<Ipv4Addr>::new()
            .destination_prefix(way.to.0, way.to.1)
            .gateway(way.gateway)
            .build();
        let added = handle.route().add(with_control(route, settings));
        let added = added.execute().await;
        added.map_err(refused(&format!("route by {}", way.gateway)))?;
    }
    Ok(())
}

async fn set_link(handle: &Handle, link: &KernelLink, settings: &KernelSettings) -> io::Result<()> {
    let set = LinkUnspec::new_with_name(&link.name)
        .address(link.mac.0.to_vec())
        .mtu(u32::from(link.mtu))
        .up()
        .build();
    let set = handle.link().set(set).execute().await;
    set.map_err(refused(&link.name))?;
    let (address, bits) = link.address;
    let index = os::namespace::interface_index(&link.name)?;
    let added = handle.address().add(index, address.into(), bits);
    let added = added.execute().await;
    added.map_err(refused(&format!("{address}/{bits}")))?;
    if settings.congestion_control.is_none() {
        return Ok(());
    }
    // The route that came with the address, told which congestion control to use.
    let network = u32::from(address) & u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
    let mut route = RouteMessageBuilder::<Ipv4Addr>::new()
        .destination_prefix(network.into(), bits)
        .output_interface(index)
        .pref_source(address)
        .scope(RouteScope::Link)
        .protocol(RouteProtocol::Kernel)
        .build();
    route = with_control(route, settings);
    let replaced = handle.route().add(route).replace().execute().await;
    replaced.map_err(refused(&format!("route to {address}/{bits}")))
}

/// A route whose connections use the congestion control that was asked for. Its setting for the
/// whole network knows only those that are free to all users; a route's knows all of the kernel.
fn with_control(mut route: RouteMessage, settings: &KernelSettings) -> RouteMessage {
    if let Some(name) = &settings.congestion_control {
        let control = vec![RouteMetric::CcAlgo(name.clone())];
        route.attributes.push(RouteAttribute::Metrics(control));
    }
    route
}

fn refused(what: &str) -> impl Fn(rtnetlink::Error) -> io::Error {
    move |error| io::Error::other(format!("{what}: {error}"))
}

fn tell_kernel(settings: &KernelSettings) -> io::Result<()> {
    let set = |name: &str, value: &str| {
        let path = format!("/proc/sys/net/{name}");
        fs::write(&path, value)
            .map_err(|error| io::Error::new(error.kind(), format!("{path} = {value}: {error}")))
    };
    // Nobody here asks for IPv6, and its neighbours' questions would be heard on the air.
    for interfaces in ["all", "default"] {
        let path = format!("ipv6/conf/{interfaces}/disable_ipv6");
        if fs::exists(format!("/proc/sys/net/{path}"))? {
            set(&path, "1")?;
        }
    }
    // What was remembered of one connection would change the next (tcp_metrics).
    set("ipv4/tcp_no_metrics_save", "1")?;
    if settings.forwards {
        set("ipv4/ip_forward", "1")?;
    }
    Ok(())
}
