//! Limits that held a sender up, and the time each held.
//!
//! The time of a direction, from its first segment with payload to its last, is put gap by gap to
//! the account of what ended each: so the accounts add up to that time, and the stalls
//! (`stall.rs`) are the long gaps among them.

use serde::Serialize;

/// The limit that held a sender up between two segments with payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Its application gave it nothing to send: it said that it had sent all.
    Application,
    /// The receiver's window had no room for another full segment.
    Window,
    /// A loss was to be repaired, or it waited for a timer.
    Loss,
    /// Nothing that was captured: nothing was on its way, and nothing set off what came then. A
    /// sender beside the point of capture had nothing to send.
    Silence,
    /// An acknowledgment that its receiver held back (delayed acknowledgments, RFC 1122 §4.2.3.2), of
    /// the one segment on its way.
    Delay,
    /// Its own rule to send no small segment while another is not acknowledged (the Nagle algorithm,
    /// RFC 9293 §3.7.4).
    Nagle,
    /// The pace that it keeps: nothing was on its way either, but it had more to send. Its congestion
    /// control sets that by what the network carried, so the time is the network's.
    Pace,
    /// Acknowledgments on their way, which make room in its congestion window and in its own
    /// buffer. What none of the others explains.
    Network,
}

impl Limit {
    /// All of them, in their order.
    pub(super) const ALL: [Limit; 8] = [
        Limit::Application,
        Limit::Window,
        Limit::Loss,
        Limit::Silence,
        Limit::Delay,
        Limit::Nagle,
        Limit::Pace,
        Limit::Network,
    ];
}

/// Total time that each limit held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Accounts {
    /// The first three of [`Limit`]: what is seldom is kept apart ([`Idle`]), and the network has the
    /// rest of the time, with a sender's own pace in it.
    held_ns: [u64; 3],
}

/// Total times of limits that few connections meet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Idle {
    /// The part of [`Limit::Application`] in gaps that are too long for anything but it.
    long_ns: u64,
    /// Times that [`Limit::Silence`], [`Limit::Delay`] and [`Limit::Nagle`] held.
    silent_ns: u64,
    delayed_ns: u64,
    nagle_ns: u64,
}

impl Idle {
    pub fn on_long(&mut self, gap_ns: u64) {
        self.long_ns = self.long_ns.saturating_add(gap_ns);
    }

    /// A gap ends that was spent with one of these limits, or with another.
    pub fn add(&mut self, limit: Limit, gap_ns: u64) {
        let held_ns = match limit {
            Limit::Silence => &mut self.silent_ns,
            Limit::Delay => &mut self.delayed_ns,
            Limit::Nagle => &mut self.nagle_ns,
            _ => return,
        };
        *held_ns = held_ns.saturating_add(gap_ns);
    }

    /// Returns how long a receiver's or a sender's rules held, wherever that is captured.
    const fn by_rules_ns(self) -> u64 {
        self.delayed_ns.saturating_add(self.nagle_ns)
    }
}

impl Accounts {
    /// A gap ends.
    #[inline]
    pub fn add(&mut self, limit: Limit, gap_ns: u64) {
        if let Some(held_ns) = self.held_ns.get_mut(limit as usize) {
            *held_ns = held_ns.saturating_add(gap_ns);
        }
    }

    /// Gaps that were put to a loss were another's: nothing was lost.
    pub fn correct(&mut self, limit: Limit, gaps_ns: u64) {
        let loss_ns = &mut self.held_ns[Limit::Loss as usize];
        *loss_ns = loss_ns.saturating_sub(gaps_ns);
        self.add(limit, gaps_ns);
    }

    /// Returns what they are of so long a time, captured nearer to the sender than to the receiver.
    pub fn near(&self, whole_ns: u64, idle: Idle) -> HeldUp {
        let [said_ns, window_ns, loss_ns] = self.held_ns;
        let silent_ns = idle.silent_ns;
        let explained_ns = self.held_ns.iter().copied().fold(
            silent_ns.saturating_add(idle.by_rules_ns()),
            u64::saturating_add,
        );
        HeldUp {
            application_ns: said_ns.saturating_add(silent_ns),
            window_ns,
            loss_ns,
            network_ns: Some(whole_ns.saturating_sub(explained_ns)),
            delayed_ack_ns: idle.delayed_ns,
            nagle_ns: idle.nagle_ns,
            unknown_ns: 0,
            silent_ns,
        }
    }

