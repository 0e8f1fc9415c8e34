//! What goes around a frame: what is sent before it, and what answers it.

use phy::{Mode, PerRate};
use units::Duration;

use super::{Mac, MacConfig, duration_field};
use crate::frame::{ACK_BYTES, Frame};

/// What goes around the frames of a mode.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    /// The mode of an RTS, or of a CTS to oneself, in front of a data frame.
    pub(super) request: Mode,
    /// The longest MPDU that no other frame goes before.
    pub(super) announced_above: u16,
    /// The mode of an answer.
    pub(super) answer: Mode,
    /// A SIFS and the ACK or CTS, equally long, behind a frame of ours.
    pub(super) answer_time: Duration,
    /// The same as the Duration field of a data frame has it.
    pub(super) last_duration: u16,
    /// A SIFS and the BlockAck of as many MPDUs as are asked for.
    pub(super) block_ack_time: Duration,
    /// How long after the end of a frame of ours its answer is given up.
    pub(super) timeout: Duration,
}

impl Mac {
    /// Returns how long behind a data frame its ACK or BlockAck has ended.
    pub(super) fn time_behind(&self, data: &Frame) -> Duration {
        match data.is_aggregate() {
            true => self.block_ack_time(data.receiver, data.mode()),
            false => self.exchanges[data.mode()].answer_time,
        }
    }
}

impl MacConfig {
    /// Returns what goes around the frames of each mode.
    pub(super) fn exchanges(&self) -> PerRate<Exchange> {
        PerRate::of(self.phy().ofdm, |mode| {
            let answer_time = self.answer_time(mode, ACK_BYTES);
            let block_ack_time = self.answer_time(mode, self.block_ack_bytes());
            Exchange {
                request: self.request_mode(mode),
                announced_above: self.announced_above(mode),
                answer: self.answer_mode(mode),
                answer_time,
                last_duration: duration_field(answer_time),
                block_ack_time,
                timeout: self.response_timeout(mode),
            }
        })
    }
}
