//! Simulation of one link in white noise: how often what an ideal transmitter sends is decoded by a
//! receiver as chips have it, by modulation, code and ratio of signal to noise.
//!
//! From it come the curves of `phy`'s error model [`phy::ErrorModel::LinkSimulation`]: `link count`
//! counts frames that are lost ([`counts`]), and `link fit` draws curves through the counts ([`fit`]).
//! Synchronisation and the estimate of the channel are ideal, every carrier has the same ratio of
//! signal to noise, and a spatial stream is a link of its own.

mod carrier;
mod convolutional;
pub mod counts;
pub mod fit;
mod interleaver;
mod ldpc;
mod links;
mod noise;

pub use interleaver::InterleaverLayout;
pub use ldpc::BlockLength;
pub use links::{Bcc, Ldpc, SimulatedLink};
pub use noise::Noise;
