//! Messages in the socket's queue of errors. SO_TIMESTAMPING: when the last byte of a write was
//! handed down, left and was acknowledged (the kernel's Documentation/networking/timestamping.rst).
//! MSG_ZEROCOPY: that the memory of writes is free again, which it is when all that they wrote is
//! acknowledged (Documentation/networking/msg_zerocopy.rst).

use std::collections::VecDeque;

use tcp::Segment;
use units::Time;

use crate::message::{ControlMessage, Data, ReceivedMessage};
use crate::symbols;

/// SOF_TIMESTAMPING_… (linux/net_tstamp.h): what is to be stamped.
const TX_SOFTWARE: i64 = 1 << 1;
const TX_SCHED: i64 = 1 << 8;
const TX_ACK: i64 = 1 << 9;
/// That the times themselves are told.
const SOFTWARE: i64 = 1 << 4;
/// That stamps tell which byte, counted from when this was set: from the first that was not
/// acknowledged then or, with the last, not written.
const OPT_ID: i64 = 1 << 7;
const OPT_ID_TCP: i64 = 1 << 16;
/// That the packet does not come along.
const OPT_TSONLY: i64 = 1 << 11;
/// All the kernel knows, and those of arriving segments and of counters.
const ALL: i64 = (1 << 19) - 1;
const RX_SOFTWARE: i64 = 1 << 3;
const OPT_STATS: i64 = 1 << 12;

/// SCM_TSTAMP_… (linux/errqueue.h).
const SENT: i64 = 0;
const SCHEDULED: i64 = 1;
const ACKNOWLEDGED: i64 = 2;

/// Stamps that a socket has asked for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stamping {
    flags: i64,
    /// The byte that counts as the first (`sk_tskey`).
    base: i64,
}

/// Outcome of asking for stamps.
pub(super) enum StampRequest {
    Taken,
    Invalid,
    NotThere(&'static str),
}

impl Stamping {
    /// `from` are the bytes acknowledged and written, where there is a connection.
    pub fn ask(&mut self, flags: i64, from: Option<(i64, i64)>) -> StampRequest {
        let has = |flag| flags & flag != 0;
        let is_named = has(OPT_ID) && self.flags & OPT_ID == 0;
        let is_invalid = flags & !ALL != 0
            || has(OPT_ID_TCP) && !has(OPT_ID)
            || has(OPT_STATS) && !has(OPT_TSONLY)
            || is_named && from.is_none();
        if is_invalid {
            return StampRequest::Invalid;
        }
        if has(RX_SOFTWARE) {
            return StampRequest::NotThere("stamps of what arrives: SOF_TIMESTAMPING_RX_SOFTWARE");
        }
        if has(OPT_STATS) {
            return StampRequest::NotThere("counters beside stamps: SOF_TIMESTAMPING_OPT_STATS");
        }
        if let (true, Some((acknowledged, written))) = (is_named, from) {
            self.base = if has(OPT_ID_TCP) {
                written
            } else {
                acknowledged
            };
        }
        self.flags = flags;
        StampRequest::Taken
    }

    /// Returns whether the packet that was stamped comes along.
    pub fn brings_packet(&self) -> bool {
        self.flags & OPT_TSONLY == 0
    }

    /// A report as recvmsg gives it, on a socket of IPv6 or not.
    pub fn message(&self, report: &ErrorQueueMessage, is_ipv6: bool) -> ReceivedMessage {
        match report {
            ErrorQueueMessage::Stamped(happened) => self.stamp_message(happened, is_ipv6),
            ErrorQueueMessage::Freed { first, last } => {
                let [level, kind] = error_names(is_ipv6).map(of);
                ReceivedMessage {
                    bytes: 0,
                    flags: of("MSG_ERRQUEUE"),
                    control: vec![ControlMessage {
                        level,
                        kind,
                        data: Data::Error([
                            ("ee_errno", 0),
                            ("ee_origin", of("SO_EE_ORIGIN_ZEROCOPY")),
                            ("ee_type", 0),
                            // As packetdrill's interface has it, which copies all the same.
                            ("ee_code", of("SO_EE_CODE_ZEROCOPY_COPIED")),
                            ("ee_info", *first),
                            ("ee_data", *last),
                        ]),
                    }],
                }
            }
        }
    }

