//! A world on the wall clock: its ports are network namespaces with a TAP interface, in which real
//! kernels and programs believe that they are on the air and the wires of the world, or interfaces
//! of this machine, behind which other machines are ([`device`]).
//!
//! One thread runs the world, reads what programs send and writes what they receive ([`pacing`],
//! [`running`]); another answers who asks for programs and numbers, or sets an access point
//! ([`control`], [`settings`]). Programs descend
//! from a process of their own ([`programs`]), so that nothing is left when the emulator ends,
//! however it ends. What came in is logged ([`arrivals`]), and can be run again offline
//! ([`replaying`]).

mod arrivals;
mod background;
mod consequences;
mod control;
mod device;
mod emulating;
mod failure;
mod lateness;
mod links;
mod machines;
mod outcome;
mod pacing;
mod programs;
mod replaying;
mod request;
mod rows_on_disk;
mod running;
mod settings;
mod verdict;

pub use consequences::{Consequences, consequences};
pub use emulating::emulate;
pub use failure::EmulationFailure;
pub use outcome::{EmulationOutcome, PortOutcome, RunVerdict};
pub use replaying::{Replayed, replay};
pub use request::EmulationRequest;
