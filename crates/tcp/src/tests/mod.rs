//! Whole connections: one endpoint against a scripted peer, and two over a wire.

mod bulk;
mod pair;
mod property;
