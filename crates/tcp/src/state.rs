//! The connection states of RFC 9293 §3.3.2 and the arrows between them.

/// Where a connection stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// Waiting for a SYN.
    Listen,
    /// Our SYN is out.
    SynSent,
    /// SYNs have crossed or been answered; ours is not acknowledged.
    SynReceived,
    /// Data flow both ways.
    Established,
    /// We have closed; our FIN is not acknowledged.
    FinWait1,
    /// Our FIN is acknowledged; the peer may still send.
    FinWait2,
    /// The peer has closed; we may still send.
    CloseWait,
    /// Both closed at once; our FIN is not acknowledged.
    Closing,
    /// The peer closed, then we did; our FIN is not acknowledged.
    LastAck,
    /// Both ends are done; old segments are given time to die.
    TimeWait,
    /// There is no connection.
    Closed,
}

/// Event that moves a connection from state to state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Transition {
    /// A SYN without an acknowledgement of ours arrived.
    Syn,
    /// Our SYN was acknowledged, the peer's being in hand.
    Acknowledged,
    /// The application has no more to send.
    Close,
    /// Our FIN was acknowledged.
    FinAcknowledged,
    /// The peer's FIN arrived in order.
    Fin,
}

impl State {
    /// The state after `transition`; one without an arrow in the standard's figure stays.
    pub(crate) fn after(self, transition: Transition) -> State {
        use State::*;
        match (self, transition) {
            (Listen | SynSent, Transition::Syn) => SynReceived,
            (SynSent | SynReceived, Transition::Acknowledged) => Established,
            (SynReceived | Established, Transition::Close) => FinWait1,
            (CloseWait, Transition::Close) => LastAck,
            (FinWait1, Transition::FinAcknowledged) => FinWait2,
            (Closing, Transition::FinAcknowledged) => TimeWait,
            (LastAck, Transition::FinAcknowledged) => Closed,
            (SynReceived | Established, Transition::Fin) => CloseWait,
            (FinWait1, Transition::Fin) => Closing,
            (FinWait2, Transition::Fin) => TimeWait,
            (state, _) => state,
        }
    }

    /// Returns whether both ends know each other's sequence numbers (Established and later).
    #[inline]
    pub const fn is_synchronized(self) -> bool {
        !matches!(
            self,
            State::Closed | State::Listen | State::SynSent | State::SynReceived
        )
    }

    /// Returns whether the peer has told its end, and ours is not acknowledged.
    #[inline]
    pub(crate) const fn is_after_fin(self) -> bool {
        matches!(self, State::CloseWait | State::Closing | State::LastAck)
    }

    /// Returns whether data or a FIN of ours may still be outstanding.
    #[inline]
    pub(crate) const fn may_transmit(self) -> bool {
        use State::*;
        matches!(self, Established | CloseWait | FinWait1 | Closing | LastAck)
    }

    /// Returns whether data from the peer still have a taker.
    #[inline]
    pub(crate) const fn may_receive(self) -> bool {
        matches!(self, State::Established | State::FinWait1 | State::FinWait2)
    }
}

#[cfg(test)]
mod tests {
    use super::{State::*, Transition::*, *};

    fn walk(from: State, transitions: &[Transition]) -> State {
        transitions
            .iter()
            .fold(from, |state, &transition| state.after(transition))
    }

    #[test]
    fn the_active_closer_ends_in_time_wait() {
        assert_eq!(
            walk(SynSent, &[Acknowledged, Close, FinAcknowledged, Fin]),
            TimeWait
        );
    }

    #[test]
    fn the_passive_closer_ends_in_closed() {
        let path = [Syn, Acknowledged, Fin, Close, FinAcknowledged];
        assert_eq!(walk(Listen, &path), Closed);
    }

    #[test]
    fn both_closing_at_once_leads_through_closing() {
        assert_eq!(walk(Established, &[Close, Fin]), Closing);
        assert_eq!(walk(Established, &[Close, Fin, FinAcknowledged]), TimeWait);
    }

    #[test]
    fn both_opening_at_once_leads_through_syn_received() {
        assert_eq!(walk(SynSent, &[Syn]), SynReceived);
        assert_eq!(walk(SynSent, &[Syn, Acknowledged]), Established);
    }

    #[test]
    fn only_the_arrows_of_the_standard_exist() {
        let all = [
            Listen,
            SynSent,
            SynReceived,
            Established,
            FinWait1,
            FinWait2,
            CloseWait,
            Closing,
            LastAck,
            TimeWait,
            Closed,
        ];
        let arrows = all
            .into_iter()
            .flat_map(|s| [Syn, Acknowledged, Close, FinAcknowledged, Fin].map(|t| (s, s.after(t))))
            .filter(|(from, to)| from != to)
            .count();
        assert_eq!(arrows, 14);
    }
}
