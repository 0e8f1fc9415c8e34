//! A connection's account of itself.

use units::Duration;

use super::Connection;
use crate::recovery::linux::TcpInfoCounts;
use crate::tcp_info::{CaState, TcpInfo, state_number};
use crate::{Info, RecoveryPhase, State};

impl Connection {
    /// Returns what a segment takes at present.
    fn segment_limit(&self) -> u32 {
        match self.linux {
            Some(_) => self.segment_max() as u32,
            None => self.mss,
        }
    }

    /// The same as Linux tells it, which goes by its own limit until the peer has told another
    /// (tcp_connect_init).
    fn told_segment_limit(&self) -> u32 {
        let config = &self.config;
        if config.is_linux() && self.state == State::SynSent {
            config.payload_limit(config.mss, config.timestamps)
        } else {
            self.segment_limit()
        }
    }

    /// The congestion window in bytes, without what fast recovery adds to it.
    #[inline]
    pub fn congestion_window(&self) -> u64 {
        self.congestion.window()
    }

    /// The retransmission timeout in force, backed off.
    pub fn rto(&self) -> Duration {
        self.rtt.rto()
    }

    /// Returns what the peer's window leaves in bytes, beyond what is acknowledged.
    #[inline]
    pub fn send_window(&self) -> u64 {
        self.send.edge.saturating_sub(self.send.una)
    }

    /// A snapshot.
    pub fn info(&self) -> Info {
        Info {
            state: self.state,
            recovery: self.phase(),
            mss_bytes: self.segment_limit(),
            cwnd_bytes: self.recovery.window(&self.congestion),
            ssthresh_bytes: self.congestion.ssthresh(),
            in_flight_bytes: self.send.flight(),
            send_window_bytes: self.send_window(),
            receive_window_bytes: self.receive.window(),
            buffered_bytes: self.send.buffered(),
            srtt: self.rtt.smoothed(),
            rttvar: self.rtt.variation(),
            rto: self.rtt.rto(),
            duplicate_acks: self.recovery.duplicate_acks(),
            retries: self.retries,
            sack: self.sack,
            timestamps: self.timestamps.is_some(),
        }
    }

    /// A snapshot in the names and units of Linux's TCP_INFO.
    pub fn tcp_info(&self) -> TcpInfo {
        let mss = u64::from(self.mss);
        let segments = |bytes: u64| saturated(bytes.div_ceil(mss));
        let micros = |time: Duration| saturated(time.as_micros());
        let board = self.recovery.census(self.send.outstanding());
        let c = &self.counters;
        let retransmitted =
            c.fast_retransmissions + c.timeout_retransmissions + c.syn_retransmissions;
        let is_open = self.state.is_synchronized();
        // Linux has no connection yet when it sends a SYN-ACK.
        let syn_acks = match self.passive {
            true => 1 + c.syn_retransmissions,
            false => 0,
        };
        let (threshold, space, received_rtt) = self.receive.figures();
        let info = TcpInfo {
            tcpi_state: state_number(self.state),
            tcpi_ca_state: self.ca_state(),
            tcpi_retransmits: self.retries,
            tcpi_probes: self.probes,
            tcpi_backoff: self
                .rtt
                .backoff()
                .max(self.persist_backoff.saturating_sub(1)),
            tcpi_options: self.option_bits(),
            tcpi_snd_wscale: u32::from(self.peer_shift),
            tcpi_rcv_wscale: u32::from(self.shift),
            tcpi_rto: micros(self.rtt.rto()),
            tcpi_ato: micros(self.delayed_ack.timeout()),
            tcpi_snd_mss: self.told_segment_limit(),
            tcpi_rcv_mss: self.delayed_ack.segment(),
            tcpi_unacked: segments(self.send.flight()),
            tcpi_sacked: segments(board.sacked),
            tcpi_lost: segments(board.lost),
            tcpi_retrans: segments(board.retransmitted),
            tcpi_fackets: 0,
            tcpi_rtt: self.rtt.smoothed().map_or(0, micros),
            tcpi_rttvar: micros(self.rtt.variation()),
            tcpi_min_rtt: self.rtt.least().map_or(0, micros),
            tcpi_snd_ssthresh: match self.congestion.ssthresh() {
                u64::MAX => TcpInfo::INFINITE_SSTHRESH,
                ssthresh => saturated(ssthresh / mss),
            },
            tcpi_snd_cwnd: saturated(self.congestion.window() / mss),
            tcpi_advmss: self
                .config
                .payload_limit(self.config.mss, self.timestamps.is_some()),
            tcpi_reordering: self.recovery.threshold(),
            tcpi_rcv_rtt: saturated(received_rtt),
            tcpi_rcv_space: saturated(space),
            tcpi_rcv_ssthresh: saturated(threshold),
            tcpi_snd_wnd: saturated(self.send.edge.saturating_sub(self.send.una)),
            tcpi_total_retrans: saturated(retransmitted),
            tcpi_bytes_acked: c.bytes_acknowledged + self.controls_acknowledged(),
            tcpi_bytes_received: c.bytes_received,
            tcpi_bytes_sent: c.bytes_sent,
            tcpi_bytes_retrans: c.bytes_retransmitted,
            tcpi_segs_out: saturated(c.segments_sent.saturating_sub(syn_acks)),
            tcpi_segs_in: saturated(c.segments_received),
            tcpi_data_segs_out: saturated(c.data_segments_sent),
            tcpi_data_segs_in: saturated(c.data_segments_received),
            // The SYN counts as one that was delivered.
            tcpi_delivered: segments(c.bytes_acknowledged + board.sacked) + u32::from(is_open),
            tcpi_dsack_dups: saturated(c.dsacks_received),
            tcpi_reord_seen: u32::from(self.recovery.has_seen_reordering()),
            tcpi_rcv_ooopack: saturated(c.out_of_order_received),
            tcpi_notsent_bytes: saturated(self.send.unsent()),
        };
        match &self.linux {
            Some(linux) => linux_counts(info, linux.packets_out(), &linux.counts()),
            None => info,
        }
    }

