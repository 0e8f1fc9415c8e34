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

    /// Whether a receiver on a frame that began `since`, and has a PLCP header that ends after
    /// `header`, may turn to one that comes.
    #[inline]
    pub(crate) fn may_turn(&self, since: Duration, detection: Duration, header: Duration) -> bool {
        since <= detection || self.is_in_time(since, header)
    }

    #[inline]
    fn is_in_time(&self, since: Duration, header: Duration) -> bool {
        match self.until {
            Until::Detection => false,
            Until::Header => since < header,
            Until::Payload => true,
        }
    }

    /// Whether a receiver on a frame that it has with the power `has`, which began `since` and has
    /// a PLCP header that ends after `header`, turns to one that comes with the power `comes`.
    pub(crate) fn turns(
        &self,
        [has, comes]: [Milliwatts; 2],
        since: Duration,
        detection: Duration,
        header: Duration,
    ) -> bool {
        match since <= detection {
            true => comes > has,
            false => self.is_in_time(since, header) && comes.0 >= self.margin * has.0,
        }
    }
}
