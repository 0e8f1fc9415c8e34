//! The opening of a flow between two endpoints: nothing is sent before its ticket was shown.

use std::fmt;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::str::FromStr;
use std::time::Duration;

use crate::datagram::OPENING;
use crate::identity::from_hex;

/// How long a connection may take: a lost SYN is retransmitted after 1 s, and after 3 s (RFC 6298).
pub(crate) const CONNECTING: Duration = Duration::from_secs(4);
/// How long whoever connects may take to show a ticket.
const SHOWING: Duration = Duration::from_millis(500);
/// Datagrams that leave before the other end has answered, at most (QUIC's rule, RFC 9000 §8.1).
const UNANSWERED: usize = 3;
/// The time between them.
const PATIENCE: Duration = Duration::from_millis(300);
const LENGTH: usize = 16;

/// What opens a flow, once.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Ticket([u8; LENGTH]);

impl Ticket {
    /// Eight of its bytes, to seed what has to differ between flows.
    pub fn first_half(&self) -> [u8; 8] {
        let mut half = [0; 8];
        half.copy_from_slice(&self.0[..8]);
        half
    }

    /// Compares in a time that does not depend on where they differ.
    fn is(&self, shown: &[u8]) -> bool {
        let differing = self
            .0
            .iter()
            .zip(shown)
            .fold(0, |all, (a, b)| all | (a ^ b));
        shown.len() == LENGTH && differing == 0
    }

    /// Returns what shows it, and answers it, in datagrams.
    pub fn datagram(&self) -> Vec<u8> {
        [&[OPENING], &self.0[..]].concat()
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ticket")
    }
}

impl FromStr for Ticket {
    type Err = String;

    fn from_str(text: &str) -> Result<Ticket, String> {
        let bytes = from_hex(text).and_then(|bytes| bytes.try_into().ok());
        Ok(Ticket(bytes.ok_or("a ticket is 32 hexadecimal digits")?))
    }
}

/// Shows a ticket on a new connection, which does not block any more.
pub(crate) fn open(socket: &mut TcpStream, ticket: &Ticket) -> io::Result<()> {
    socket.write_all(&ticket.0)?;
    socket.set_nonblocking(true)
}

/// Accepts a connection if there is one; an error tells who showed no ticket, or another.
pub(crate) fn accept(listener: &TcpListener, ticket: &Ticket) -> io::Result<Option<TcpStream>> {
    let (mut socket, from) = match listener.accept() {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
        Err(error) => return Err(error),
    };
    socket.set_nonblocking(false)?;
    socket.set_read_timeout(Some(SHOWING))?;
    let mut shown = [0; LENGTH];
    if socket.read_exact(&mut shown).is_err() || !ticket.is(&shown) {
        return Err(io::Error::other(format!("{from} showed another ticket")));
    }
    socket.set_nonblocking(true)?;
    Ok(Some(socket))
}

/// Shows a ticket to the other end of datagrams, until it answers; at most three times.
pub(crate) fn open_datagrams(socket: &UdpSocket, ticket: &Ticket) -> io::Result<()> {
    let shown = ticket.datagram();
    socket.set_read_timeout(Some(PATIENCE))?;
    let mut answer = [0; LENGTH + 2];
    for _ in 0..UNANSWERED {
        socket.send(&shown)?;
        // Nobody listens yet, or nobody ever will: both look the same.
        if socket
            .recv(&mut answer)
            .is_ok_and(|length| answer[..length] == shown)
        {
            return socket.set_nonblocking(true);
        }
    }
    Err(io::Error::new(
        io::ErrorKind::TimedOut,
        "no answer to three datagrams",
    ))
}

/// Looks whether a ticket was shown; then answers, and hears nobody else any more.
pub(crate) fn accept_datagrams(socket: &UdpSocket, ticket: &Ticket) -> io::Result<bool> {
    let mut shown = [0; LENGTH + 2];
    let (length, from) = match socket.recv_from(&mut shown) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
        Err(error) => return Err(error),
    };
    if shown[0] != OPENING || !ticket.is(&shown[1..length.max(1)]) {
        return Err(io::Error::other(format!("{from} showed another ticket")));
    }
    socket.connect(from)?;
    socket.send(&ticket.datagram())?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(byte: u8) -> Ticket {
        Ticket([byte; LENGTH])
    }

    #[test]
    fn reflection_at_most_three_datagrams_leave_when_nobody_answers() {
        let [sender, silent] = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
        sender.connect(silent.local_addr().unwrap()).unwrap();
        assert!(open_datagrams(&sender, &ticket(1)).is_err());
        silent.set_nonblocking(true).unwrap();
        let arrived = std::iter::from_fn(|| silent.recv(&mut [0; 100]).ok());
        assert_eq!(arrived.count(), UNANSWERED);
    }

    #[test]
    fn amplification_an_answer_is_as_long_as_what_it_answers() {
        let [sender, receiver] = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
        let shown = ticket(1).datagram();
        sender
            .send_to(&shown, receiver.local_addr().unwrap())
            .unwrap();
        assert!(accept_datagrams(&receiver, &ticket(1)).unwrap());
        assert_eq!(sender.recv(&mut [0; 100]).unwrap(), shown.len());
    }

    #[test]
    fn spoofing_another_ticket_is_not_answered() {
        let [sender, receiver] = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
        let to = receiver.local_addr().unwrap();
        for wrong in [ticket(2).datagram(), vec![OPENING], vec![]] {
            sender.send_to(&wrong, to).unwrap();
            assert!(accept_datagrams(&receiver, &ticket(1)).is_err());
        }
        sender.set_nonblocking(true).unwrap();
        assert!(sender.recv(&mut [0; 100]).is_err());
    }

    #[test]
    fn a_connection_with_another_ticket_is_refused() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let connect = || TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut wrong = connect();
        open(&mut wrong, &ticket(2)).unwrap();
        assert!(accept(&listener, &ticket(1)).is_err());
        let mut right = connect();
        open(&mut right, &ticket(1)).unwrap();
        assert!(accept(&listener, &ticket(1)).unwrap().is_some());
    }
}
