//! Time, rate, power and link addresses as types.
//!
//! Everything a protocol measures has a unit, and a number without one is the
//! classic error of a network simulator. Time is an integer of nanoseconds, so
//! that sums are exact and records are equal on every machine; no float ever
//! holds a time. Powers are floats, in decibels where people speak and in
//! milliwatts where powers add.
//!
//! ```
//! use units::{Duration, Rate, Time};
//! let sent = Time::ZERO + Duration::from_millis(3);
//! let on_the_wire = Rate::from_mbps(100.0).duration_of(1500);
//! assert_eq!((sent + on_the_wire).as_nanos(), 3_120_000);
//! ```
//!
//! What people may write of these quantities is stated with [`declare!`], what there is to choose
//! from with [`kinds!`], what people get to read with [`declaration::Metric`] and [`row!`].

pub mod declaration;
pub mod histogram;
pub mod kinds;
mod mac_address;
mod place;
mod power;
mod range;
mod rate;
mod spans;
mod steps;
pub mod table;
mod time;

#[doc(hidden)]
pub use serde;

pub use mac_address::MacAddress;
pub use place::Place;
pub use power::{Db, Dbm, Milliwatts};
pub use range::Range;
pub use rate::Rate;
pub use spans::Spans;
pub use steps::Steps;
pub use time::{Duration, Time};
