//! A netlink socket: what is asked of the kernel, and what it answers or tells of its own accord.

use std::io;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use netlink_packet_core::{
    NLM_F_ACK, NLM_F_DUMP, NLM_F_REQUEST, NLMSG_DONE, NLMSG_ERROR, NetlinkBuffer,
};
use netlink_sys::{Socket, SocketAddr};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Longest time that the kernel may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Bytes that are read at a time: a kernel fills up to 32 KiB.
const BUFFER: usize = 64 << 10;
/// Bytes of a message's header.
const HEADER: usize = 16;
/// The kernel's own address.
const KERNEL: u32 = 0;

/// True if one thing is asked for, not all that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestExtent {
    One,
    All,
}

/// A socket of one of netlink's families.
#[derive(Debug)]
pub(crate) struct Netlink {
    socket: Socket,
    sequence: u32,
    buffer: Vec<u8>,
}

impl Netlink {
    /// Opens one.
    ///
    /// # Errors
    /// When the system refuses it.
    pub fn open(family: isize) -> io::Result<Netlink> {
        let mut socket = Socket::new(family)?;
        socket.bind_auto()?;
        socket.set_non_blocking(true)?;
        Ok(Netlink {
            socket,
            sequence: 0,
            buffer: vec![0; BUFFER],
        })
    }

    /// Has the kernel tell of its own accord what a group is told.
    ///
    /// # Errors
    /// When the system refuses it.
    pub fn join(&self, group: u32) -> io::Result<()> {
        self.socket.add_membership(group)
    }

    /// Asks, and hands over what each message of the answer holds.
    ///
    /// # Errors
    /// If the kernel refuses, or does not answer.
    pub fn ask(
        &mut self,
        kind: u16,
        extent: RequestExtent,
        payload: &[u8],
        mut each: impl FnMut(&[u8]),
    ) -> io::Result<()> {
        self.sequence = self.sequence.wrapping_add(1);
        let request = request(kind, extent, self.sequence, payload);
        let kernel = SocketAddr::new(KERNEL, 0);
        self.socket.send_to(&request, &kernel, 0)?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            self.wait(left)?;
            let sequence = self.sequence;
            let Some(bytes) = self.receive()? else {
                continue;
            };
            for message in messages(bytes) {
                // What was asked before and given up may still be answered.
                if message.sequence_number() != sequence {
                    continue;
                }
                match message.message_type() {
                    NLMSG_DONE => return Ok(()),
                    NLMSG_ERROR => return outcome(message.payload()),
                    _ => each(message.payload()),
                }
            }
        }
    }

    /// Hands over what each message holds that the kernel has told of its own accord by now.
    pub fn told(&mut self, mut each: impl FnMut(&[u8])) {
        // What the socket had no room for is lost; the kernel says so once, and goes on.
        while let Ok(Some(bytes)) = self.receive() {
            messages(bytes).for_each(|message| each(message.payload()));
        }
    }

    /// Waits until something comes, or for so long.
    ///
    /// # Errors
    /// When the system refuses to wait.
    pub fn wait(&self, longest: Duration) -> io::Result<()> {
        let longest = Timespec {
            tv_sec: longest.as_secs() as i64,
            tv_nsec: longest.subsec_nanos().into(),
        };
        let mut waited = [PollFd::from_borrowed_fd(self.socket.as_fd(), PollFlags::IN)];
        match poll(&mut waited, Some(&longest)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// What the kernel has sent, if anything; no other program is listened to.
    fn receive(&mut self) -> io::Result<Option<&[u8]>> {
        let received = self.socket.recv_from(&mut &mut self.buffer[..], 0);
        match received {
            Ok((length, from)) if from.port_number() == KERNEL => {
                Ok(Some(&self.buffer[..length.min(BUFFER)]))
            }
            Ok(_) => Ok(Some(&[])),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn request(kind: u16, extent: RequestExtent, sequence: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = [&[0; HEADER], payload].concat();
    let length = bytes.len() as u32;
    let mut message = NetlinkBuffer::new(&mut bytes[..]);
    message.set_length(length);
    message.set_message_type(kind);
    message.set_flags(match extent {
        RequestExtent::One => NLM_F_REQUEST | NLM_F_ACK,
        RequestExtent::All => NLM_F_REQUEST | NLM_F_DUMP,
    });
    message.set_sequence_number(sequence);
    message.set_port_number(0);
    bytes
}

/// The messages in what came; one that is cut off is the end.
fn messages(mut bytes: &[u8]) -> impl Iterator<Item = NetlinkBuffer<&[u8]>> {
    std::iter::from_fn(move || {
        let message = NetlinkBuffer::new_checked(bytes).ok()?;
        let length = (message.length() as usize).next_multiple_of(4);
        bytes = bytes.get(length..).unwrap_or_default();
        Some(message)
    })
}

/// What an answer without anything says: a number of the system's errors, negative, or none.
fn outcome(payload: &[u8]) -> io::Result<()> {
    let (number, _) = payload
        .split_first_chunk()
        .ok_or(io::ErrorKind::InvalidData)?;
    match i32::from_ne_bytes(*number) {
        0 => Ok(()),
        number => Err(io::Error::from_raw_os_error(number.wrapping_neg())),
    }
}

#[cfg(test)]
mod tests {
    use netlink_sys::protocols::NETLINK_ROUTE;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const RTM_GETLINK: u16 = 18;
    /// Of any family, whatever its kind.
    const ANY_LINK: [u8; 16] = [0; 16];

    #[test]
    fn the_kernel_answers_what_it_is_asked() {
        let mut netlink = Netlink::open(NETLINK_ROUTE).unwrap();
        for _ in 0..2 {
            let mut links = 0;
            netlink
                .ask(RTM_GETLINK, RequestExtent::All, &ANY_LINK, |_| links += 1)
                .unwrap();
            assert!(links >= 1, "every machine has a loopback");
        }
        let mut first = ANY_LINK;
        first[4] = 1;
        let mut links = 0;
        netlink
            .ask(RTM_GETLINK, RequestExtent::One, &first, |_| links += 1)
            .unwrap();
        assert_eq!(links, 1);
    }

    #[test]
    fn what_there_is_not_is_an_error() {
        let mut netlink = Netlink::open(NETLINK_ROUTE).unwrap();
        let mut none = ANY_LINK;
        none[4..8].copy_from_slice(&0x7fff_fff0_u32.to_ne_bytes());
        let refused = netlink.ask(RTM_GETLINK, RequestExtent::One, &none, |_| {
            panic!("nothing")
        });
        assert_eq!(refused.unwrap_err().raw_os_error(), Some(libc::ENODEV));
    }

    #[test]
    fn messages_follow_each_other_and_one_that_is_cut_off_is_the_end() {
        let two = [
            request(20, RequestExtent::One, 1, b"odd"),
            // Messages begin at multiples of four bytes.
            vec![0],
            request(21, RequestExtent::All, 2, b"even"),
        ]
        .concat();
        let kinds = |bytes| -> Vec<_> { messages(bytes).map(|each| each.message_type()).collect() };
        assert_eq!(kinds(&two), [20, 21]);
        assert_eq!(kinds(&two[..two.len() - 1]), [20]);
    }

    proptest! {
        #[test]
        fn whatever_bytes_come_are_read(bytes in vec(any::<u8>(), 0..200)) {
            let length: usize = messages(&bytes).map(|each| each.payload().len()).sum();
            prop_assert!(length <= bytes.len());
            let _ = outcome(&bytes);
        }
    }
}
