//! The shared channel: what each radio hears of each transmission.
//!
//! A [`Medium`] holds every radio's end of the channel: the powers between all
//! pairs ([`LinkBudget`]), what each radio is listening to, and each radio's
//! carrier sense and backoff (`dot11::Contention`, kept here in a dense array
//! because every transmission touches all of them). Collisions, hidden
//! stations, capture and EIFS follow from powers alone; none is a switch.
//!
//! The owner calls, for every transmission, in this order:
//!
//! 1. [`Medium::begin`] at its first bit,
//! 2. [`Medium::conclude`] at its last bit, then hands the [`Medium::receptions`]
//!    to the stations concerned,
//! 3. [`Medium::release`], which lets carrier sense go.
//!
//! Propagation takes no time: in a room it is some tens of nanoseconds, within
//! the microsecond that the slot already allows for it (IEEE 802.11-2007, clause 9.2.10).

mod budget;
mod errors;
mod listener;
mod medium;

pub use budget::{LinkBudget, noise_floor};
pub use medium::{Chance, Concluded, Medium, Reception};
