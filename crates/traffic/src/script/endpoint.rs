//! An endpoint that goes through a script.

use std::sync::Arc;

use units::{Duration, Time};

use super::{ScriptStep, Scripted};
use crate::law::RandomLaw;
use crate::{App, Net, Report, Socket, SocketEvents, TimingRecord};

/// Endpoint 1, which goes ahead and times, or endpoint 2, which follows.
#[derive(Clone, Debug)]
pub struct Endpoint<const IS_FIRST: bool> {
    steps: Arc<[ScriptStep]>,
    /// The step that is next.
    at: usize,
    doing: Doing,
    socket: Option<Socket>,
    /// Loops that are under way, the outermost first.
    loops: Vec<LoopState>,
    /// Bytes that have been read and belong to a later step.
    ahead: u64,
    timer: TimingRecord,
    /// Time when the machine has kept the last timing record.
    kept_at: Time,
}

/// Endpoint 1.
pub type Initiator = Endpoint<true>;
/// Endpoint 2.
pub type Responder = Endpoint<false>;

/// State of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// The step that is next.
    Next,
    Opening,
    Sending {
        left: u64,
        write_size: u64,
    },
    Taking {
        left: u64,
    },
    /// Until it is woken.
    Sleeping,
    /// Until the other end has closed the connection.
    Closing,
    Finished,
}

/// A loop that is under way.
#[derive(Clone, Copy, Debug)]
struct LoopState {
    first_step: usize,
    /// Turns that are still to come after this one; none if it has no end.
    left: Option<u64>,
}

impl<const IS_FIRST: bool> Endpoint<IS_FIRST> {
    /// An endpoint that has not started.
    pub fn new(script: &impl Scripted) -> Self {
        Endpoint {
            steps: script.steps().into(),
            at: 0,
            doing: Doing::Next,
            socket: None,
            loops: Vec::new(),
            ahead: 0,
            timer: TimingRecord {
                start: Time::ZERO,
                elapsed: Duration::ZERO,
                bytes: 0,
                transactions: 0,
            },
            kept_at: Time::ZERO,
        }
    }

    /// Goes on as far as the connection allows.
    fn advance(&mut self, net: &mut impl Net) {
        loop {
            match (self.doing, self.socket) {
                (Doing::Sending { left, write_size }, Some(socket)) => {
                    let left = send(left, write_size, socket, net);
                    if left > 0 {
                        self.doing = Doing::Sending { left, write_size };
                        return;
                    }
                    self.doing = Doing::Next;
                }
                (Doing::Taking { left }, Some(socket)) => {
                    let left = self.take(left, socket, net);
                    if left > 0 {
                        self.doing = Doing::Taking { left };
                        return;
                    }
                    self.doing = Doing::Next;
                }
                (Doing::Next, _) => {
                    if !self.begin_next(net) {
                        return;
                    }
                }
                _ => return,
            }
        }
    }

    /// Takes what has come; answers how much is still missing.
    #[inline]
    fn take(&mut self, left: u64, socket: Socket, net: &mut impl Net) -> u64 {
        let read = net.read(socket);
        if read > 0 {
            net.report(Report::Delivered(read));
        }
        let here = self.ahead + read;
        self.ahead = here.saturating_sub(left);
        left.saturating_sub(here)
    }

    /// Begins the next step; whether it is to be gone on with at once.
    fn begin_next(&mut self, net: &mut impl Net) -> bool {
        let Some(step) = self.steps.get(self.at).cloned() else {
            self.doing = Doing::Finished;
            return false;
        };
        let is_kept = net.now() >= self.kept_at;
        if IS_FIRST && !is_kept && takes_time(&step) {
            net.wake_at(self.kept_at);
            self.doing = Doing::Sleeping;
            return false;
        }
        self.at += 1;
        self.doing = self.begin(step, net);
        !matches!(
            self.doing,
            Doing::Opening | Doing::Sleeping | Doing::Closing
        )
    }

