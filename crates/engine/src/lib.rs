//! The event calendar, the clock and seeded random streams.
