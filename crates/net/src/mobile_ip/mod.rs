//! Mobile IPv4 (RFC 5944): a host keeps its address in other networks than its own.
//!
//! A [`Mobile`] listens to the advertisements of [`Agent`]s and registers with one of them; its home
//! agent then tunnels (RFC 2003) what comes for it to the care-of address of that one, which hands
//! it on over its link. Both are told the time and what they hear, and answer what is to be sent.

mod agent;
mod message;
mod mobile;
#[cfg(test)]
mod tests;

pub use agent::{Agent, AgentConfig, AgentDecision, Forward};
pub use message::{
    Advertisement, Authenticator, Message, RegistrationKey, RegistrationReply, RegistrationRequest,
};
pub use mobile::{Detection, Mobile, MobileConfig, RegistrationChange};
