//! What a grant of the medium tells.

/// How the medium came to be a station's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether the station had to contend for it. It had not where it follows the station's own
    /// success by the interframe space alone, the new backoff being zero slots: all others that
    /// wait have a slot or more to count (G. Bianchi and I. Tinnirello, "Remarks on IEEE 802.11
    /// DCF performance analysis", 2005).
    pub contended: bool,
    /// Idle periods of the medium, since the access before, in which the NAV held the station:
    /// it wanted the medium, which had been physically idle for DIFS, and the NAV still ran.
    pub nav_deferrals: u16,
}
