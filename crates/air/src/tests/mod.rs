//! Small channels with few radios: what is heard of what is sent, worked out by hand.

mod aggregates;
pub mod cell;
mod channels;
mod collisions;
mod damaged;
pub mod ears;
mod emitters;
mod exchanges;
mod overlaps;
mod powers_alone;
mod thresholds;
mod varying;

use units::{Duration, Time};

/// A time in µs.
pub fn at(micros: u64) -> Time {
    Time::ZERO + Duration::from_micros(micros)
}
