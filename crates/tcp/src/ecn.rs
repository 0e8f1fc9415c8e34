//! A stack's use of explicit congestion notification.

use crate::choices::choices;

choices! {
    /// Agreement to explicit congestion notification (RFC 3168; ip-sysctl, tcp_ecn).
    pub enum EcnUse {
        /// Never.
        Off = "off",
        /// It asks for it, and agrees when asked.
        On = "on",
        /// It agrees when asked.
        Passive = "passive",
    }
}
