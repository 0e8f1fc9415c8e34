//! What held a sender up, and for how long.
//!
//! The time of a direction, from its first segment with payload to its last, is put gap by gap to
//! the account of what ended each: so the accounts add up to that time, and the stalls
//! (`stall.rs`) are the long gaps among them.

use serde::Serialize;

/// What held a sender up between two segments with payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Its application gave it nothing to send.
    Application,
    /// The receiver's window had no room for another full segment.
    Window,
    /// A loss was to be repaired, or it waited for a timer.
    Loss,
    /// Acknowledgments on their way, which make room in its congestion window and in its own
    /// buffer. What none of the others explains.
    Network,
}

/// How long each limit held in all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Accounts {
    /// Those in the order of [`Limit`] but for the last, which has the rest of the time.
    held_ns: [u64; 3],
}

impl Accounts {
    /// A gap ends.
    #[inline]
    pub fn add(&mut self, limit: Limit, gap_ns: u64) {
        if let Some(held_ns) = self.held_ns.get_mut(limit as usize) {
            *held_ns = held_ns.saturating_add(gap_ns);
        }
    }

    /// What they are of so long a time, captured nearer to the sender than to the receiver.
    pub fn near(&self, whole_ns: u64) -> HeldUp {
        let [application_ns, window_ns, loss_ns] = self.held_ns;
        let explained_ns = self.held_ns.iter().copied().fold(0, u64::saturating_add);
        HeldUp {
            application_ns,
            window_ns,
            loss_ns,
            network_ns: Some(whole_ns.saturating_sub(explained_ns)),
            unknown_ns: 0,
        }
    }

    /// The same captured nearer to the receiver, where `idle_ns` were stalls of the application.
    /// Data are acknowledged there as soon as they pass, so that neither what is on its way tells
    /// of the window, nor what set a segment off of the application.
    pub fn far(&self, whole_ns: u64, idle_ns: u64) -> HeldUp {
        let [_, window_ns, loss_ns] = self.held_ns;
        let explained_ns = idle_ns.saturating_add(window_ns).saturating_add(loss_ns);
        HeldUp {
            application_ns: idle_ns,
            window_ns,
            loss_ns,
            network_ns: None,
            unknown_ns: whole_ns.saturating_sub(explained_ns),
        }
    }
}

/// For how long each limit held a sender up; together its time from the first payload to the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HeldUp {
    /// [`Limit::Application`]; at least, where some is unknown.
    pub application_ns: u64,
    /// [`Limit::Window`]; at least, where some is unknown.
    pub window_ns: u64,
    /// [`Limit::Loss`].
    pub loss_ns: u64,
    /// [`Limit::Network`]; none where the sender is far from the point of capture.
    pub network_ns: Option<u64>,
    /// What cannot be told from there.
    pub unknown_ns: u64,
}
