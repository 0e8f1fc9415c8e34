//! The event calendar and seeded random streams: the ground a world stands on.
//!
//! Nothing here knows of networks. A [`Calendar`] holds what *will* happen (a
//! packet's arrival, a look at a timer), ordered by (time, insertion). What happens
//! *unless* something else comes first, a countdown's end or a timeout, stays with the
//! machines it belongs to: moving it then costs a store and leaves no dead entry behind.
//!
//! Randomness comes from [`Stream`]s named by (seed, entity, purpose): adding a
//! station does not change the random numbers of the others.
//!
//! ```
//! use engine::Calendar;
//! use units::{Duration, Time};
//! let mut calendar = Calendar::new();
//! calendar.schedule(Time::ZERO + Duration::from_micros(20), "slot");
//! calendar.schedule(Time::ZERO + Duration::from_micros(10), "SIFS");
//! assert_eq!(calendar.pop().map(|(at, what)| (at.as_nanos(), what)), Some((10_000, "SIFS")));
//! ```

mod calendar;
mod stream;

pub use calendar::Calendar;
pub use stream::{Purpose, Stream};