    fn stamp_message(&self, report: &Stamped, is_ipv6: bool) -> ReceivedMessage {
        let mut control = Vec::new();
        if self.flags & SOFTWARE != 0 {
            control.push(ControlMessage {
                level: of("SOL_SOCKET"),
                kind: of("SCM_TIMESTAMPING"),
                data: Data::Time(report.at.as_nanos() as i64),
            });
        }
        let [level, kind] = error_names(is_ipv6).map(of);
        let byte = match self.flags & OPT_ID {
            0 => 0,
            _ => report.last - self.base,
        };
        control.push(ControlMessage {
            level,
            kind,
            data: Data::Error([
                ("ee_errno", of("ENOMSG")),
                ("ee_origin", of("SO_EE_ORIGIN_TIMESTAMPING")),
                ("ee_type", 0),
                ("ee_code", 0),
                ("ee_info", report.what),
                ("ee_data", byte),
            ]),
        });
        let cut = if self.brings_packet() {
            symbols::MSG_TRUNC
        } else {
            0
        };
        ReceivedMessage {
            bytes: 0,
            flags: of("MSG_ERRQUEUE") | cut,
            control,
        }
    }
}

/// The level and the type of a report, on a socket of IPv6 or not.
fn error_names(is_ipv6: bool) -> [&'static str; 2] {
    match is_ipv6 {
        true => ["SOL_IPV6", "IPV6_RECVERR"],
        false => ["SOL_IP", "IP_RECVERR"],
    }
}

fn of(name: &str) -> i64 {
    symbols::value(name).unwrap_or(0)
}

/// Message in the queue of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorQueueMessage {
    /// Something has happened to a byte.
    Stamped(Stamped),
    /// The memory of these writes is free, of those that were not to be copied.
    Freed { first: i64, last: i64 },
}

/// Event of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamped {
    at: Time,
    what: i64,
    last: i64,
}

/// The last byte of a write.
#[derive(Clone, Copy, Debug)]
struct WriteStamp {
    last: i64,
    flags: i64,
    is_record: bool,
    is_sent: bool,
}

/// The stamps of a connection.
#[derive(Clone, Debug, Default)]
pub(super) struct ConnectionStamps {
    /// Bytes written so far.
    pub written: i64,
    stamps: VecDeque<WriteStamp>,
    /// Writes that were not copied: how many, and where those end that are not acknowledged.
    uncopied: i64,
    uncopied_ends: VecDeque<i64>,
    pub reports: VecDeque<ErrorQueueMessage>,
    /// Number of times there was something new to report.
    pub told: u64,
}

impl ConnectionStamps {
    /// A call has written all that it will. What it added to a buffer takes the stamp that stood
    /// there (`tcp_tx_timestamp`), unless that ended a record.
    pub fn note_written(&mut self, stamping: &Stamping, is_record: bool) {
        if stamping.flags & (TX_SCHED | TX_SOFTWARE | TX_ACK) == 0 {
            return;
        }
        if self
            .stamps
            .back()
            .is_some_and(|s| !s.is_sent && !s.is_record)
        {
            self.stamps.pop_back();
        }
        self.stamps.push_back(WriteStamp {
            last: self.written - 1,
            flags: stamping.flags,
            is_record,
            is_sent: false,
        });
    }

    /// A call has written all that it will, from memory that must stay.
    pub fn note_uncopied(&mut self) {
        self.uncopied += 1;
        self.uncopied_ends.push_back(self.written);
    }

    /// Nothing is sent any more: the memory of all writes is free (`tcp_write_queue_purge`).
    pub fn free_all(&mut self) {
        for write in self.uncopied - self.uncopied_ends.len() as i64..self.uncopied {
            self.free(write);
        }
        self.uncopied_ends.clear();
    }

    /// Tells what is freed with the report before it, while that waits
    /// (`skb_zerocopy_notify_extend`).
    fn free(&mut self, write: i64) {
        self.told += 1;
        match self.reports.back_mut() {
            Some(ErrorQueueMessage::Freed { last, .. }) if *last + 1 == write => *last = write,
            _ => self.reports.push_back(ErrorQueueMessage::Freed {
                first: write,
                last: write,
            }),
        }
    }

    /// `segment` of a connection that began with `isn` leaves.
    pub fn note_sent(&mut self, now: Time, isn: u32, segment: &Segment) {
        let first = segment.seq.0.wrapping_sub(isn).wrapping_sub(1);
        for stamp in &mut self.stamps {
            if (stamp.last as u32).wrapping_sub(first) >= segment.payload {
                continue;
            }
            stamp.is_sent = true;
            for (flag, what) in [(TX_SCHED, SCHEDULED), (TX_SOFTWARE, SENT)] {
                if stamp.flags & flag != 0 {
                    self.told += 1;
                    self.reports.push_back(stamp.report(now, what));
                }
            }
        }
    }

    /// So many bytes are acknowledged by now.
    pub fn note_acknowledged(&mut self, now: Time, bytes: i64) {
        while let Some(stamp) = self.stamps.front().filter(|stamp| stamp.last < bytes) {
            if stamp.flags & TX_ACK != 0 {
                self.told += 1;
                self.reports.push_back(stamp.report(now, ACKNOWLEDGED));
            }
            self.stamps.pop_front();
        }
        while self.uncopied_ends.front().is_some_and(|end| *end <= bytes) {
            let write = self.uncopied - self.uncopied_ends.len() as i64;
            self.uncopied_ends.pop_front();
            self.free(write);
        }
    }
}

impl WriteStamp {
    fn report(&self, at: Time, what: i64) -> ErrorQueueMessage {
        let last = self.last;
        ErrorQueueMessage::Stamped(Stamped { at, what, last })
    }
}
