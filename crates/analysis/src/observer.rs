//! Who watches the segments being taken.
//!
//! An observer stands around the one call by which a connection takes a segment. It sees the
//! books before and after and decides nothing, so whatever it tells agrees with the counters.
//! The tracker knows its observer's type: where nobody watches, nothing of this is left.

use super::connection::Connection;
use dissect::Segment;

/// A watcher of every segment of every connection.
pub(super) trait Observer {
    /// Lets the connection take the segment, by [`Connection::take`].
    fn take(&mut self, connection: &mut Connection, segment: &Segment);

    /// The connection is given out: no segment of it comes any more.
    fn close(&mut self, connection: &Connection);
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Observer for Alone {
    #[inline]
    fn take(&mut self, connection: &mut Connection, segment: &Segment) {
        connection.take(segment);
    }

    #[inline]
    fn close(&mut self, _: &Connection) {}
}

impl<O: Observer> Observer for &mut O {
    fn take(&mut self, connection: &mut Connection, segment: &Segment) {
        (**self).take(connection, segment);
    }

    fn close(&mut self, connection: &Connection) {
        (**self).close(connection);
    }
}
