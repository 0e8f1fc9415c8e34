//! Who watches the segments being taken.
//!
//! An observer stands around the one call by which a connection takes a segment. It may
//! note what is found of the segment (`step`) and decides nothing, so whatever it tells agrees with the
//! counters.
//! The tracker knows its observer's type: where nobody watches, nothing of this is left.

use super::cause::Cause;
use super::connection::CapturedConnection;
use dissect::TcpSegment;

/// A watcher of every segment of every connection.
pub(super) trait Observer {
    /// Lets the connection take the segment, by [`CapturedConnection::take`], and
    /// gives why it was retransmitted or late, if it was.
    fn take(&mut self, connection: &mut CapturedConnection, segment: &TcpSegment) -> Option<Cause>;

    /// The connection is given out: no segment of it comes any more.
    fn close(&mut self, connection: &CapturedConnection);
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Observer for Alone {
    #[inline]
    fn take(&mut self, connection: &mut CapturedConnection, segment: &TcpSegment) -> Option<Cause> {
        connection.take(segment, &mut ())
    }

    #[inline]
    fn close(&mut self, _: &CapturedConnection) {}
}

impl<O: Observer> Observer for &mut O {
    fn take(&mut self, connection: &mut CapturedConnection, segment: &TcpSegment) -> Option<Cause> {
        (**self).take(connection, segment)
    }

    fn close(&mut self, connection: &CapturedConnection) {
        (**self).close(connection);
    }
}
