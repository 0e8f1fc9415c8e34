//! Orders of the machine to the connection.

/// Data to send at the next occasion, besides new data (`rexmit` of `tcp_ack`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RexmitOrder {
    #[default]
    Nothing,
    /// Lost segments, as the window allows (REXMIT_LOST).
    Lost,
    /// New data first, to find out whether a timeout was spurious (REXMIT_NEW).
    New,
    /// The first segment, whatever the window: the timer has expired.
    Head,
    /// A tail loss probe: new data, or the last segment again.
    Probe,
}

/// Purpose of the one timer of an outstanding segment (`icsk_pending`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TimerPurpose {
    #[default]
    Nothing,
    /// ICSK_TIME_RETRANS.
    Timeout,
    /// ICSK_TIME_LOSS_PROBE.
    Probe,
    /// ICSK_TIME_REO_TIMEOUT.
    Reordering,
}
