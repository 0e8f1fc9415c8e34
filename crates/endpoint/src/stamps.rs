//! When the datagrams of a flow's end were sent and received, by this machine's kernel.

use std::collections::VecDeque;
use std::io;
use std::net::UdpSocket;

use os::datagram_stamps::{self, Came};

use crate::log::{EndpointLog, LogMemory};

/// Bytes of a row.
pub(crate) const ROW: usize = 28;
/// Datagrams whose stamps are awaited, at most; the kernel forgets some when its queue is full.
const AWAITED: usize = 4096;
/// A row of what was sent, and of what was received.
const SENT: u32 = 0;
const RECEIVED: u32 = 1;

/// What a datagram says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    /// Its number among those of its sender.
    pub number: u32,
    /// The number that its application wrote into it.
    pub tag: u64,
    /// Payload bytes.
    pub size: u32,
}

/// The stamps of an end.
///
/// A row is, little-endian: nanoseconds behind the common start (8 bytes, signed), the datagram's
/// tag (8), its number (4), its size (4), 0 for sent and 1 for received (4).
#[derive(Debug)]
pub(crate) struct EndStamps {
    /// The common start, by CLOCK_MONOTONIC.
    start_ns: u64,
    log: EndpointLog,
    /// Those that went, by their numbers since stamps are taken.
    awaited: VecDeque<(u32, Option<Label>)>,
    next: u32,
}

impl EndStamps {
    /// Has the kernel stamp the datagrams of a socket that is connected.
    ///
    /// # Errors
    /// When it does not know how.
    pub fn of(socket: &UdpSocket, start_ns: u64, room: LogMemory) -> io::Result<EndStamps> {
        datagram_stamps::begin(socket)?;
        Ok(EndStamps {
            start_ns,
            log: EndpointLog::of_rows(ROW, room),
            awaited: VecDeque::new(),
            next: 0,
        })
    }

    /// One was sent; those without a label are counted alone.
    pub fn on_sent(&mut self, socket: &UdpSocket, label: Option<Label>, is_sent: bool) {
        if !is_sent {
            // Whether the kernel counted it is unknown: it counts anew.
            self.awaited.clear();
            self.next = 0;
            // As it could begin, it can begin again.
            let _ = datagram_stamps::begin(socket);
            return;
        }
        if self.awaited.len() == AWAITED {
            self.awaited.pop_front();
        }
        self.awaited.push_back((self.next, label));
        self.next = self.next.wrapping_add(1);
    }

    /// Notes the stamps of those that have gone by now.
    pub fn take_sent(&mut self, socket: &UdpSocket) {
        while let Ok(went) = datagram_stamps::sent(socket) {
            // Stamps come in the order of numbers; those passed over have none.
            while let Some((number, label)) = self.awaited.pop_front() {
                if number == went.number {
                    if let Some(label) = label {
                        self.note(went.at_ns, label, SENT);
                    }
                    break;
                }
            }
        }
    }

    /// Notes one that came.
    pub fn on_received(&mut self, came: Came, label: Label) {
        if let Some(at_ns) = came.at_ns {
            self.note(at_ns, label, RECEIVED);
        }
    }

    /// Gives the log, and how many rows there was no room for.
    pub fn end(self) -> (Vec<u8>, u64) {
        self.log.end()
    }

    fn note(&mut self, at_ns: u64, label: Label, way: u32) {
        let at_ns = at_ns.wrapping_sub(self.start_ns) as i64;
        self.log.push(&[
            &at_ns.to_le_bytes(),
            &label.tag.to_le_bytes(),
            &label.number.to_le_bytes(),
            &label.size.to_le_bytes(),
            &way.to_le_bytes(),
        ]);
    }
}
