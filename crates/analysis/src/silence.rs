//! Silences of a connection: pauses in which neither end sent data, and whose they were.

use serde::Serialize;

use super::connection::CapturedConnection;
use super::rtt::LEAST_RTO_NS;
use super::stall::Pauses;
use dissect::TcpSegment;

/// Whose a silence was, beside the end that broke it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// Its own: it might have sent sooner.
    Sender,
    /// The other end's, which had no room, or held back an acknowledgment.
    Receiver,
    /// Neither's: something was on its way, or lost there.
    Network,
    /// Not to be told: the end is away, nobody knows how far, and most likely waits for what is on its
    /// way.
    Nobody,
}

/// The pauses in which neither end sent data, by whose they were. A shorter one than the least
/// timeout is none, nor, but where the receiver waited, than two round trips of the path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Silences {
    /// The client had nothing to send, or no room.
    pub client: Pauses,
    /// The server had nothing to send, or no room.
    pub server: Pauses,
    /// Something was on its way, or lost there.
    pub network: Pauses,
}

impl Silences {
    pub(super) fn add(&mut self, whose: Whose, from: usize, pause_ns: u64) {
        let pauses = match (whose, from) {
            (Whose::Nobody, _) => return,
            (Whose::Network, _) => &mut self.network,
            (Whose::Sender, 0) | (Whose::Receiver, 1) => &mut self.client,
            _ => &mut self.server,
        };
        pauses.add(pause_ns);
    }
}

impl CapturedConnection {
    /// Data are sent: looks whether both ends were silent before for long.
    #[inline]
    pub(super) fn note_silence(&mut self, segment: &TcpSegment, from: usize) {
        let [client, server] = &self.halves;
        let since_ns = client.last_data_ns.max(server.last_data_ns);
        if segment.time_ns.saturating_sub(since_ns) > LEAST_RTO_NS {
            self.end_silence(segment, from, since_ns);
        }
    }

    /// A silence ends. Before the first data it began with the end of the handshake.
    #[cold]
    fn end_silence(&mut self, segment: &TcpSegment, from: usize, since_ns: u64) {
        let since_ns = if since_ns == 0 {
            self.established_ns
        } else {
            since_ns
        };
        let pause_ns = segment.time_ns.saturating_sub(since_ns);
        let half = &self.halves[from];
        if since_ns == 0 || pause_ns <= LEAST_RTO_NS || half.is_for_closed(segment) {
            return;
        }
        let whose = half.whose_silence(segment);
        // A receiver that waits is no path, however long it makes the round trips.
        if whose == Whose::Receiver || pause_ns > half.patience_ns() {
            self.silences.add(whose, from, pause_ns);
        }
    }
}
