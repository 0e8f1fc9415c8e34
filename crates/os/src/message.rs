//! Messages between processes, with descriptors beside their bytes (unix(7), SOCK_SEQPACKET).

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

use rustix::net::sockopt::socket_peercred;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType, accept_with, bind,
    listen, recvmsg, sendmsg, socket_with, socketpair,
};

/// The most bytes of a message.
pub const MOST_BYTES: usize = 128 * 1024;

/// The most descriptors beside a message.
const MOST_DESCRIPTORS: usize = 8;

/// One end of a connection that keeps messages apart.
#[derive(Debug)]
pub struct MessageChannel(OwnedFd);

/// A message that has come.
#[derive(Debug)]
pub struct ChannelMessage {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Descriptors that came beside it.
    pub descriptors: Vec<OwnedFd>,
}

impl MessageChannel {
    /// Both ends of a new connection; they are closed in programs that are started.
    ///
    /// # Errors
    /// When the system has no descriptor left.
    pub fn pair() -> io::Result<(MessageChannel, MessageChannel)> {
        let (family, kind) = (AddressFamily::UNIX, SocketType::SEQPACKET);
        let (one, other) = socketpair(family, kind, SocketFlags::CLOEXEC, None)?;
        Ok((MessageChannel(one), MessageChannel(other)))
    }

    /// The end that this process was started with under a number.
    ///
    /// The descriptor is this one's from here on.
    #[expect(
        unsafe_code,
        reason = "a number is taken for what the parent left there"
    )]
    pub fn inherited(number: RawFd) -> MessageChannel {
        // SAFETY: who started the process handed the descriptor over, for this alone.
        MessageChannel(unsafe { OwnedFd::from_raw_fd(number) })
    }

    /// Sends a message.
    ///
    /// # Errors
    /// When the other end is closed, or there is no room for it now.
    pub fn send(&self, bytes: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(8))];
        let mut beside = SendAncillaryBuffer::new(&mut room);
        if !descriptors.is_empty() {
            beside.push(SendAncillaryMessage::ScmRights(descriptors));
        }
        sendmsg(
            &self.0,
            &[IoSlice::new(bytes)],
            &mut beside,
            SendFlags::NOSIGNAL,
        )?;
        Ok(())
    }

    /// Waits for the next message; none once the other end is closed.
    ///
    /// # Errors
    /// When it is no connection.
    pub fn receive(&self) -> io::Result<Option<ChannelMessage>> {
        let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
        let mut beside = RecvAncillaryBuffer::new(&mut room);
        let mut bytes = vec![0; MOST_BYTES];
        let got = loop {
            let into = &mut [IoSliceMut::new(&mut bytes)];
            match recvmsg(&self.0, into, &mut beside, RecvFlags::CMSG_CLOEXEC) {
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::CONNRESET) => return Ok(None),
                got => break got?,
            }
        };
        if got.bytes == 0 {
            return Ok(None);
        }
        bytes.truncate(got.bytes);
        let rights = beside.drain().filter_map(|message| match message {
            RecvAncillaryMessage::ScmRights(rights) => Some(rights),
            _ => None,
        });
        let descriptors = rights.flatten().collect();
        Ok(Some(ChannelMessage { bytes, descriptors }))
    }

    /// The number of the user at the other end, as seen from here.
    ///
    /// # Errors
    /// When it is no connection.
    pub fn user(&self) -> io::Result<u32> {
        Ok(socket_peercred(&self.0)?.uid.as_raw())
    }
}

impl AsFd for MessageChannel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Where connections are taken, under a name that stands in no folder and goes with the process.
#[derive(Debug)]
pub struct Door(OwnedFd);

impl Door {
    /// Opens one.
    ///
    /// # Errors
    /// When the name is taken or too long.
    pub fn open(name: &str) -> io::Result<Door> {
        let (family, kind) = (AddressFamily::UNIX, SocketType::SEQPACKET);
        let socket = socket_with(family, kind, SocketFlags::CLOEXEC, None)?;
        bind(
            &socket,
            &SocketAddrUnix::new_abstract_name(name.as_bytes())?,
        )?;
        listen(&socket, 16)?;
        Ok(Door(socket))
    }

    /// Waits for the next connection.
    ///
    /// # Errors
    /// When the system has no descriptor left.
    pub fn accept(&self) -> io::Result<MessageChannel> {
        Ok(MessageChannel(accept_with(&self.0, SocketFlags::CLOEXEC)?))
    }
}

impl AsFd for Door {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn messages_stay_apart_and_descriptors_come_beside_them() {
        let (ours, theirs) = MessageChannel::pair().unwrap();
        let (mut kept, given) = UnixStream::pair().unwrap();
        ours.send(b"one", &[given.as_fd()]).unwrap();
        ours.send(b"two", &[]).unwrap();
        drop((ours, given));
        let mut first = theirs.receive().unwrap().unwrap();
        assert_eq!(first.bytes, b"one");
        let mut given = UnixStream::from(first.descriptors.pop().unwrap());
        given.write_all(b"hello").unwrap();
        drop(given);
        let mut heard = String::new();
        kept.read_to_string(&mut heard).unwrap();
        assert_eq!(heard, "hello");
        assert_eq!(theirs.receive().unwrap().unwrap().bytes, b"two");
        assert!(theirs.receive().unwrap().is_none());
    }
}
