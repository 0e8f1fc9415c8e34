//! The shared channel: power at every receiver, carrier sense, reception.
