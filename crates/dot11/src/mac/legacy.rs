//! Receivers of 802.11b, to which a station of 802.11g sends in their modes.

use super::MacConfig;
use crate::frame::Address;
use crate::mode::{DSSS_MODES, Mode};
use crate::rate_control::{Controller, Ladder};

/// Who they are, and the rate control of what is sent to them.
#[derive(Clone, Debug)]
pub(super) struct Legacy {
    pub(super) controller: Controller,
    peers: Vec<bool>,
}

impl Legacy {
    pub(super) fn new(config: &MacConfig) -> Legacy {
        Legacy {
            controller: Controller::new(&config.rate_control, ladder(config.ladder())),
            peers: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, peer: Address) {
        let index = usize::from(peer.0);
        if index >= self.peers.len() {
            self.peers.resize(index + 1, false);
        }
        self.peers[index] = true;
    }

    pub(super) fn has(&self, peer: Address) -> bool {
        self.peers
            .get(usize::from(peer.0))
            .copied()
            .unwrap_or_default()
    }
}

/// The modes of 802.11b up to the fastest of a ladder of 802.11g.
fn ladder(of_802_11g: Ladder) -> Ladder {
    let is_in = |mode: &&Mode| of_802_11g.modes.contains(mode);
    let count = DSSS_MODES.iter().filter(is_in).count();
    Ladder {
        modes: &DSSS_MODES[..count.max(1)],
        ..of_802_11g
    }
}
