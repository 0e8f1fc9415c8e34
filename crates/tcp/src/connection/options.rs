//! Socket options of a connection that is there already.

use units::{Duration, Time};

use super::{AckDue, Connection};
use crate::config::KeepAlive;
use crate::send::{Nagle, SendQueue};
use crate::timers::Timer;
use crate::{CongestionAlgorithm, State};

/// Options that an application may set on a connection at any time, as by setsockopt(2) (tcp(7),
/// socket(7)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SocketOption {
    /// TCP_NODELAY: Nagle's algorithm off, which also sends what a cork holds back so far; or on.
    NoDelay(bool),
    /// TCP_CORK: hold back what does not fill a segment.
    Cork(bool),
    /// TCP_QUICKACK: acknowledge without delay for now; or take the connection for a
    /// conversation, in which answers acknowledge.
    QuickAck(bool),
    /// SO_SNDBUF, bytes of data; twice as much memory in today's Linux.
    SendBuffer(u32),
    /// TCP_NOTSENT_LOWAT of today's Linux: how many bytes may wait to be sent; `None` for as many
    /// as the buffer takes.
    UnsentLowWater(Option<u32>),
    /// SO_RCVBUF or TCP_WINDOW_CLAMP, bytes of data. What was advertised stays so.
    ReceiveBuffer(u32),
    /// SO_KEEPALIVE with the times of TCP_KEEPIDLE and TCP_KEEPINTVL and the number of
    /// TCP_KEEPCNT; `None` turns it off.
    KeepAlive(Option<(Duration, Duration, u32)>),
    /// TCP_USER_TIMEOUT (RFC 5482): how long data may stay unacknowledged; `None` for as long as
    /// the profile's retries last.
    UserTimeout(Option<Duration>),
    /// TCP_LINGER2: how long FIN-WAIT-2 lasts once the application has gone.
    FinWait2(Option<Duration>),
    /// TCP_SYNCNT: how often the SYN is retransmitted.
    SynRetries(u32),
    /// SO_MAX_PACING_RATE of today's Linux, in bytes per second; `None` for any rate.
    MaxPacingRate(Option<u64>),
    /// A queue below paces what today's Linux sends, by [`Connection::leaves_at`].
    PacedBelow,
    /// TCP_CONGESTION, before any loss.
    CongestionControl(CongestionAlgorithm),
}

impl Connection {
    /// Sets an option. False if it cannot be set any more: the congestion control after a loss.
    pub fn set_option(&mut self, now: Time, option: SocketOption) -> bool {
        if let Some(linux) = &mut self.linux {
            linux.on_occasion();
        }
        match option {
            SocketOption::NoDelay(on) => {
                self.config.nagle = if on {
                    Nagle::Off
                } else {
                    self.config.nagle_rule
                };
                if on {
                    self.send.push();
                }
            }
            SocketOption::Cork(on) => {
                self.send.cork(on);
                if !on {
                    self.send.stop_expecting(); // clearing it sends what MSG_MORE held back
                }
            }
            SocketOption::QuickAck(on) => self.set_quick_ack(on),
            SocketOption::SendBuffer(bytes) => {
                self.config.send_capacity = u64::from(bytes);
                self.send.set_capacity(u64::from(bytes));
                self.count_send_memory();
                if self.config.is_linux() {
                    self.limit_memory(bytes);
                }
            }
            SocketOption::UnsentLowWater(bytes) => {
                if self.config.is_linux() {
                    self.limit_unsent(bytes);
                }
            }
            SocketOption::ReceiveBuffer(bytes) => self.receive.set_capacity(u64::from(bytes)),
            SocketOption::KeepAlive(settings) => self.set_keep_alive(now, settings),
            SocketOption::UserTimeout(limit) => self.config.user_timeout = limit,
            SocketOption::FinWait2(limit) => self.config.fin_wait2 = limit,
            SocketOption::SynRetries(most) => self.config.syn_retries = most,
            SocketOption::MaxPacingRate(most) => {
                if self.config.is_linux() {
                    self.limit_pace(most);
                }
            }
            SocketOption::PacedBelow => {
                if self.config.is_linux() {
                    self.pace_below();
                }
            }
            SocketOption::CongestionControl(algorithm) => {
                return self.set_congestion_control(now, algorithm);
            }
        }
        true
    }

    /// Writes as [`write`](Self::write), with more to follow (MSG_MORE): what does not fill a
    /// segment waits for it, for an acknowledgement, or for a retransmission timeout.
    pub fn write_more(&mut self, now: Time, bytes: u64) -> u64 {
        self.write_marked(now, bytes, SendQueue::expect_more)
    }

    /// Writes as [`write`](Self::write) what ends a record if all of it is taken (MSG_EOR): what
    /// is written later begins with a segment of its own. Only today's Linux knows records.
    pub fn write_record(&mut self, now: Time, bytes: u64) -> u64 {
        let end = self.send.end + bytes;
        self.write_marked(now, bytes, |send| {
            if bytes > 0 && send.end == end {
                send.end_record();
            }
        })
    }

    /// Linux sends an acknowledgement that is being delayed if all data have been read.
    fn set_quick_ack(&mut self, on: bool) {
        self.delayed_ack.set_conversation(!on);
        let is_delayed = self.timers.is_armed(Timer::DelayedAck);
        if on && is_delayed && self.readable() == 0 && self.state != State::Closed {
            self.ack.due = AckDue::Now;
        }
    }

    fn set_keep_alive(&mut self, now: Time, settings: Option<(Duration, Duration, u32)>) {
        self.config.keep_alive = settings.map(|(idle, interval, probes)| KeepAlive {
            idle,
            interval,
            probes,
        });
        match self.config.keep_alive {
            Some(keep_alive) if self.state.is_synchronized() => {
                let due = (self.last_heard + keep_alive.idle).max(now);
                self.timers.arm(Timer::KeepAlive, due);
            }
            _ => self.timers.cancel(Timer::KeepAlive),
        }
    }

    fn set_congestion_control(&mut self, now: Time, algorithm: CongestionAlgorithm) -> bool {
        if self.congestion.ssthresh() != u64::MAX {
            return false;
        }
        let window = self.congestion.window();
        self.congestion = self.config.other_controller(algorithm, self.mss, window);
        if self.congestion.models_path() {
            self.begin_as_linux(now);
        }
        true
    }
}
