//! IEEE 802.11: timing, rates, error models, frames, contention, frame exchange, rate control.
