//! Calls that move data: through sockets, from files, by way of pipes.

use super::call::{Result, argument, unsupported};
use super::stamps::ErrorQueueMessage;
use super::wait::{ReadCall, Writing};
use super::{Descriptor, Host, SocketRole, Wait};
use crate::ast::{Call, Expression};
use crate::machine::CallReply;
use crate::settings::HEADERS_V6;
use crate::symbols::{self, Errno};
use crate::value::{is_null, value};

/// Flags that may stand beside those that are looked at: no signals here, and nothing but a stream.
const IGNORED: i64 = symbols::MSG_NOSIGNAL;

impl Host {
    pub(super) fn read(&mut self, socket: usize, call: &Call) -> Result<CallReply> {
        let TransferCall {
            bytes: max,
            flags,
            faults,
            ..
        } = transfer(call)?;
        if flags & symbols::MSG_ERRQUEUE != 0 {
            return self.read_error(socket, max);
        }
        if flags & symbols::MSG_OOB != 0 {
            return Ok(CallReply::Error(Errno::INVALID)); // tcp_recv_urg: there is no urgent data
        }
        let known =
            symbols::MSG_DONTWAIT | symbols::MSG_PEEK | symbols::MSG_TRUNC | symbols::MSG_WAITALL;
        if flags & !(known | IGNORED) != 0 {
            return unsupported(with_flags(call, flags & !(known | IGNORED)));
        }
        let wait = Wait::Read {
            socket,
            max,
            how: ReadCall {
                all: flags & symbols::MSG_WAITALL != 0,
                peek: flags & symbols::MSG_PEEK != 0,
                // tcp(7): what is read for MSG_TRUNC is thrown away.
                faults: faults && flags & symbols::MSG_TRUNC == 0,
                message: call.name == "recvmsg",
            },
        };
        let is_blocking = self.sockets[socket].is_blocking && flags & symbols::MSG_DONTWAIT == 0;
        Ok(self.wait_or(wait, Errno::AGAIN, is_blocking))
    }

    /// The oldest report of the queue of errors.
    fn read_error(&mut self, socket: usize, max: u64) -> Result<CallReply> {
        let SocketRole::Stream(flow) = self.sockets[socket].role else {
            return Ok(CallReply::Error(Errno::AGAIN));
        };
        let stamping = self.sockets[socket].stamping;
        let Some(report) = self.flows[flow].stamps.reports.pop_front() else {
            return Ok(CallReply::Error(Errno::AGAIN));
        };
        let is_stamp = matches!(report, ErrorQueueMessage::Stamped(_));
        if max > 0 && is_stamp && stamping.brings_packet() {
            return unsupported("the bytes of a packet that was stamped");
        }
        let is_ipv6 = self.settings.headers == HEADERS_V6;
        Ok(CallReply::Message(stamping.message(&report, is_ipv6)))
    }

    pub(super) fn write(&mut self, socket: usize, call: &Call) -> Result<CallReply> {
        let transfer = transfer(call)?;
        let flags = transfer.flags;
        let known = symbols::MSG_DONTWAIT
            | symbols::MSG_MORE
            | symbols::MSG_EOR
            | symbols::MSG_FASTOPEN
            | symbols::MSG_ZEROCOPY;
        if flags & symbols::MSG_MORE != 0 && flags & symbols::MSG_EOR != 0 {
            return unsupported("the end of a record with more to follow: MSG_EOR|MSG_MORE");
        }
        if flags & !(known | IGNORED) != 0 {
            return unsupported(with_flags(call, flags & !(known | IGNORED)));
        }
        let opens = flags & symbols::MSG_FASTOPEN != 0 || self.sockets[socket].fast_open.is_put_off;
        if opens {
            let is_blocking = self.blocks(socket, &transfer);
            return self.send_with_syn(socket, call, transfer.bytes, transfer.how(), is_blocking);
        }
        Ok(self.send(socket, &transfer))
    }

    /// Returns whether a call on this socket waits.
    fn blocks(&self, socket: usize, transfer: &TransferCall) -> bool {
        self.sockets[socket].is_blocking && transfer.flags & symbols::MSG_DONTWAIT == 0
    }

