//! Every kind of thing that a scenario can ask for, as it is declared.

use serde::Serialize;
use traffic::About;
use units::declaration::Kind;

/// All declarations, for whoever compiles scenarios.
#[derive(Clone, Debug, Serialize)]
pub struct Kinds {
    /// Applications.
    pub traffic: Vec<ApplicationKind>,
    /// Steps of scripts.
    pub script_step: &'static [Kind],
    /// Queues in front of wires.
    pub queue: &'static [Kind],
    /// Impairments of wires.
    pub impairment: &'static [Kind],
    /// What fades links between radios.
    pub fading: &'static [Kind],
    /// What radiates and is no station.
    pub noise: &'static [Kind],
    /// Rate controls of radios.
    pub rate_control: &'static [Kind],
    /// Models of propagation.
    pub propagation: &'static [Kind],
    /// Ways in which radios move.
    pub movement: &'static [Kind],
    /// The words for kinds of packets, and what each means.
    pub packets: &'static [(&'static str, &'static str)],
}

/// An application's declaration, and what it is.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ApplicationKind {
    /// What may be said of it.
    #[serde(flatten)]
    pub kind: Kind,
    /// What it is.
    #[serde(flatten)]
    pub about: About,
}

/// All there are.
pub fn kinds() -> Kinds {
    let application = |(&kind, &about): (&Kind, &About)| ApplicationKind { kind, about };
    Kinds {
        traffic: traffic::applications().map(application).collect(),
        script_step: traffic::VERBS,
        queue: net::queue::KINDS,
        impairment: net::impairment::KINDS,
        fading: air::fading::KINDS,
        noise: air::noise::KINDS,
        rate_control: dot11::rate_control::KINDS,
        propagation: air::propagation::KINDS,
        movement: air::mobility::KINDS,
        packets: net::impairment::Match::WORDS,
    }
}
