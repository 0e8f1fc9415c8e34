//! GenTraGen, the generator of M. Franceschinis, M. Mellia, M. Meo and M. Munafò: a master, which
//! has the data, and slaves, which fetch them.
//!
//! A slave registers with the master, which answers with the profile of its traffic and the time at
//! which all begin. From then on, after a delay of its own, it fetches D bytes N times, each time
//! over a connection of its own, and pauses for T_off in between (§II.A). The paper says what is
//! exchanged, not how: messages of 100 bytes are inferred, and that the master closes a connection
//! after the last of its bytes. A master here gives all its slaves the same start by giving it
//! relative to the start of the traffic; it does not wait until so many have registered.

use std::sync::Arc;

use units::{Duration, Time};

use crate::law::RandomLaw;
use crate::server::Server;
use crate::{About, App, Net, Report, Socket, SocketEvents, TimingRecord, Transport};

units::declare! {
    /// GenTraGen: transfers from a master to a slave, each of which is a timing record.
    pub struct Config = "gentragen" {
        /// transfers of a slave, N_t; absent: until the run ends
        trials: Option<u64> = Field::count("transfers").positive().optional()
            .from("no end; franceschinis §III: 100"),
        /// mean of a transfer's bytes, D
        size: u64 = Field::size().positive()
            .or(Default::Text("1 MiB"))
            .from("franceschinis §III: 1 MByte; inferred: 2^20 bytes, with which its first cycle fits"),
        /// how sizes vary, unless there are `sizes`
        size_distribution: RandomLaw = Field::of(Quantity::Choice(RandomLaw::WORDS))
            .or(Default::Text("constant"))
            .from("franceschinis §III"),
        /// sizes to draw from, all equally likely, instead of `size`
        sizes: Option<Vec<u64>> = Field::size().of_file().optional().from("`size`"),
        /// mean time from the end of a transfer to the next request, T_off
        off: Duration = Field::duration()
            .or(Default::Text("0 s"))
            .from("franceschinis §III"),
        /// how these times vary, unless there are `offs`
        off_distribution: RandomLaw = Field::of(Quantity::Choice(RandomLaw::WORDS))
            .or(Default::Text("constant"))
            .from("franceschinis §III"),
        /// times to draw from, all equally likely, instead of `off`
        offs: Option<Vec<Duration>> = Field::duration().of_file().optional().from("`off`"),
        /// of `pareto` sizes and times how fast large ones become rare
        shape: f64 = Field::of(Quantity::Number).within(1.0, 100.0).open()
            .or(Default::Number(1.5))
            .from("inferred: heavy-tailed, of infinite variance"),
        /// time from the start of the traffic to that which the master gives all slaves
        lead: Duration = Field::duration()
            .or(Default::Text("1 s"))
            .from("inferred: long enough for a registration"),
        /// longest delay of a slave from there to its first request, all delays equally likely
        delay: Duration = Field::duration()
            .or(Default::Text("1 s"))
            .from("inferred: franceschinis §II.A says that there is one, to avoid synchronization"),
    }
}

pub const ABOUT: About = About {
    transport: Transport::Tcp,
    answers: true,
    records: true,
    metrics: &[],
};

/// Bytes of a registration, of a request, and of the profile.
const MESSAGE: u64 = 100;

/// The master.
#[derive(Clone, Debug)]
pub struct Initiator {
    profile: SizeProfile,
    server: Server,
    /// The connection of the registration, once there is one.
    registration: Option<Socket>,
}

/// The sizes of transfers.
#[derive(Clone, Debug)]
struct SizeProfile {
    size: f64,
    distribution: RandomLaw,
    shape: f64,
    sizes: Option<Arc<[u64]>>,
}

impl SizeProfile {
    fn draw(&self, unit: f64) -> u64 {
        match &self.sizes {
            Some(sizes) => sizes[(unit * sizes.len() as f64) as usize],
            None => self.distribution.draw(self.size, self.shape, unit) as u64,
        }
        .max(1)
    }
}

impl Initiator {
    /// A master that no slave has registered with.
    pub fn new(config: &Config) -> Self {
        Initiator {
            profile: SizeProfile {
                size: config.size as f64,
                distribution: config.size_distribution,
                shape: config.shape,
                sizes: config.sizes.as_deref().map(Arc::from),
            },
            server: Server::default(),
            registration: None,
        }
    }
}

impl App for Initiator {
    fn on_stream(&mut self, socket: Socket, news: SocketEvents, net: &mut impl Net) {
        let is_registration = *self.registration.get_or_insert(socket) == socket;
        let profile = &self.profile;
        self.server
            .on_stream(socket, news, net, MESSAGE, |net| match is_registration {
                true => MESSAGE,
                false => profile.draw(net.draw()),
            });
    }

    fn on_end(&mut self, socket: Socket, _net: &mut impl Net) {
        self.server.on_end(socket);
    }
}

/// A slave.
#[derive(Clone, Debug)]
pub struct Responder {
    config: Config,
    step: GentragenStep,
    begins_at: Time,
    trials: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GentragenStep {
    Registering {
        socket: Socket,
    },
    /// Until the next request.
    Waiting,
    Fetching {
        socket: Socket,
        since: Time,
        bytes: u64,
    },
    Finished,
}

impl Responder {
    /// A slave that has not registered.
    pub fn new(config: &Config) -> Self {
        Responder {
            config: config.clone(),
            step: GentragenStep::Waiting,
            begins_at: Time::ZERO,
            trials: 0,
        }
    }

