//! A TCP endpoint as a state machine without I/O.
//!
//! A [`Connection`] is handed the time and a segment, a timer's expiry or an application's
//! call; it hands out segments and events, and says when it wants to be woken. It reads no
//! clock, knows no network and stores no bytes: a payload is a length, and a position in the
//! stream is an offset. What a host's TCP is like stands in its [`Profile`].
//!
//! After every call that changes a connection, poll its segments until there are none, poll
//! its events, and look at [`Connection::wake_at`] again:
//!
//! ```
//! use tcp::{Connection, ConnectionOptions, Event, profile};
//! use units::Time;
//!
//! let (now, profile) = (Time::ZERO, profile("windows-xp").unwrap());
//! let options = ConnectionOptions::default();
//! let mut client = Connection::connect(now, &profile, &options, 1000);
//! let mut server = Connection::listen(&profile, &options, 5000);
//! client.write(now, 100);
//! client.close(now);
//! loop {
//!     let (request, reply) = (client.poll_segment(now), server.poll_segment(now));
//!     if request.is_none() && reply.is_none() {
//!         break;
//!     }
//!     request.iter().for_each(|segment| server.on_segment(now, segment));
//!     reply.iter().for_each(|segment| client.on_segment(now, segment));
//! }
//! assert_eq!(server.read(now, u64::MAX), 100);
//! assert_eq!(server.poll_event(), Some(Event::Established));
//! assert_eq!(server.poll_event(), Some(Event::Readable));
//! assert_eq!(server.poll_event(), Some(Event::PeerClosed));
//! ```

mod choices;
mod config;
mod congestion;
mod connection;
mod counters;
mod delayed_ack;
mod ecn;
mod event;
mod fast_open;
mod info;
mod phase;
mod profiles;
mod ranges;
mod receive;
mod recovery;
mod rtt;
mod segment;
mod send;
mod send_times;
mod seq;
mod state;
mod tcp_info;
#[cfg(test)]
mod tests;
mod timers;

pub use config::{ConnectionOptions, QueueBelow};
pub use congestion::{CongestionAlgorithm, InitialWindow, WindowValidation};
pub use connection::{Connection, SocketOption, refusal};
pub use counters::Counters;
pub use ecn::EcnUse;
pub use event::{Event, Failure};
pub use fast_open::{
    Cookie, FastOpenClient, FastOpenFailure, FastOpenLesson, FastOpenOption, FastOpenServer,
};
pub use info::Info;
pub use phase::RecoveryPhase;
pub use profiles::{
    BsdStack, ClassicSender, Family, Linux2Stack, LinuxKernel, LinuxStack, MtuProbing,
    MtuProbingUse, ParameterDoc, Profile, ProfileField, StandardStack, describe, profile,
    profile_fields, profile_names,
};
pub use recovery::RecoveryAlgorithm;
pub use segment::{Ecn, Flags, Options, SackBlock, SackBlocks, Segment, SendCause, Timestamps};
pub use send::Nagle;
pub use seq::Seq;
pub use state::State;
pub use tcp_info::{CaState, TcpInfo};
