//! Applications: what is sent when, and how it is timed.
//!
//! Each application is a machine driven from outside: stream applications get
//! their end of a connection as a [`Stream`] whenever something changed on it;
//! packet sources answer when they want to send next. One file each.

mod bulk;
mod chariot;
mod datagrams;
mod ping;

pub use bulk::BulkSource;
pub use chariot::{ChariotEndpoint1, ChariotEndpoint2, ChariotScript, TimingRecord};
pub use datagrams::DatagramSource;
pub use ping::{Ping, PingReport};

/// One end of a byte stream as an application sees it.
pub trait Stream {
    /// Offers `bytes` bytes; answers how many the send buffer took.
    fn write(&mut self, bytes: u64) -> u64;
    /// Takes all bytes that have arrived in order; answers how many.
    fn read(&mut self) -> u64;
    /// Sends no more.
    fn close(&mut self);
}

#[cfg(test)]
pub(crate) mod test_stream {
    use super::Stream;

    /// A stream end with a send buffer of `room` bytes, which the test empties.
    #[derive(Debug, Default)]
    pub struct Buffers {
        pub room: u64,
        pub written: u64,
        pub arrived: u64,
        pub closed: bool,
    }

    impl Stream for Buffers {
        fn write(&mut self, bytes: u64) -> u64 {
            let taken = bytes.min(self.room);
            self.room -= taken;
            self.written += taken;
            taken
        }

        fn read(&mut self) -> u64 {
            std::mem::take(&mut self.arrived)
        }

        fn close(&mut self) {
            self.closed = true;
        }
    }
}
