//! The comparison of two machines' clocks: a request, and a reply of the same tag, now and then,
//! outside the traffic. What the kernels stamped tells the rest.

use serde::Deserialize;
use traffic::{App, Net, ReceivedDatagram};
use units::Duration;

/// Bytes of a request, and of its reply.
const PAYLOAD: u32 = 64;

/// When clocks are compared.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ComparisonConfig {
    /// The spans within which requests are sent: milliseconds behind the common start.
    spans_ms: Vec<(u32, u32)>,
    /// The time between two requests.
    every_ms: u32,
}

impl ComparisonConfig {
    /// Refuses what would be more than a little traffic.
    pub fn check(&self) -> Result<(), String> {
        if self.spans_ms.len() > 16 || !(5..=1000).contains(&self.every_ms) {
            return Err("16 spans at most, and requests 5 to 1000 ms apart".to_owned());
        }
        Ok(())
    }
}

/// Who asks.
#[derive(Debug)]
pub(crate) struct Asker {
    config: ComparisonConfig,
    tag: u64,
}

impl Asker {
    pub fn new(config: ComparisonConfig) -> Asker {
        Asker { config, tag: 0 }
    }
}

impl App for Asker {
    fn on_start(&mut self, net: &mut impl Net) {
        net.wake_at(net.now());
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        let now = net.now().as_nanos() / 1_000_000;
        let within = |&(from, to): &(u32, u32)| (u64::from(from)..u64::from(to)).contains(&now);
        if self.config.spans_ms.iter().any(within) {
            net.send(PAYLOAD, self.tag);
            self.tag += 1;
        }
        net.wake_at(net.now() + Duration::from_millis(u64::from(self.config.every_ms)));
    }
}

/// Who replies.
#[derive(Debug)]
pub(crate) struct Replier;

impl App for Replier {
    fn on_datagram(&mut self, datagram: ReceivedDatagram, net: &mut impl Net) {
        net.send(PAYLOAD, datagram.tag);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_a_little_is_refused() {
        let of = |every_ms, spans| ComparisonConfig {
            spans_ms: vec![(0, 1000); spans],
            every_ms,
        };
        assert!(of(5, 2).check().is_ok());
        assert!(of(4, 2).check().is_err());
        assert!(of(5, 17).check().is_err());
    }
}