    fn wait_until(&mut self, at: Time, net: &mut impl Net) {
        self.step = GentragenStep::Waiting;
        net.wake_at(at.max(net.now()));
    }

    /// The pause between two transfers.
    fn off(&self, unit: f64) -> Duration {
        let Config {
            off,
            off_distribution,
            offs,
            shape,
            ..
        } = &self.config;
        match offs {
            Some(offs) => offs[(unit * offs.len() as f64) as usize],
            None => {
                let nanos = off_distribution.draw(off.as_nanos() as f64, *shape, unit);
                Duration::from_nanos(nanos as u64)
            }
        }
    }

    /// A transfer is over, the next may begin at `earliest`.
    fn finish(&mut self, earliest: Time, net: &mut impl Net) {
        self.trials += 1;
        if self.config.trials == Some(self.trials) {
            self.step = GentragenStep::Finished;
        } else {
            let off = self.off(net.draw());
            self.wait_until(earliest.max(net.now() + off), net);
        }
    }

    fn begin(&mut self, net: &mut impl Net) {
        let after = self.config.delay.as_nanos() as f64 * net.draw();
        self.wait_until(self.begins_at + Duration::from_nanos(after as u64), net);
    }
}

impl App for Responder {
    fn on_start(&mut self, net: &mut impl Net) {
        self.begins_at = net.now() + self.config.lead;
        let socket = net.connect();
        self.step = GentragenStep::Registering { socket };
    }

    fn on_stream(&mut self, socket: Socket, news: SocketEvents, net: &mut impl Net) {
        let read = net.read(socket);
        net.report(Report::Delivered(read));
        if news.established {
            net.write(socket, MESSAGE);
        }
        if let GentragenStep::Fetching {
            socket: own, bytes, ..
        } = &mut self.step
            && *own == socket
        {
            *bytes += read;
        }
        if !news.peer_closed {
            return;
        }
        net.close(socket);
        match self.step {
            GentragenStep::Registering { socket: own } if own == socket => self.begin(net),
            GentragenStep::Fetching {
                socket: own,
                since,
                bytes,
            } if own == socket => {
                let kept_at = net.record(TimingRecord {
                    start: since,
                    elapsed: net.now() - since,
                    bytes,
                    transactions: 1,
                });
                self.finish(kept_at, net);
            }
            _ => {}
        }
    }

    fn on_end(&mut self, socket: Socket, net: &mut impl Net) {
        match self.step {
            // A registration that has failed is tried again.
            GentragenStep::Registering { socket: own } if own == socket => self.on_start(net),
            GentragenStep::Fetching { socket: own, .. } if own == socket => {
                self.finish(net.now(), net);
            }
            _ => {}
        }
    }

    fn on_wake(&mut self, net: &mut impl Net) {
        let since = net.now();
        let socket = net.connect();
        self.step = GentragenStep::Fetching {
            socket,
            since,
            bytes: 0,
        };
    }

    fn is_done(&self) -> bool {
        self.step == GentragenStep::Finished
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_host::{CLOSED, OPEN, TestHost};

    fn config() -> Config {
        Config {
            trials: Some(2),
            size: 1 << 20,
            size_distribution: RandomLaw::Constant,
            sizes: None,
            off: Duration::from_millis(500),
            off_distribution: RandomLaw::Constant,
            offs: None,
            shape: 1.5,
            lead: Duration::from_secs(1),
            delay: Duration::from_secs(1),
        }
    }

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    #[test]
    fn a_slave_registers_waits_for_the_common_start_and_its_own_delay_and_fetches() {
        let (mut slave, mut test_host) = (Responder::new(&config()), TestHost::with_room(9999));
        slave.on_start(&mut test_host);
        slave.on_stream(Socket(0), OPEN, test_host.at_millis(2));
        slave.on_stream(Socket(0), CLOSED, test_host.at_millis(6));
        assert_eq!((test_host.written, test_host.closed), (MESSAGE, true));
        assert_eq!(
            test_host.wakes,
            [at(1500)],
            "at 1 s, and half of the longest delay"
        );
        for (number, start, end) in [(1, 1500, 3000), (2, 3500, 4000)] {
            slave.on_wake(test_host.at_millis(start));
            test_host.arrived = 1 << 20;
            slave.on_stream(Socket(number), OPEN, &mut test_host);
            slave.on_stream(Socket(number), CLOSED, test_host.at_millis(end));
        }
        assert_eq!(
            test_host.wakes[1..],
            [at(3500)],
            "half a second after the first transfer"
        );
        let spans: Vec<_> = test_host
            .records
            .iter()
            .map(|each| (each.start, each.bytes))
            .collect();
        assert_eq!(spans, [(at(1500), 1 << 20), (at(3500), 1 << 20)]);
        assert!(slave.is_done());
    }

    #[test]
    fn the_master_answers_a_registration_with_a_profile_and_all_else_with_data() {
        let sizes = Some(vec![1000, 3000]);
        let mut master = Initiator::new(&Config { sizes, ..config() });
        let mut test_host = TestHost::with_room(u64::MAX);
        test_host.draws = vec![0.7, 0.2];
        let written = [0, 1, 2].map(|socket| {
            (test_host.arrived, test_host.written) = (MESSAGE, 0);
            master.on_stream(Socket(socket), OPEN, &mut test_host);
            test_host.written
        });
        assert_eq!(written, [MESSAGE, 1000, 3000]);
    }
}