    fn begin(&mut self, step: ScriptStep, net: &mut impl Net) -> Doing {
        match step {
            ScriptStep::Connect(_) if IS_FIRST => {
                self.socket = Some(net.connect());
                Doing::Opening
            }
            ScriptStep::Connect(_) => Doing::Opening,
            ScriptStep::Disconnect(_) => {
                if let Some(socket) = self.socket
                    && IS_FIRST
                {
                    net.close(socket);
                }
                Doing::Closing
            }
            ScriptStep::Send(send) => {
                self.timer.bytes += send.size;
                transfer(IS_FIRST, send.size, send.write_size)
            }
            ScriptStep::Receive(receive) => {
                self.timer.bytes += receive.size;
                transfer(!IS_FIRST, receive.size, receive.write_size)
            }
            ScriptStep::Confirm(confirm) => transfer(!IS_FIRST, confirm.size, confirm.size),
            ScriptStep::Sleep(sleep) if IS_FIRST => {
                let mean = sleep.time.as_nanos() as f64;
                let nanos = sleep.distribution.draw(mean, sleep.shape, net.draw());
                // No pause is so short that no time goes by.
                net.wake_at(net.now() + Duration::from_nanos((nanos as u64).max(1)));
                Doing::Sleeping
            }
            ScriptStep::Loop(turns) => {
                let (first_step, left) = (self.at, turns.times.map(|times| times - 1));
                self.loops.push(LoopState { first_step, left });
                Doing::Next
            }
            ScriptStep::EndLoop(_) => {
                self.end_turn();
                Doing::Next
            }
            ScriptStep::StartTimer(_) => {
                (self.timer.start, self.timer.bytes) = (net.now(), 0);
                self.timer.transactions = 0;
                Doing::Next
            }
            ScriptStep::Transaction(_) => {
                self.timer.transactions += 1;
                Doing::Next
            }
            ScriptStep::EndTimer(_) => {
                self.timer.elapsed = net.now() - self.timer.start;
                // What is timed without counting transactions is one.
                self.timer.transactions = self.timer.transactions.max(1);
                if IS_FIRST && self.timer.elapsed > Duration::ZERO {
                    self.kept_at = net.record(self.timer);
                }
                Doing::Next
            }
            ScriptStep::Sleep(_) => Doing::Next,
        }
    }

    fn end_turn(&mut self) {
        match self.loops.last_mut() {
            Some(LoopState { left: Some(0), .. }) | None => {
                self.loops.pop();
            }
            Some(turns) => {
                turns.left = turns.left.map(|left| left - 1);
                self.at = turns.first_step;
            }
        }
    }
}

/// Returns whether a step waits until the machine has kept a timing record: all that do more than
/// count or end.
fn takes_time(step: &ScriptStep) -> bool {
    !matches!(
        step,
        ScriptStep::Loop(_) | ScriptStep::EndLoop(_) | ScriptStep::Disconnect(_)
    )
}

fn transfer(is_sender: bool, size: u64, write_size: u64) -> Doing {
    match is_sender {
        true => Doing::Sending {
            left: size,
            write_size,
        },
        false => Doing::Taking { left: size },
    }
}

#[inline]
fn send(mut left: u64, write_size: u64, socket: Socket, net: &mut impl Net) -> u64 {
    while left > 0 {
        let taken = net.write(socket, left.min(write_size));
        if taken == 0 {
            break;
        }
        left -= taken;
    }
    left
}

/// The shortest constant pause between what a script does again and again, if it has one: two
/// that repeat it may stay in step.
fn period_of(steps: &[ScriptStep]) -> Duration {
    let mut depth = 0;
    let pauses = steps.iter().filter_map(|step| {
        match step {
            ScriptStep::Loop(_) => depth += 1,
            ScriptStep::EndLoop(_) => depth -= 1,
            ScriptStep::Sleep(sleep) if depth > 0 && sleep.distribution == RandomLaw::Constant => {
                return Some(sleep.time);
            }
            _ => {}
        }
        None
    });
    pauses.min().unwrap_or(Duration::ZERO)
}

impl<const IS_FIRST: bool> App for Endpoint<IS_FIRST> {
    fn on_start(&mut self, net: &mut impl Net) {
        let phase = match IS_FIRST {
            true => net.phase(period_of(&self.steps)),
            false => Duration::ZERO,
        };
        if phase > Duration::ZERO {
            self.doing = Doing::Sleeping;
            return net.wake_at(net.now() + phase);
        }
        self.advance(net);
    }

    #[inline]
    fn on_stream(&mut self, socket: Socket, news: SocketEvents, net: &mut impl Net) {
        if news.established && self.doing == Doing::Opening {
            self.socket = Some(socket);
            self.doing = Doing::Next;
        }
        if self.socket == Some(socket) {
            self.advance(net);
        }
        if news.peer_closed {
            net.close(socket);
            if self.doing == Doing::Closing && self.socket == Some(socket) {
                self.socket = None;
                self.doing = Doing::Next;
                self.advance(net);
            }
        }
    }

    fn on_end(&mut self, socket: Socket, _net: &mut impl Net) {
        // A script whose connection has failed is over.
        if self.socket == Some(socket) {
            self.doing = Doing::Finished;
        }
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        if self.doing == Doing::Sleeping {
            self.doing = Doing::Next;
            self.advance(net);
        }
    }

