//! When a receiver leaves the frame it is on for another one.

use units::serde::{Deserialize, Serialize};
use units::{Db, Duration, Milliwatts};

/// Until when a receiver may leave a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", crate = "units::serde")]
pub enum Until {
    /// Until it has been detected.
    Detection,
    /// Until its PLCP header ends.
    Header,
    /// Until it ends.
    Payload,
}

/// How a receiver takes the stronger of two frames.
///
/// Two preambles within the time of a clear channel assessment are one search, and the correlator
/// locks on the higher peak. Once it has locked, receivers of the Prism kind turn to a stronger
/// frame that comes within the first one's preamble (Kochut et al., ICNP 2004), those of the
/// Atheros kind at any time, to one that is 10 dB above (Lee et al., WiNTECH 2007).
#[derive(Clone, Copy, Debug)]
pub struct Capture {
    until: Until,
    margin: f64,
}

impl Capture {
    /// A receiver that leaves a frame it has locked on for one that is `margin` above it.
    pub fn new(until: Until, margin: Db) -> Capture {
        Capture {
            until,
            margin: libm::pow(10.0, margin.0 / 10.0),
        }
    }

    /// What a frame that comes needs to turn a receiver from one that began `since` and has a PLCP
    /// header that ends after `header`; none if nothing does.
    pub(crate) fn needed(
        &self,
        since: Duration,
        detection: Duration,
        header: Duration,
    ) -> Option<Needed> {
        let is_in_time = match self.until {
            Until::Detection => false,
            Until::Header => since < header,
            Until::Payload => true,
        };
        match since <= detection {
            true => Some(Needed::More),
            false => is_in_time.then_some(Needed::Times(self.margin)),
        }
    }
}

/// What a frame needs beside another to have a receiver turn to it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Needed {
    /// More power.
    More,
    /// So many times its power, at least.
    Times(f64),
}

impl Needed {
    #[inline]
    pub fn is_met(self, has: Milliwatts, comes: Milliwatts) -> bool {
        match self {
            Needed::More => comes > has,
            Needed::Times(margin) => comes.0 >= margin * has.0,
        }
    }
}
