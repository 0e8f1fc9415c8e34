//! Progress of a connection.

/// The ends that have begun and finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EndProgress {
    pub syn: bool,
    pub syn_ack: bool,
    pub established: bool,
    /// Client, server.
    pub fin: [bool; 2],
    pub reset: bool,
    /// They count in three flags the marked packets that they received.
    pub counts_marks: bool,
    /// Each segment is looked at for what few say: while a SYN is not answered, or marks are counted.
    pub is_watched: bool,
}

impl EndProgress {
    pub const fn is_closed(self) -> bool {
        self.reset || (self.fin[0] && self.fin[1])
    }

    /// Returns whether a SYN was not answered yet.
    pub const fn is_opening(self) -> bool {
        self.syn && !self.syn_ack
    }

    /// Returns whether the SYN was answered, and the client has not acknowledged the answer yet.
    pub const fn is_answered(self) -> bool {
        self.syn_ack && !self.established
    }
}
