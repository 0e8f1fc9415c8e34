//! Events of a connection for its application.

/// Why a connection failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Failure {
    /// The retransmission limit was reached.
    TimedOut,
    /// The peer answered the SYN with a reset.
    Refused,
    /// The peer reset the connection.
    Reset,
}

/// News for the application.
///
/// Events are edges that collapse until they are polled: two arrivals make one `Readable`.
/// They come out in the order of this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// The handshake is over.
    Established,
    /// There is more to read.
    Readable,
    /// There is room again after a write was cut short.
    Writable,
    /// The peer has sent everything; what is readable is the last.
    PeerClosed,
    /// Both ends have sent everything, and it has arrived: what is still to come is the wait for
    /// old segments, if any. Told where the stack remembers something of the path.
    Finished,
    /// The connection has ended in an orderly way, or was aborted from this side.
    Closed,
    /// The connection has ended; what was not acknowledged may not have arrived.
    Failed(Failure),
}

/// Pending events, one bit each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EventSet(u16);

impl EventSet {
    const ORDER: [Event; 9] = [
        Event::Established,
        Event::Readable,
        Event::Writable,
        Event::PeerClosed,
        Event::Finished,
        Event::Closed,
        Event::Failed(Failure::TimedOut),
        Event::Failed(Failure::Refused),
        Event::Failed(Failure::Reset),
    ];

    #[inline]
    pub fn push(&mut self, event: Event) {
        self.0 |= 1
            << match event {
                Event::Established => 0,
                Event::Readable => 1,
                Event::Writable => 2,
                Event::PeerClosed => 3,
                Event::Finished => 4,
                Event::Closed => 5,
                Event::Failed(Failure::TimedOut) => 6,
                Event::Failed(Failure::Refused) => 7,
                Event::Failed(Failure::Reset) => 8,
            };
    }

    #[inline]
    pub fn pop(&mut self) -> Option<Event> {
        if self.0 == 0 {
            return None;
        }
        let first = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(Self::ORDER[first])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_comes_out_as_it_went_in_and_in_order() {
        let mut events = EventSet::default();
        for event in EventSet::ORDER.into_iter().rev() {
            events.push(event);
            events.push(event);
        }
        for event in EventSet::ORDER {
            assert_eq!(events.pop(), Some(event));
        }
        assert_eq!(events.pop(), None);
    }
}
