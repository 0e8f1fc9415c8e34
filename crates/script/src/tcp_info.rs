//! The names of Linux's `struct tcp_info`, and what the connection has for each.

use tcp::{Connection, TcpInfo};

use crate::code::Value;

/// The value of a constant that goes with the `tcpi_` names.
pub fn constant(name: &str) -> Option<Value> {
    let constant = CONSTANTS.iter().find(|entry| entry.0 == name);
    constant.map(|entry| Value::Integer(i64::from(entry.1)))
}

/// The value of a `tcpi_` name or of a constant that goes with one.
pub(crate) fn lookup(name: &str, connection: Option<&Connection>) -> Option<Value> {
    if let Some(constant) = constant(name) {
        return Some(constant);
    }
    if !name.starts_with("tcpi_") {
        return None;
    }
    let value = field(name, &connection?.tcp_info())?;
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
    ("TCP_INFINITE_SSTHRESH", TcpInfo::INFINITE_SSTHRESH),
];

macro_rules! fields {
    ($info:ident, $name:ident: $($field:ident)*) => {
        match $name {
            "tcpi_ca_state" => Some($info.tcpi_ca_state as u64),
            $(stringify!($field) => Some(u64::from($info.$field)),)*
            _ => None,
        }
    };
}

fn field(name: &str, info: &TcpInfo) -> Option<u64> {
    fields! { info, name:
        tcpi_state tcpi_retransmits tcpi_probes tcpi_backoff tcpi_options tcpi_snd_wscale
        tcpi_rcv_wscale tcpi_rto tcpi_ato tcpi_snd_mss tcpi_rcv_mss tcpi_unacked tcpi_sacked
        tcpi_lost tcpi_retrans tcpi_fackets tcpi_rtt tcpi_rttvar tcpi_min_rtt tcpi_snd_ssthresh
        tcpi_snd_cwnd tcpi_advmss tcpi_reordering tcpi_rcv_space tcpi_rcv_ssthresh tcpi_snd_wnd
        tcpi_total_retrans tcpi_bytes_acked tcpi_bytes_received tcpi_bytes_sent
        tcpi_bytes_retrans tcpi_segs_out tcpi_segs_in tcpi_data_segs_out tcpi_data_segs_in
        tcpi_delivered tcpi_dsack_dups tcpi_reord_seen tcpi_rcv_ooopack tcpi_notsent_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tcp::ConnectionOptions;

    #[test]
    fn a_field_has_its_value_and_what_is_no_field_none() {
        let profile = tcp::profile("rfc").unwrap();
        let connection = Connection::listen(&profile, &ConnectionOptions::default(), 0);
        let value = |name| lookup(name, Some(&connection));
        assert_eq!(value("tcpi_state"), Some(Value::Integer(10)));
        assert_eq!(value("tcpi_rto"), Some(Value::Integer(1_000_000)));
        assert_eq!(value("TCP_CA_Loss"), Some(Value::Integer(4)));
        assert_eq!(value("tcpi_colour"), None);
        assert_eq!(lookup("tcpi_rto", None), None);
    }
}