    fn send(&mut self, socket: usize, transfer: &TransferCall) -> CallReply {
        let wait = Wait::Write {
            socket,
            left: transfer.bytes,
            written: 0,
            how: transfer.how(),
            full: self.full_buffers(socket, transfer),
        };
        self.wait_or(wait, Errno::AGAIN, self.blocks(socket, transfer))
    }

    /// Where buffers of the kernel have no room for another piece of the application's memory, which
    /// a socket writes from that has asked for it: so many bytes from the start.
    fn full_buffers(&self, socket: usize, transfer: &TransferCall) -> Vec<u64> {
        let is_uncopied = transfer.flags & symbols::MSG_ZEROCOPY != 0
            && self.sockets[socket].set.get("SO_ZEROCOPY") == Some(&1);
        match is_uncopied {
            true => full_buffers(&transfer.elements),
            false => Vec::new(),
        }
    }

    /// A file holds as much as is asked of it.
    pub(super) fn sendfile(&mut self, call: &Call) -> Result<CallReply> {
        let (out, file) = (self.descriptor(call, 0)?, self.descriptor(call, 1)?);
        let length = length(argument(call, 3)?)?;
        match (out, file) {
            (Some(Descriptor::Socket(socket)), Some(Descriptor::File)) => {
                Ok(self.send(socket, &TransferCall::of(length, 0)))
            }
            (None, _) | (_, None) => Ok(CallReply::Error(Errno::BAD_DESCRIPTOR)),
            _ => Ok(CallReply::Error(Errno::INVALID)),
        }
    }

    pub(super) fn pipe(&mut self) -> CallReply {
        self.pipes.push(0);
        let pipe = self.pipes.len() - 1;
        let ends = [(); 2].map(|()| {
            self.made.push(Descriptor::Pipe(pipe));
            self.made.len() - 1
        });
        CallReply::Pair(ends[0], ends[1])
    }

    /// From a file or a socket into a pipe, or from a pipe into a socket.
    pub(super) fn splice(&mut self, call: &Call) -> Result<CallReply> {
        let (from, to) = (self.descriptor(call, 0)?, self.descriptor(call, 2)?);
        let length = length(argument(call, 4)?)?;
        let flags = value(argument(call, 5)?)?;
        match (from, to) {
            (Some(Descriptor::Pipe(pipe)), Some(Descriptor::Socket(socket))) => {
                let more = flags & symbols::SPLICE_F_MORE != 0;
                let flags = if more { symbols::MSG_MORE } else { 0 };
                let transfer = TransferCall::of(length.min(self.pipes[pipe]), flags);
                let reply = self.send(socket, &transfer);
                if let CallReply::Value(sent @ 0..) = reply {
                    self.pipes[pipe] -= sent.unsigned_abs().min(self.pipes[pipe]);
                }
                Ok(reply)
            }
            (Some(Descriptor::Socket(socket)), Some(Descriptor::Pipe(pipe))) => {
                let wait = Wait::Read {
                    socket,
                    max: length,
                    how: ReadCall::default(),
                };
                let is_blocking = self.sockets[socket].is_blocking;
                let reply = self.wait_or(wait, Errno::AGAIN, is_blocking);
                if let CallReply::Value(taken @ 0..) = reply {
                    self.pipes[pipe] += taken.unsigned_abs();
                }
                Ok(reply)
            }
            (Some(Descriptor::File), Some(Descriptor::Pipe(pipe))) => {
                self.pipes[pipe] += length;
                Ok(CallReply::Value(length as i64))
            }
            (None, _) | (_, None) => Ok(CallReply::Error(Errno::BAD_DESCRIPTOR)),
            _ => Ok(CallReply::Error(Errno::INVALID)),
        }
    }

    fn descriptor(&self, call: &Call, index: usize) -> Result<Option<Descriptor>> {
        let descriptor = value(argument(call, index)?)?;
        Ok(self.descriptors.get(&descriptor).cloned())
    }
}