    /// Linux counts sequence numbers: the SYN of who opened is one, and the FIN (tcp_snd_una_update).
    fn controls_acknowledged(&self) -> u64 {
        let is_counted = self.config.is_linux() && self.linux.is_some();
        let syn = u64::from(is_counted && !self.passive);
        syn + u64::from(is_counted && self.send.is_fin_acknowledged())
    }

    fn phase(&self) -> RecoveryPhase {
        match self.linux.as_ref().map(|linux| linux.state()) {
            None => self.recovery.phase(),
            Some(CaState::Recovery) => RecoveryPhase::Fast,
            Some(CaState::Loss) => RecoveryPhase::Timeout,
            Some(_) => RecoveryPhase::Open,
        }
    }

    fn ca_state(&self) -> CaState {
        if let Some(linux) = &self.linux {
            return linux.state();
        }
        match self.recovery.phase() {
            RecoveryPhase::Open if self.recovery.is_disordered() => CaState::Disorder,
            RecoveryPhase::Open => CaState::Open,
            RecoveryPhase::Fast => CaState::Recovery,
            RecoveryPhase::Timeout => CaState::Loss,
        }
    }

    fn option_bits(&self) -> u32 {
        let bit = |is_set: bool, value: u32| if is_set { value } else { 0 };
        let (has_syn_data, is_child) = self.fast_open_bits();
        bit(self.timestamps.is_some(), TcpInfo::OPT_TIMESTAMPS)
            | bit(self.sack, TcpInfo::OPT_SACK)
            | bit(self.scaling, TcpInfo::OPT_WSCALE)
            | bit(self.ecn.is_agreed, TcpInfo::OPT_ECN)
            | bit(self.ecn.has_seen, TcpInfo::OPT_ECN_SEEN)
            | bit(has_syn_data, TcpInfo::OPT_SYN_DATA)
            | bit(is_child, TcpInfo::OPT_TFO_CHILD)
    }
}

/// Returns what Linux's machine counts in segments itself.
fn linux_counts(info: TcpInfo, packets_out: u32, counts: &TcpInfoCounts) -> TcpInfo {
    TcpInfo {
        tcpi_unacked: packets_out,
        tcpi_sacked: counts.sacked,
        tcpi_lost: counts.lost,
        tcpi_retrans: counts.retransmitted,
        tcpi_reordering: counts.reordering,
        tcpi_reord_seen: counts.reordering_seen,
        tcpi_delivered: saturated(counts.delivered),
        tcpi_dsack_dups: saturated(counts.duplicates_reported),
        ..info
    }
}

fn saturated(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
