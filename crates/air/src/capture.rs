//! Which of several frames a receiver takes.

use units::serde::{Deserialize, Serialize};
use units::{Db, Duration, Milliwatts};

/// Until when a receiver may leave a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", crate = "units::serde")]
pub enum Until {
    /// Until it has been detected: the standard's receivers stay with it from there on, whether they
    /// can read it or not (IEEE 802.11-2007 §17.3.12, §18.2.6).
    Detection,
    /// For 16 µs more: ns-3's `SimpleFrameCaptureModel`, of its frame capture models (`CaptureWindow`).
    #[serde(rename = "ns-3")]
    Ns3,
    /// Until its PLCP header ends.
    Header,
    /// Until it ends.
    Payload,
}

/// `CaptureWindow` of ns-3's `FrameCaptureModel`.
const NS3_WINDOW: Duration = Duration::from_micros(16);

/// What a frame needs for a receiver to take it.
///
/// Beneath stronger frames that are on the air already nobody finds a preamble. Two preambles within
/// the time of a clear channel assessment are one search, and the correlator locks on the higher
/// peak. Once it has locked, receivers of the Prism kind turn to a stronger frame that comes within
/// the first one's preamble (Kochut et al., ICNP 2004), those of the Atheros kind at any time, to
/// one that is 10 dB above (Lee et al., WiNTECH 2007).
#[derive(Clone, Copy, Debug)]
pub struct Capture {
    until: Until,
    margin: f64,
    detection: f64,
}

impl Capture {
    /// A receiver that detects a frame `detection` above all that is on the air already, and leaves
    /// one it has locked on for one that is `margin` above it.
    pub fn new(until: Until, margin: Db, detection: Db) -> Capture {
        Capture {
            until,
            margin: libm::pow(10.0, margin.0 / 10.0),
            detection: libm::pow(10.0, detection.0 / 10.0),
        }
    }

    /// Returns what a frame that comes needs to turn a receiver from one that began `since` and has
    /// a PLCP header that ends after `header`; none if nothing does.
    pub(crate) fn needed(
        &self,
        since: Duration,
        detection: Duration,
        header: Duration,
    ) -> Option<Needed> {
        let is_in_time = match self.until {
            Until::Detection => false,
            Until::Ns3 => since <= detection + NS3_WINDOW,
            Until::Header => since < header,
            Until::Payload => true,
        };
        match since <= detection {
            true => Some(Needed::More),
            false => is_in_time.then_some(Needed::Times(self.margin)),
        }
    }

    /// Returns whether a frame stands out from what has been on the air for longer than detection
    /// takes.
    #[inline]
    pub(crate) fn is_detected(&self, comes: Milliwatts, over: Milliwatts) -> bool {
        comes.0 >= self.detection * over.0
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
