//! What goes into a MAC and what comes out of it.

use crate::frame::{Address, Frame, FrameKind};

/// An MSDU offered for transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Msdu {
    /// The owner's handle.
    pub id: u32,
    /// The station it goes to, one hop; for [`Address::BROADCAST`] it goes to all, once.
    pub destination: Address,
    /// Its length, LLC and SNAP headers included; at most 2304 bytes
    /// (IEEE 802.11-2007 §6.2.1.1.2), which no threshold cuts into more than 16 fragments.
    pub bytes: u16,
    /// [`FrameKind::Data`], or what management frame it is: an MMPDU then.
    pub kind: FrameKind,
}

impl Msdu {
    /// One of data.
    pub const fn data(id: u32, destination: Address, bytes: u16) -> Msdu {
        Msdu {
            id,
            destination,
            bytes,
            kind: FrameKind::Data,
        }
    }
}

/// An MSDU handed up at its receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MsduDelivery {
    /// The transmitter's handle.
    pub msdu: u32,
    /// Who transmitted it.
    pub from: Address,
}

impl MsduDelivery {
    pub(super) fn new(msdu: u32, from: Address) -> MsduDelivery {
        MsduDelivery { msdu, from }
    }

    pub(super) fn of(frame: &Frame) -> MsduDelivery {
        MsduDelivery::new(frame.msdu, frame.transmitter)
    }
}

/// Why an MSDU was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropCause {
    /// The short retry count reached its limit.
    ShortRetryLimit,
    /// The long retry count reached its limit.
    LongRetryLimit,
    /// Its lifetime was over.
    Lifetime,
}

/// How the service of an MSDU ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeResult {
    /// Every fragment was acknowledged; a broadcast was transmitted.
    Delivered {
        /// Data frames it took, all fragments together; RTS not counted.
        attempts: u16,
    },
    /// It was given up.
    Dropped {
        /// Why.
        cause: DropCause,
        /// Data frames spent on it.
        attempts: u16,
    },
}

/// The end of an MSDU's service at its transmitter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MsduOutcome {
    /// The owner's handle.
    pub msdu: u32,
    /// Where it went.
    pub destination: Address,
    /// Its length.
    pub bytes: u16,
    /// How it ended.
    pub result: OutcomeResult,
}