    fn is_done(&self) -> bool {
        !IS_FIRST || self.doing == Doing::Finished
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;
    use super::*;
    use crate::test_host::{CLOSED, OPEN, TestHost};

    /// A question and an answer, twice, a second apart, each over a connection of its own.
    fn questions() -> Config {
        Config {
            steps: ScriptSteps(vec![
                ScriptStep::Loop(Loop { times: Some(2) }),
                ScriptStep::Connect(Connect {}),
                ScriptStep::StartTimer(StartTimer {}),
                ScriptStep::Send(Send {
                    size: 300,
                    write_size: 200,
                }),
                ScriptStep::Receive(Receive {
                    size: 5000,
                    write_size: 5000,
                }),
                ScriptStep::Transaction(Transaction {}),
                ScriptStep::EndTimer(EndTimer {}),
                ScriptStep::Disconnect(Disconnect {}),
                ScriptStep::Sleep(Sleep {
                    time: Duration::from_secs(1),
                    distribution: RandomLaw::Constant,
                    shape: 1.5,
                }),
                ScriptStep::EndLoop(EndLoop {}),
            ]),
        }
    }

    #[test]
    fn endpoint_1_goes_through_the_steps_and_times_them() {
        let (mut first, mut test_host) = (Initiator::new(&questions()), TestHost::with_room(9999));
        first.on_start(&mut test_host);
        first.on_stream(Socket(0), OPEN, test_host.at_millis(10));
        assert_eq!(test_host.written, 300);
        test_host.arrived = 4999;
        first.on_stream(Socket(0), SocketEvents::default(), test_host.at_millis(20));
        assert!(test_host.records.is_empty(), "a byte is missing");
        test_host.arrived = 1;
        first.on_stream(Socket(0), SocketEvents::default(), test_host.at_millis(30));
        let record = test_host.records[0];
        assert_eq!(
            (record.elapsed, record.bytes),
            (Duration::from_millis(20), 5300)
        );
        assert!(test_host.closed);
        first.on_stream(Socket(0), CLOSED, test_host.at_millis(40));
        assert_eq!(test_host.wakes, [Time::ZERO + Duration::from_millis(1040)]);
        first.on_end(Socket(0), &mut test_host);
        first.on_wake(test_host.at_millis(1040));
        assert_eq!(test_host.opened, 2, "another connection");
        assert!(!first.is_done());
    }

    #[test]
    fn a_script_that_pauses_again_and_again_begins_anywhere_in_its_pause() {
        let (mut first, mut test_host) = (Initiator::new(&questions()), TestHost::with_room(9999));
        test_host.phase = 0.3;
        first.on_start(&mut test_host);
        assert_eq!(
            (test_host.opened, &test_host.wakes[..]),
            (0, &[Time::ZERO + Duration::from_millis(300)][..])
        );
        first.on_wake(test_host.at_millis(300));
        assert_eq!(test_host.opened, 1);
    }

    #[test]
    fn endpoint_2_does_its_part_of_every_step() {
        let (mut second, mut test_host) = (Responder::new(&questions()), TestHost::with_room(9999));
        second.on_start(&mut test_host);
        assert_eq!(test_host.opened, 0);
        test_host.arrived = 300;
        second.on_stream(Socket(7), OPEN, &mut test_host);
        assert_eq!(test_host.written, 5000);
        second.on_stream(Socket(7), CLOSED, &mut test_host);
        assert!(test_host.closed);
        (test_host.arrived, test_host.room) = (300, 9999);
        second.on_stream(Socket(7), SocketEvents::default(), &mut test_host);
        assert_eq!(test_host.arrived, 300, "the first connection is over");
        second.on_stream(Socket(8), OPEN, &mut test_host);
        assert_eq!(test_host.written, 10_000, "the second turn of the loop");
    }

    #[test]
    fn bytes_that_come_together_belong_to_one_step_after_the_other() {
        let send = |size| {
            ScriptStep::Send(Send {
                size,
                write_size: size,
            })
        };
        let confirm = ScriptStep::Confirm(Confirm { size: 10 });
        let connect = ScriptStep::Connect(Connect {});
        let steps = ScriptSteps(vec![
            connect,
            send(100),
            confirm.clone(),
            send(200),
            confirm,
        ]);
        let (mut second, mut test_host) =
            (Responder::new(&Config { steps }), TestHost::with_room(9999));
        second.on_start(&mut test_host);
        test_host.arrived = 250;
        second.on_stream(Socket(0), OPEN, &mut test_host);
        assert_eq!(test_host.written, 10);
        test_host.arrived = 50;
        second.on_stream(Socket(0), SocketEvents::default(), &mut test_host);
        assert_eq!(test_host.written, 20);
    }

    #[test]
    fn a_script_whose_loops_do_not_fit_is_refused() {
        let checked = |steps: Vec<ScriptStep>| {
            Config {
                steps: ScriptSteps(steps),
            }
            .check()
        };
        let (turns, end) = (
            ScriptStep::Loop(Loop { times: None }),
            ScriptStep::EndLoop(EndLoop {}),
        );
        assert_eq!(questions().check(), Ok(()));
        for steps in [vec![end.clone()], vec![turns.clone()], vec![turns, end]] {
            assert!(checked(steps).is_err());
        }
    }
}
