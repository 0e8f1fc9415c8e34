//! The shared channel: what each radio hears of each transmission.
//!
//! A [`Medium`] holds every radio's end of the channel: the powers between all
//! pairs ([`LinkBudget`]), what each radio is listening to, and each radio's
//! carrier sense and backoff (`dot11::Contention`, kept here in a dense array
//! because every transmission touches all of them). Collisions, hidden
//! stations, capture and EIFS follow from powers alone; none is a switch.
//!
//! The owner calls, for every transmission, [`Medium::begin`] at its first bit and
//! [`Medium::end`] at its last. The end tells the stations concerned how their receptions
//! went ([`Stations`]) before it lets carrier sense go; no radio's part in it depends on
//! another's, so one pass over the radios does it all.
//!
//! Emitters radiate without sending frames ([`Emitter`]): [`Medium::radiate`] and
//! [`Medium::cease`] say when.
//!
//! Propagation takes no time: in a room it is some tens of nanoseconds, within
//! the microsecond that the slot already allows for it (IEEE 802.11-2007, clause 9.2.10).

mod budget;
mod emitter;
mod errors;
mod listener;
mod lock;
mod medium;
mod sent;
mod stations;
#[cfg(test)]
mod tests;

pub use budget::{LinkBudget, noise_floor};
pub use emitter::Emitter;
pub use medium::{Concluded, Medium};
pub use stations::{Chance, Reception, Stations};