    /// The same captured nearer to the receiver. Data are acknowledged there as soon as they pass,
    /// so that neither what is on its way tells of the window, nor what set a segment off of the
    /// application; and a silence may be that of what was lost before.
    pub fn far(&self, whole_ns: u64, idle: Idle) -> HeldUp {
        let [_, window_ns, loss_ns] = self.held_ns;
        let explained_ns = [window_ns, loss_ns].into_iter().fold(
            idle.long_ns.saturating_add(idle.by_rules_ns()),
            u64::saturating_add,
        );
        HeldUp {
            application_ns: idle.long_ns,
            window_ns,
            loss_ns,
            network_ns: None,
            delayed_ack_ns: idle.delayed_ns,
            nagle_ns: idle.nagle_ns,
            unknown_ns: whole_ns.saturating_sub(explained_ns),
            silent_ns: 0,
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
    /// [`Limit::Network`] and [`Limit::Pace`]; none where the sender is far from the point of
    /// capture.
    pub network_ns: Option<u64>,
    /// [`Limit::Delay`].
    pub delayed_ack_ns: u64,
    /// [`Limit::Nagle`].
    pub nagle_ns: u64,
    /// Time whose limit cannot be told: far from the sender the rest, on the air its silences.
    pub unknown_ns: u64,
    /// [`Limit::Silence`], of `application_ns`.
    #[serde(skip)]
    silent_ns: u64,
}

impl HeldUp {
    /// It was captured on the air, where a segment is seen when it has the medium, not when TCP
    /// sent it: a silence may be that of a station that waits.
    pub(super) fn doubt_silence(&mut self) {
        let silent_ns = std::mem::take(&mut self.silent_ns);
        self.application_ns -= silent_ns;
        self.unknown_ns += silent_ns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(limits: &[(Limit, u64)]) -> (Accounts, Idle) {
        let (mut accounts, mut idle) = (Accounts::default(), Idle::default());
        for &(limit, gap_ns) in limits {
            accounts.add(limit, gap_ns);
            idle.add(limit, gap_ns);
        }
        (accounts, idle)
    }

    #[test]
    fn beside_the_sender_who_is_silent_has_nothing_to_send() {
        let gaps = [
            (Limit::Application, 10),
            (Limit::Silence, 20),
            (Limit::Loss, 5),
        ];
        let (accounts, idle) = told(&gaps);
        let held_up = accounts.near(100, idle);
        assert_eq!((held_up.application_ns, held_up.loss_ns), (30, 5));
        assert_eq!((held_up.network_ns, held_up.unknown_ns), (Some(65), 0));
    }

    #[test]
    fn a_pace_is_the_networks() {
        let (accounts, idle) = told(&[(Limit::Silence, 20), (Limit::Pace, 30)]);
        let held_up = accounts.near(100, idle);
        assert_eq!((held_up.application_ns, held_up.network_ns), (20, Some(80)));
    }

    #[test]
    fn on_the_air_who_is_silent_may_wait_for_the_medium() {
        let (accounts, idle) = told(&[(Limit::Application, 10), (Limit::Silence, 20)]);
        let mut held_up = accounts.near(100, idle);
        held_up.doubt_silence();
        assert_eq!((held_up.application_ns, held_up.unknown_ns), (10, 20));
    }

    #[test]
    fn far_from_the_sender_only_who_said_so_and_paused_for_long_had_nothing_to_send() {
        let (accounts, mut idle) = told(&[(Limit::Application, 30), (Limit::Silence, 20)]);
        idle.on_long(25);
        let held_up = accounts.far(100, idle);
        assert_eq!((held_up.application_ns, held_up.unknown_ns), (25, 75));
        assert_eq!(held_up.network_ns, None);
    }
}
