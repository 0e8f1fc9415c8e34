//! The names of Linux's `struct tcp_info`, and what the connection has for each.

use tcp::{Connection, FastOpenFailure, TcpInfo};

use crate::code::Value;

/// The value of a constant that goes with the `tcpi_` names.
pub fn constant(name: &str) -> Option<Value> {
    let constant = CONSTANTS.iter().find(|entry| entry.0 == name);
    constant.map(|entry| Value::Integer(i64::from(entry.1)))
}

/// The value of a `tcpi_` name.
pub(crate) fn lookup(name: &str, connection: &Connection) -> Option<Value> {
    let value = match name {
        "tcpi_delivered_ce" => 0, // there is no explicit congestion notification
        "tcpi_rcv_wnd" => connection.info().receive_window_bytes,
        _ => field(name, &connection.tcp_info())?,
    };
    i64::try_from(value).ok().map(Value::Integer)
}

/// net/tcp_states.h and, of linux/tcp.h, enum tcp_ca_state and the TCPI_OPT_ bits.
const CONSTANTS: &[(&str, u32)] = &[
    ("TCP_ESTABLISHED", 1),
    ("TCP_SYN_SENT", 2),
    ("TCP_SYN_RECV", 3),
    ("TCP_FIN_WAIT1", 4),
    ("TCP_FIN_WAIT2", 5),
    ("TCP_TIME_WAIT", 6),
    ("TCP_CLOSE", 7),
    ("TCP_CLOSE_WAIT", 8),
    ("TCP_LAST_ACK", 9),
    ("TCP_LISTEN", 10),
    ("TCP_CLOSING", 11),
    ("TCP_CA_Open", 0),
    ("TCP_CA_Disorder", 1),
    ("TCP_CA_CWR", 2),
    ("TCP_CA_Recovery", 3),
    ("TCP_CA_Loss", 4),
    ("TCPI_OPT_TIMESTAMPS", TcpInfo::OPT_TIMESTAMPS),
    ("TCPI_OPT_SACK", TcpInfo::OPT_SACK),
    ("TCPI_OPT_WSCALE", TcpInfo::OPT_WSCALE),
    ("TCPI_OPT_ECN", TcpInfo::OPT_ECN),
    ("TCPI_OPT_ECN_SEEN", TcpInfo::OPT_ECN_SEEN),
    ("TCPI_OPT_ECN", 8),
    ("TCPI_OPT_ECN_SEEN", 16),
    ("TCPI_OPT_SYN_DATA", TcpInfo::OPT_SYN_DATA),
    ("TCPI_OPT_USEC_TS", 64),
    ("TCPI_OPT_TFO_CHILD", TcpInfo::OPT_TFO_CHILD),
    ("TFO_STATUS_UNSPEC", FastOpenFailure::None as u32),
    ("TFO_COOKIE_UNAVAILABLE", FastOpenFailure::NoCookie as u32),
    (
        "TFO_DATA_NOT_ACKED",
        FastOpenFailure::NotAcknowledged as u32,
    ),
    (
        "TFO_SYN_RETRANSMITTED",
        FastOpenFailure::SynRetransmitted as u32,
    ),
    ("TCP_INFINITE_SSTHRESH", TcpInfo::INFINITE_SSTHRESH),
];

fn field(name: &str, info: &TcpInfo) -> Option<u64> {
    let place = TcpInfo::COLUMNS.iter().position(|each| each.name == name)?;
    Some(info.values()[place])
}

#[cfg(test)]
mod tests {
    use super::*;
    use tcp::ConnectionOptions;

    #[test]
    fn a_field_has_its_value_and_what_is_no_field_none() {
        let profile = tcp::profile("rfc").unwrap();
        let connection = Connection::listen(&profile, &ConnectionOptions::default(), 0);
        let value = |name| lookup(name, &connection);
        assert_eq!(value("tcpi_state"), Some(Value::Integer(10)));
        assert_eq!(value("tcpi_rto"), Some(Value::Integer(1_000_000)));
        assert_eq!(value("tcpi_colour"), None);
        assert_eq!(constant("TCP_CA_Loss"), Some(Value::Integer(4)));
    }
}