/// Names the flags of a call that it cannot be made with.
fn with_flags(call: &Call, flags: i64) -> String {
    format!("{}() with {}", call.name, symbols::flags("MSG_", flags))
}

fn length(expression: &Expression) -> Result<u64> {
    let length = value(expression)?;
    match u64::try_from(length) {
        // Sums of lengths stay far from the end of the numbers.
        Ok(length) if length <= 1 << 48 => Ok(length),
        _ => unsupported(format!("a length of {length}")),
    }
}

/// Parameters of a reading or writing call.
struct TransferCall {
    bytes: u64,
    flags: i64,
    /// True if some of the bytes have no place in memory: a buffer is NULL.
    faults: bool,
    /// Bytes of each element of a vector.
    elements: Vec<u64>,
}

impl TransferCall {
    fn of(bytes: u64, flags: i64) -> TransferCall {
        TransferCall {
            bytes,
            flags,
            faults: false,
            elements: Vec::new(),
        }
    }

    fn how(&self) -> Writing {
        Writing {
            more: self.flags & symbols::MSG_MORE != 0,
            record: self.flags & symbols::MSG_EOR != 0,
            faults: self.faults,
            uncopied: self.flags & symbols::MSG_ZEROCOPY != 0,
        }
    }
}

fn transfer(call: &Call) -> Result<TransferCall> {
    let at = |buffer: &Expression, bytes: u64, flags: i64| TransferCall {
        bytes,
        flags,
        faults: bytes > 0 && is_null(buffer),
        elements: Vec::new(),
    };
    match call.name.as_str() {
        "read" | "write" => Ok(at(argument(call, 1)?, length(argument(call, 2)?)?, 0)),
        "readv" | "writev" => vectors(argument(call, 1)?, 0),
        "sendmsg" | "recvmsg" => {
            let flags = value(argument(call, 2)?)?;
            let message = argument(call, 1)?;
            if let ("sendmsg", Some(Expression::Array(control))) =
                (call.name.as_str(), message.field("msg_control"))
                && !control.is_empty()
            {
                return unsupported("control messages to send");
            }
            match message.field("msg_iov") {
                Some(vector) => vectors(vector, flags),
                None => unsupported("a message without msg_iov"),
            }
        }
        _ => {
            let bytes = length(argument(call, 2)?)?;
            Ok(at(argument(call, 1)?, bytes, value(argument(call, 3)?)?))
        }
    }
}

/// The transfer of an array of `{..., length}`.
fn vectors(array: &Expression, flags: i64) -> Result<TransferCall> {
    let Expression::Array(elements) = array else {
        return unsupported("a vector that is no list");
    };
    let mut all = TransferCall::of(0, flags);
    for element in elements {
        let Expression::Struct(fields) = element else {
            return unsupported("a vector's element that is not {..., length}");
        };
        let [(_, buffer), (_, bytes)] = fields.as_slice() else {
            return unsupported("a vector's element that is not {..., length}");
        };
        let bytes = length(bytes)?;
        all.bytes = all.bytes.saturating_add(bytes);
        all.faults |= bytes > 0 && is_null(buffer);
        all.elements.push(bytes);
    }
    Ok(all)
}

/// A buffer holds so many pieces of the application's memory (MAX_SKB_FRAGS), each within a page;
/// that every element begins a page of its own is inferred, for a script tells no addresses.
const PIECES_MAX: u64 = 17;
const PAGE: u64 = 4096;

fn full_buffers(elements: &[u64]) -> Vec<u64> {
    let (mut full, mut offset, mut pieces) = (Vec::new(), 0, 0);
    for &bytes in elements {
        let mut left = bytes;
        while left > 0 {
            if pieces == PIECES_MAX {
                full.push(offset);
                pieces = 0;
            }
            let piece = left.min(PAGE);
            (left, offset, pieces) = (left - piece, offset + piece, pieces + 1);
        }
    }
    full
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_hold_seventeen_pieces() {
        assert!(full_buffers(&[1; 17]).is_empty());
        assert_eq!(full_buffers(&[2; 36]), [34, 68]);
        assert_eq!(full_buffers(&[PAGE * 18, 5]), [PAGE * 17]);
    }
}
