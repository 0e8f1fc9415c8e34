//! Whole connections: one endpoint against a scripted peer, and two over a wire.

mod bottleneck;
mod bulk;
mod closed_forms;
mod ecn;
mod fast_open;
mod freezing;
mod handshake;
mod helpers;
mod hostile;
mod pacing;
mod pair;
mod property;
mod recovery;
mod remembering;
mod script;
mod small_queues;
mod stacks;
mod teardown;
mod timestamps;
mod window;
