//! Code that sockets for frames share.

#![expect(unsafe_code, reason = "setsockopt(2) and bind(2) take pointers")]

use std::io;

/// Sets an option of a socket.
pub(crate) fn set<T>(fd: i32, level: i32, name: i32, value: &T) -> io::Result<()> {
    let length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the value is as long as is said, and outlives the call.
    match unsafe { libc::setsockopt(fd, level, name, (&raw const *value).cast(), length) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Lets a packet socket receive the frames of an interface, of all protocols.
pub(crate) fn bind_packet(fd: i32, interface: u32) -> io::Result<()> {
    // SAFETY: an all-zero address is a valid value.
    let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex = interface as i32;
    let length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
    // SAFETY: the address is as long as is said, and outlives the call.
    match unsafe { libc::bind(fd, (&raw const address).cast(), length) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
