//! Every packet as a row of a table, column by column.

use super::passage::Passage;

/// Stand-in for a missing time or number.
const NONE: i64 = i64::MIN;

macro_rules! columns {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $value:expr;)*) => {
        /// Packets in the order in which their fates were known.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct PacketRows {
            $($(#[$doc])* pub $name: Vec<$type>,)*
        }

        impl PacketRows {
            pub(super) fn add(&mut self, passage: &Passage) {
                $(self.$name.push(($value)(passage));)*
            }

            /// Each column: its name, its kind of number, and its values as little-endian bytes.
            pub fn columns(&self) -> Vec<(&'static str, &'static str, Vec<u8>)> {
                vec![$((
                    stringify!($name),
                    stringify!($type),
                    self.$name.iter().flat_map(|value| value.to_le_bytes()).collect(),
                ),)*]
            }
        }
    };
}

fn time(passage: &Passage, side: usize) -> i64 {
    passage.sights[side].map_or(NONE, |sight| sight.time_ns as i64)
}

fn number(passage: &Passage, side: usize) -> i64 {
    passage.sights[side].map_or(NONE, |sight| sight.number as i64)
}

columns! {
    /// Number of the connection.
    connection: u32 = |p: &Passage| p.connection;
    /// The end that sent it: 0 or 1.
    end: u8 = |p: &Passage| p.end;
    /// Index into [`super::PathDirection::ALL`].
    way: u8 = |p: &Passage| p.way as u8;
    /// Index into [`super::PacketOutcome::ALL`].
    fate: u8 = |p: &Passage| p.fate as u8;
    /// Sequence number.
    seq: u32 = |p: &Passage| p.seq;
    /// Sequence numbers that it takes up.
    length: u32 = |p: &Passage| p.length;
    /// Number of segments on the path.
    segments: u32 = |p: &Passage| p.segments;
    /// Control bits.
    flags: u8 = |p: &Passage| p.flags;
    /// True if the order decided between packets that agree as well.
    is_ambiguous: u8 = |p: &Passage| p.is_ambiguous.into();
    /// True if a packet sent later arrived earlier.
    is_late: u8 = |p: &Passage| p.is_late.into();
    /// True if it was lost although its bytes had come through before.
    is_needless: u8 = |p: &Passage| p.is_needless.into();
    /// True if it is a second copy that the receiver reported.
    is_reported: u8 = |p: &Passage| p.is_reported.into();
    /// Number of the packet in the first file; `i64::MIN` for none, as in what follows.
    number_first: i64 = |p| number(p, 0);
    /// Number of the packet in the second file.
    number_second: i64 = |p| number(p, 1);
    /// Time when the first capture has it, by its own clock.
    time_first_ns: i64 = |p| time(p, 0);
    /// Time when the second capture has it, by its own clock.
    time_second_ns: i64 = |p| time(p, 1);
    /// Time when the second capture has it, on the first one's clock.
    aligned_second_ns: i64 = |p: &Passage| p.sights[1].map_or(NONE, |sight| sight.aligned_ns);
    /// Time that it was under way.
    delay_ns: i64 = |p: &Passage| p.delay_ns().unwrap_or(NONE);
    /// Frames on the air, retries included; 0 where there is no air.
    frames: u16 = |p: &Passage| p.exchange().map_or(0, |(_, exchange)| exchange.frames);
    /// Frames with the retry bit.
    retries: u16 = |p: &Passage| p.exchange().map_or(0, |(_, exchange)| exchange.retries);
    /// Time when the frame was acknowledged on the air, by that capture's clock.
    acknowledged_ns: i64 = |p: &Passage| {
        p.exchange().and_then(|(_, exchange)| exchange.acknowledged_ns).map_or(NONE, |time_ns| time_ns as i64)
    };
}
