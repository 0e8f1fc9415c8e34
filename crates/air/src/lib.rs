//! The shared channel: what each radio hears of each transmission.
//!
//! A [`Medium`] holds every radio's end of the channel: the powers between all
//! pairs ([`LinkBudget`]), what each radio is listening to, and each radio's
//! carrier sense and backoff (`dot11::Contention`). Collisions, hidden
//! stations, capture and EIFS follow from powers alone; none is a switch with a probability.
//!
//! Radios that sense the same form a group, whose members in step share one carrier sense
//! (`dot11::Shared`); a frame concerns the groups that sense it. Radios that do not hear each
//! other, over others or at once, are in domains of their own, which do not meet.
//!
//! The owner calls, for every transmission, [`Medium::begin`] at its first bit and
//! [`Medium::end`] at its last. The end tells the stations concerned how their receptions
//! went ([`Stations`]) before it lets carrier sense go; no radio's part in it depends on
//! another's. What lay under a frame is worked out then, at those who received it.
//!
//! Emitters radiate without sending frames ([`Emitter`]). Where carrier sense notices one,
//! [`Medium::radiate`] and [`Medium::cease`] say when; to frames it is noise all the same.
//!
//! A link's loss may change with time ([`LinkBudget::vary`]): each frame has the powers of its
//! first bit to its end. Fading of many kinds is declared in [`fading`]; whatever else implements
//! [`Process`], as the way that a station walks, stands beside it.
//!
//! Propagation takes no time: in a room it is some tens of nanoseconds, within
//! the microsecond that the slot already allows for it (IEEE 802.11-2007, clause 9.2.10).

mod budget;
mod capture;
mod collision;
mod emitter;
mod ending;
mod errors;
pub mod fading;
mod group;
mod listener;
mod medium;
pub mod mobility;
mod next;
pub mod noise;
pub mod propagation;
mod reception;
mod receptions;
mod sent;
mod stations;
#[cfg(test)]
mod tests;
mod undisturbed;
mod varying;

pub use budget::{LinkBudget, PowerRule, noise_floor};
pub use capture::{Capture, Until};
pub use collision::Collision;
pub use emitter::{Emitter, ReceivedEmission};
pub use medium::Medium;
pub use sent::Transmission;
pub use stations::{Reception, ReceptionRandom, Stations};
pub use varying::Process;
