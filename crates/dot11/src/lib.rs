//! IEEE 802.11's MAC: frames, contention, frame exchange, association, rate control.
//!
//! Three machines, none of which reads a clock, draws a random number on its own or schedules an
//! event: [`Contention`] decides *when* a station may transmit, [`Mac`] decides *what*, and a rate
//! control decides *how fast*. The owner (a simulated or a real channel) tells them what happens
//! and is told what to transmit.
//!
//! # Order of calls
//!
//! At the end of a reception, and of a transmission, the frame comes before the edge:
//!
//! 1. the result of the reception, to the [`Contention`] of every station that took part:
//!    [`Contention::on_overheard`], [`Contention::on_garbled`], or [`Mac::on_receive`] for the
//!    station the frame is for; or [`Mac::on_transmit_end`] for the transmitter;
//! 2. [`Mac::on_garbled`] where [`Contention::awaits_response`] says that the MAC wants to know
//!    that something else than its response arrived;
//! 3. [`Contention::on_idle`] for everyone whose medium has become idle;
//! 4. after each call to a [`Mac`], [`Mac::poll_outcome`], and a look at [`Mac::wake_at`] and
//!    [`Contention::access_at`].
//!
//! ```
//! use dot11::{Address, Contention, Draw};
//! use phy::DSSS_HR;
//! use units::{Duration, Time};
//!
//! struct Always(u16);
//! impl Draw for Always {
//!     fn up_to(&mut self, max: u16) -> u16 {
//!         self.0.min(max)
//!     }
//! }
//!
//! let at = |micros| Time::ZERO + Duration::from_micros(micros);
//! let mut station = Contention::new(&DSSS_HR, 31);
//! station.on_busy(at(0));
//! station.request_access(at(100), &mut Always(7));
//! assert_eq!(station.access_at(), Time::NEVER, "the medium is busy");
//! station.on_idle(at(1000), &mut Always(7));
//! assert_eq!(station.access_at(), at(1000 + 50 + 7 * 20), "DIFS, then seven slots");
//! # let _ = Address::BROADCAST;
//! ```

pub mod association;
mod category;
pub mod codec;
mod contention;
mod frame;
mod mac;
pub mod rate_control;

// What its configurations speak of.
pub use phy::{Band, Mode, Preamble, Standard};

pub use category::{Category, user_priority};
pub use contention::{Access, Contention, Draw, InStep, SharedContention};
pub use frame::{
    ACK_BYTES, Address, BLOCK_ACK_REQUEST_BYTES, CTS_BYTES, DATA_HEADER_BYTES, FCS_BYTES, Frame,
    FrameKind, LLC_SNAP_BYTES, RTS_BYTES,
};
pub use mac::{
    AccessFunction, AggregationConfig, Agreements, BlockAck, ConfigError, DataMpdu, Decoded,
    DropCause, ExchangePart, GapStatistics, Mac, MacConfig, MacCounters, Msdu, MsduDelivery,
    MsduOutcome, Negotiation, OutcomeResult, Privacy, Protection, ReceiverConfig, Setting,
};
