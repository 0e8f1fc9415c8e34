//! The event calendar, alarms and seeded random streams: the ground a world stands on.
//!
//! Nothing here knows of networks. A world keeps two kinds of future:
//!
//! * a [`Calendar`] of things that *will* happen (a frame's last bit, a packet's
//!   arrival), ordered by (time, insertion);
//! * [`Alarms`], one per machine, for things that happen *unless* something
//!   else comes first (a backoff's end, a timeout). Moving an alarm costs a
//!   store, not a heap operation.
//!
//! Randomness comes from [`Stream`]s named by (seed, entity, purpose): adding a
//! station does not change the luck of the others.
//!
//! ```
//! use engine::Calendar;
//! use units::{Duration, Time};
//! let mut calendar = Calendar::new();
//! calendar.schedule(Time::ZERO + Duration::from_micros(20), "slot");
//! calendar.schedule(Time::ZERO + Duration::from_micros(10), "SIFS");
//! assert_eq!(calendar.pop().map(|(at, what)| (at.as_nanos(), what)), Some((10_000, "SIFS")));
//! ```

mod alarms;
mod calendar;
mod stream;

pub use alarms::Alarms;
pub use calendar::Calendar;
pub use stream::{Purpose, Stream};
