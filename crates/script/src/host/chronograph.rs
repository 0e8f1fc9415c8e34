//! Times that a connection has been in each state, as `struct tcp_info` tells it: what the kernel
//! calls its chronographs (`tcp_chrono_start`), and the times since something last happened.

use tcp::{Connection, Info, TcpInfo};
use units::{Duration, Time};

/// State of one connection's times. To be told whenever something may have changed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chronograph {
    looked: Time,
    state: SendLimit,
    /// Time that anything was outstanding or waited to be sent; of that, how long the peer's
    /// window was the limit, and how long the send buffer was.
    busy: Duration,
    window_limited: Duration,
    buffer_limited: Duration,
    data_sent: Time,
    data_received: Time,
    acknowledged: Time,
    bytes_sent: u64,
    bytes_received: u64,
    retries: u32,
    timeouts_begun: Time,
    recoveries: u64,
    recovering: Duration,
}

/// Limit that keeps the connection from sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SendLimit {
    /// There is nothing to send, nor anything outstanding.
    Idle,
    Busy,
    Window,
    Buffer,
}

impl Chronograph {
    pub fn new(now: Time) -> Chronograph {
        Chronograph {
            looked: now,
            state: SendLimit::Idle,
            busy: Duration::ZERO,
            window_limited: Duration::ZERO,
            buffer_limited: Duration::ZERO,
            data_sent: now,
            data_received: now,
            acknowledged: now,
            bytes_sent: 0,
            bytes_received: 0,
            retries: 0,
            timeouts_begun: now,
            recoveries: 0,
            recovering: Duration::ZERO,
        }
    }

    /// A segment of the peer has arrived.
    pub fn on_segment(&mut self, now: Time) {
        self.acknowledged = now;
    }

    /// The connection is established: from here on the kernel has times.
    pub fn on_established(&mut self, now: Time) {
        (self.data_sent, self.data_received) = (now, now);
    }

    /// Looks at the connection as it stands; `wants_room` says that an application has found no
    /// room in the send buffer.
    pub fn note(&mut self, now: Time, connection: &Connection, wants_room: bool) {
        self.count(now);
        let counters = connection.counters();
        let has_sent = counters.bytes_sent > self.bytes_sent;
        if has_sent {
            (self.bytes_sent, self.data_sent) = (counters.bytes_sent, now);
        }
        if counters.bytes_received > self.bytes_received {
            (self.bytes_received, self.data_received) = (counters.bytes_received, now);
        }
        let info = connection.info();
        match (self.retries, info.retries) {
            (0, 1..) => {
                self.recoveries += 1;
                self.timeouts_begun = now;
            }
            (1.., 0) => self.recovering += now - self.timeouts_begun,
            _ => {}
        }
        self.retries = info.retries;
        let now_limited = limit(&info, &connection.tcp_info(), has_sent && wants_room);
        let stays = self.state == SendLimit::Buffer && wants_room && now_limited != SendLimit::Idle;
        if !stays {
            self.state = now_limited;
        }
    }

    fn count(&mut self, now: Time) {
        let passed = now - self.looked;
        self.looked = now;
        match self.state {
            SendLimit::Idle => return,
            SendLimit::Busy => {}
            SendLimit::Window => self.window_limited += passed,
            SendLimit::Buffer => self.buffer_limited += passed,
        }
        self.busy += passed;
    }

    /// The field of this name, in the unit of `struct tcp_info`: µs for what has lasted, ms for
    /// what has passed since.
    pub fn field(&self, now: Time, name: &str, connection: &Connection) -> Option<u64> {
        let mut current = *self;
        current.count(now);
        let since = |then: Time| (now - then).as_micros() / 1000;
        Some(match name {
            "tcpi_busy_time" => current.busy.as_micros(),
            "tcpi_rwnd_limited" => current.window_limited.as_micros(),
            "tcpi_sndbuf_limited" => current.buffer_limited.as_micros(),
            "tcpi_last_data_sent" => since(self.data_sent),
            "tcpi_last_data_recv" => since(self.data_received),
            "tcpi_last_ack_recv" => since(self.acknowledged),
            "tcpi_last_ack_sent" => 0, // no kernel fills it in
            "tcpi_total_rto" => connection.counters().timeouts,
            "tcpi_total_rto_recoveries" => self.recoveries,
            "tcpi_total_rto_time" => current.recovering.as_micros() / 1000,
            _ => return None,
        })
    }
}

/// `tcp_write_xmit`: the peer's window is the limit where the congestion window is not; and
/// `tcp_cwnd_validate`: the send buffer is where all there is has just been sent, while `starves`
/// says that the application has more, and the congestion window would take it.
fn limit(info: &Info, segments: &TcpInfo, starves: bool) -> SendLimit {
    if info.buffered_bytes == 0 {
        return SendLimit::Idle;
    }
    let out = segments.tcpi_unacked + segments.tcpi_retrans;
    let in_flight = out.saturating_sub(segments.tcpi_sacked + segments.tcpi_lost);
    let has_window = in_flight < segments.tcpi_snd_cwnd;
    let unsent = u64::from(segments.tcpi_notsent_bytes);
    let next = unsent.min(u64::from(info.mss_bytes));
    let room = info.send_window_bytes.saturating_sub(info.in_flight_bytes);
    match unsent {
        _ if !has_window => SendLimit::Busy,
        0 if starves => SendLimit::Buffer,
        0 => SendLimit::Busy,
        _ if room < next => SendLimit::Window,
        _ => SendLimit::Busy,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(buffered: u64, window: u64, in_flight: u64) -> Info {
        let profile = tcp::profile("rfc").unwrap();
        Info {
            buffered_bytes: buffered,
            send_window_bytes: window,
            in_flight_bytes: in_flight,
            mss_bytes: 1000,
            ..Connection::listen(&profile, &Default::default(), 0).info()
        }
    }

    fn segments(unsent: u32, out: u32) -> TcpInfo {
        let profile = tcp::profile("rfc").unwrap();
        TcpInfo {
            tcpi_notsent_bytes: unsent,
            tcpi_unacked: out,
            tcpi_snd_cwnd: 10,
            ..Connection::listen(&profile, &Default::default(), 0).tcp_info()
        }
    }

    #[test]
    fn what_holds_the_sender_back_is_told_apart() {
        let of = |info: &Info, segments: &TcpInfo| limit(info, segments, false);
        assert_eq!(of(&info(0, 9000, 0), &segments(0, 0)), SendLimit::Idle);
        assert_eq!(
            of(&info(2000, 9000, 2000), &segments(0, 2)),
            SendLimit::Busy
        );
        assert_eq!(
            of(&info(4000, 2500, 2000), &segments(2000, 2)),
            SendLimit::Window
        );
        assert_eq!(
            of(&info(40_000, 10_000, 10_000), &segments(30_000, 10)),
            SendLimit::Busy
        );
        assert_eq!(
            limit(&info(2000, 9000, 2000), &segments(0, 2), true),
            SendLimit::Buffer
        );
    }
}
