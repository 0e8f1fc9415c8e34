//! Connections as a table: both ends of each, from their opening to their end.

use tcp::Failure;
use units::Time;
use units::table::Flow;

use crate::hosts::SocketEnd;
use crate::ids::Side;

units::words! {
    /// An end of a flow.
    pub enum TransferEnd {
        /// The end that starts the flow.
        Sender = "sender",
        /// The other one.
        Receiver = "receiver",
    }
}

units::words! {
    /// What became of a connection.
    pub enum TransferOutcome {
        /// There still is one.
        Open = "open",
        /// It ended in an orderly way.
        Closed = "closed",
        /// Nothing was acknowledged any more.
        TimedOut = "timed out",
        /// A reset answered the SYN.
        Refused = "refused",
        /// A reset came later on.
        Reset = "reset",
    }
}

units::row! {
    /// Both ends of every connection, in the order in which they ended; those that have not,
    /// at the end.
    pub struct TransferRow = "transfers" {
        /// the flow's name
        flow: Flow, "";
        /// `sender` starts the flow, `receiver` does not
        end: TransferEnd, "";
        /// 1 if this end opened the connection, 0 if the other one did
        opener: bool, "";
        /// when the end that opened the connection did so, from the start of the run
        begun_s: Time, "s";
        /// when the SYN was sent or had arrived
        opened_s: Time, "s";
        /// end of the handshake; NaN if there was none
        established_s: Option<Time>, "s";
        /// when the application read the last byte so far; NaN without any
        last_read_s: Option<Time>, "s";
        /// when all that the peer sent had arrived, its FIN too; NaN before
        completed_s: Option<Time>, "s";
        /// when the connection was over here; NaN while it is not
        ended_s: Option<Time>, "s";
        /// payload that the peer has acknowledged
        bytes_sent: u64, "bytes";
        /// payload received in order
        bytes_received: u64, "bytes";
        /// `open`, `closed`, `timed out`, `refused` or `reset`
        outcome: TransferOutcome, "";
    }
}

impl TransferRow {
    /// An end of a connection that is over since `ended`, or is not.
    pub fn of(end: &SocketEnd, ended: Option<Time>) -> TransferRow {
        let counters = end.connection.counters();
        let history = &end.history;
        TransferRow {
            flow: end.owner.flow.into(),
            end: TransferEnd::of(end.owner.side),
            opener: history.is_opener,
            begun_s: history.begun,
            opened_s: history.opened,
            established_s: history.established,
            last_read_s: history.last_read,
            completed_s: history.completed,
            ended_s: ended,
            bytes_sent: counters.bytes_acknowledged,
            bytes_received: counters.bytes_received,
            outcome: match (history.failure, ended) {
                (Some(Failure::TimedOut), _) => TransferOutcome::TimedOut,
                (Some(Failure::Refused), _) => TransferOutcome::Refused,
                (Some(Failure::Reset), _) => TransferOutcome::Reset,
                (None, Some(_)) => TransferOutcome::Closed,
                (None, None) => TransferOutcome::Open,
            },
        }
    }
}

impl TransferEnd {
    /// The end of a flow on a side.
    pub fn of(side: Side) -> TransferEnd {
        match side {
            Side::Initiator => TransferEnd::Sender,
            Side::Responder => TransferEnd::Receiver,
        }
    }
}
