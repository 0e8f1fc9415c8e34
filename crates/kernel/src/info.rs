//! `struct tcp_info` as the kernel fills it in (linux/tcp.h, 6.x): where each field stands.

/// The bytes asked for: more than any kernel knows of.
pub(crate) const BYTES: usize = 512;

/// Name, offset and bytes of the fields that are whole numbers of bytes.
const FIELDS: &[(&str, usize, usize)] = &[
    ("tcpi_state", 0, 1),
    ("tcpi_ca_state", 1, 1),
    ("tcpi_retransmits", 2, 1),
    ("tcpi_probes", 3, 1),
    ("tcpi_backoff", 4, 1),
    ("tcpi_options", 5, 1),
    ("tcpi_rto", 8, 4),
    ("tcpi_ato", 12, 4),
    ("tcpi_snd_mss", 16, 4),
    ("tcpi_rcv_mss", 20, 4),
    ("tcpi_unacked", 24, 4),
    ("tcpi_sacked", 28, 4),
    ("tcpi_lost", 32, 4),
    ("tcpi_retrans", 36, 4),
    ("tcpi_fackets", 40, 4),
    ("tcpi_last_data_sent", 44, 4),
    ("tcpi_last_ack_sent", 48, 4),
    ("tcpi_last_data_recv", 52, 4),
    ("tcpi_last_ack_recv", 56, 4),
    ("tcpi_pmtu", 60, 4),
    ("tcpi_rcv_ssthresh", 64, 4),
    ("tcpi_rtt", 68, 4),
    ("tcpi_rttvar", 72, 4),
    ("tcpi_snd_ssthresh", 76, 4),
    ("tcpi_snd_cwnd", 80, 4),
    ("tcpi_advmss", 84, 4),
    ("tcpi_reordering", 88, 4),
    ("tcpi_rcv_rtt", 92, 4),
    ("tcpi_rcv_space", 96, 4),
    ("tcpi_total_retrans", 100, 4),
    ("tcpi_pacing_rate", 104, 8),
    ("tcpi_max_pacing_rate", 112, 8),
    ("tcpi_bytes_acked", 120, 8),
    ("tcpi_bytes_received", 128, 8),
    ("tcpi_segs_out", 136, 4),
    ("tcpi_segs_in", 140, 4),
    ("tcpi_notsent_bytes", 144, 4),
    ("tcpi_min_rtt", 148, 4),
    ("tcpi_data_segs_in", 152, 4),
    ("tcpi_data_segs_out", 156, 4),
    ("tcpi_delivery_rate", 160, 8),
    ("tcpi_busy_time", 168, 8),
    ("tcpi_rwnd_limited", 176, 8),
    ("tcpi_sndbuf_limited", 184, 8),
    ("tcpi_delivered", 192, 4),
    ("tcpi_delivered_ce", 196, 4),
    ("tcpi_bytes_sent", 200, 8),
    ("tcpi_bytes_retrans", 208, 8),
    ("tcpi_dsack_dups", 216, 4),
    ("tcpi_reord_seen", 220, 4),
    ("tcpi_rcv_ooopack", 224, 4),
    ("tcpi_snd_wnd", 228, 4),
    ("tcpi_rcv_wnd", 232, 4),
    ("tcpi_rehash", 236, 4),
    ("tcpi_total_rto", 240, 2),
    ("tcpi_total_rto_recoveries", 242, 2),
    ("tcpi_total_rto_time", 244, 4),
];

/// The value of a field.
pub(crate) fn field(info: &[u8], name: &str) -> Option<u64> {
    let byte = |offset: usize| info.get(offset).copied().map(u64::from);
    match name {
        "tcpi_snd_wscale" => return byte(6).map(|shifts| shifts & 0xf),
        "tcpi_rcv_wscale" => return byte(6).map(|shifts| shifts >> 4),
        "tcpi_delivery_rate_app_limited" => return byte(7).map(|bits| bits & 1),
        "tcpi_fastopen_client_fail" => return byte(7).map(|bits| bits >> 1 & 3),
        _ => {}
    }
    let (_, offset, bytes) = FIELDS.iter().find(|field| field.0 == name)?;
    let mut value = [0; 8];
    value[..*bytes].copy_from_slice(info.get(*offset..offset + bytes)?);
    Some(u64::from_le_bytes(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_follow_each_other_without_overlap() {
        for pair in FIELDS.windows(2) {
            assert!(pair[0].1 + pair[0].2 <= pair[1].1, "{}", pair[1].0);
        }
    }

    #[test]
    fn what_an_older_kernel_does_not_fill_in_has_no_value() {
        let info = [1, 3, 0, 0, 0, 7, 0x87, 1];
        assert_eq!(field(&info, "tcpi_ca_state"), Some(3));
        assert_eq!(field(&info, "tcpi_snd_wscale"), Some(7));
        assert_eq!(field(&info, "tcpi_rcv_wscale"), Some(8));
        assert_eq!(field(&info, "tcpi_rto"), None);
        assert_eq!(field(&info, "tcpi_colour"), None);
    }
}
