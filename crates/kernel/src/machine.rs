//! The kernel as a machine under test: its sockets, its TUN interface, the wall clock.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd, RawFd};
use std::time::{Duration, Instant, SystemTime};

use os::namespace;
use os::poll::await_readable;
use script::ast::{Call, IcmpMessage, ScriptPacket};
use script::{
    CallReply, CallTrouble, Machine, MachineSegment, MachineStop, PATH_MTU_MIN, Refusal, Settings,
    Translation, Value,
};
use tcp::{Flags, Segment};
use units::Time;

use crate::commands::Shell;
use crate::connection::KernelConnection;
use crate::halt::{LOOK, ScriptHalt};
use crate::packet::{self, ConnectionPorts};
use crate::worker::Worker;
use crate::{calls, info, wheel};

/// packetdrill's own port of the host under test, and of the server it connects to.
pub(crate) const PORT: u16 = 8080;
/// The first port of the script as a client; the next connection has the next.
const REMOTE_PORT: u16 = 40_001;
/// Time that a call that need not wait may take.
const AT_ONCE: Duration = Duration::from_secs(1);
/// A packet that late would not come as written whatever the reason.
const PATIENCE: units::Duration = units::Duration::from_secs(3);
/// After this a call that may wait is taken to wait.
const WAITS: Duration = Duration::from_millis(1);
/// The interface's MTU, and the headers of IPv4 and TCP.
const MTU: u32 = 1500;
const HEADERS: u32 = 40;
/// Bytes that timestamps take of every segment (RFC 7323 appendix A).
const TIMESTAMP_BYTES: u32 = 12;

#[derive(Debug)]
pub(crate) struct Kernel {
    settings: Settings,
    shell: Shell,
    start: Instant,
    /// Reading of the wall's clock then, in nanoseconds since 1970.
    pub(crate) began: i64,
    tun: File,
    connections: Vec<KernelConnection>,
    sent: VecDeque<MachineSegment>,
    /// The script's descriptors and the process's.
    pub(crate) descriptors: BTreeMap<i64, RawFd>,
    /// The socket of the connection that was made last.
    pub(crate) under_test: Option<RawFd>,
    /// The call that waits, and who makes it.
    worker: Option<(Call, Worker)>,
    jiffy: units::Duration,
    halt: ScriptHalt,
}

/// The real-time priority of scripts: before ordinary programs.
const PRIORITY: i32 = 1;

/// Puts this thread into a network of its own with a TUN interface in it.
pub(crate) fn own_network() -> io::Result<File> {
    namespace::leave_network()?;
    let tun = os::tap::tun("tun0")?;
    // Where mounts are forbidden /sys shows the machine's interfaces, which few scripts look at.
    let _ = namespace::leave_mounts().and_then(|()| namespace::mount("sysfs", "/sys"));
    // Without the privilege scripts run all the same, only less exactly timed.
    let _ = os::priority::make_real_time(PRIORITY);
    Ok(tun)
}

/// The interface, the route to the script, and Linux's own default where this machine's kernel
/// was built with another.
const NETWORK: &[&str] = &[
    "ip link set lo up",
    "ip addr add 192.168.0.1/16 dev tun0",
    "ip link set tun0 up",
    "ip route add 192.0.2.0/24 dev tun0",
    "sysctl -q net.ipv4.tcp_congestion_control=cubic",
];

/// Gives the kernel the receive buffer of the simulated endpoint. Its largest size, which Linux
/// 6.16 raised from 6 to 32 MiB, decides the window's scale in every SYN
/// (tcp_select_initial_window).
fn receive_buffer(profile: &tcp::Profile) -> Option<String> {
    let tcp::Family::Linux(stack) = &profile.family else {
        return None;
    };
    let (usual, largest) = (stack.receive_buffer_bytes, stack.receive_buffer_max_bytes);
    Some(format!(
        "sysctl -q net.ipv4.tcp_rmem='4096 {usual} {largest}'"
    ))
}

impl Kernel {
    pub fn new(
        settings: Settings,
        tun: File,
        shell: Shell,
        halt: ScriptHalt,
    ) -> Result<Kernel, Refusal> {
        if let Some((line, name)) = &settings.simulated_only {
            let reason = format!("{name}: the kernel is what it is");
            return Err(Refusal::unsupported(*line, reason));
        }
        if settings.headers != HEADERS {
            let reason = "--ip_version=ipv6: the kernel is spoken to by IPv4";
            return Err(Refusal::unsupported(1, reason.to_owned()));
        }
        let mut prepare: Vec<String> = NETWORK.iter().map(|&command| command.to_owned()).collect();
        prepare.extend(receive_buffer(&settings.profile));
        let mtu = |mtu| format!("ip link set tun0 mtu {mtu}");
        prepare.extend(settings.mtu.map(mtu));
        for command in prepare {
            let outcome = shell.run(&command);
            outcome.map_err(|reason| Refusal::unsupported(1, reason))?;
        }
        for (line, path) in &settings.init_scripts {
            let outcome = shell.run(path);
            outcome.map_err(|reason| Refusal::unsupported(*line, reason))?;
        }
        Ok(Kernel {
            settings,
            shell,
            start: Instant::now(),
            began: 0,
            tun,
            connections: Vec::new(),
            sent: VecDeque::new(),
            descriptors: BTreeMap::new(),
            under_test: None,
            worker: None,
            jiffy: wheel::jiffy(),
            halt,
        })
    }

    /// Reads and forgets what the interface has sent so far: the system's own packets.
    fn discard(&self) {
        let mut buffer = [0; 65_536];
        while (&self.tun).read(&mut buffer).is_ok() {}
    }

    /// Takes what the kernel has sent.
    fn listen(&mut self) {
        let mut buffer = [0; 65_536];
        while let Ok(length) = (&self.tun).read(&mut buffer) {
            let at = self.now();
            if let Some((ports, segment)) = packet::decode(&buffer[..length]) {
                self.note_sent(at, ports, segment);
            }
        }
    }

    fn note_sent(&mut self, at: Time, ports: ConnectionPorts, segment: Segment) {
        let is_syn = segment.flags.contains(Flags::SYN);
        let known = self.connections.iter().rposition(|c| c.ports == ports);
        let known = known.filter(|known| !self.connections[*known].is_followed_by(&segment));
        let index = match known {
            Some(index) => index,
            None if is_syn => {
                self.connections.push(KernelConnection::new(ports));
                self.connections.len() - 1
            }
            None => return,
        };
        let connection = &mut self.connections[index];
        if is_syn && !connection.has_sent(&segment) {
            connection.numbers.note_own_isn(segment.seq.0);
        }
        if is_syn && segment.flags.contains(Flags::ACK) {
            connection.timestamps &= segment.options.timestamps.is_some();
        }
        connection.note_sent(&segment);
        let mtus = [self.settings.mtu, connection.path_mtu];
        let mtu = mtus.into_iter().flatten().min().unwrap_or(MTU);
        let full = connection.peer_mss.min(mtu.saturating_sub(HEADERS));
        let overhead = if connection.timestamps {
            TIMESTAMP_BYTES
        } else {
            0
        };
        self.sent.push_back(MachineSegment {
            at,
            segment,
            connection: index,
            mss: full - overhead.min(full - 1),
        });
    }

    /// The connection that a packet of the script belongs to.
    fn connection_for(&mut self, packet: &ScriptPacket) -> usize {
        let opens = packet.flags.contains(Flags::SYN) && !packet.flags.contains(Flags::ACK);
        if let Some((remote, local)) = packet.ports {
            return self.connection_of(ConnectionPorts { local, remote }, opens);
        }
        match self.connections.last() {
            Some(last) if !(opens && last.is_over()) => self.connections.len() - 1,
            _ => {
                let remote = REMOTE_PORT + self.connections.len() as u16;
                let local = PORT;
                self.connections
                    .push(KernelConnection::new(ConnectionPorts { local, remote }));
                self.connections.len() - 1
            }
        }
    }

    /// The connection between the ports that a script has named.
    fn connection_of(&mut self, ports: ConnectionPorts, opens: bool) -> usize {
        let is_it = |known: &KernelConnection| known.ports == ports && !(opens && known.is_over());
        match self.connections.iter().rposition(is_it) {
            Some(index) => index,
            None => {
                self.connections.push(KernelConnection::new(ports));
                self.connections.len() - 1
            }
        }
    }

    /// The reply to the call that waits, once there is one.
    fn waited_for(&mut self) -> Option<Result<CallReply, CallTrouble>> {
        let (_, worker) = self.worker.as_ref()?;
        let reply = worker.reply(Duration::ZERO)?;
        if let (Some((call, _)), Ok(reply)) = (self.worker.take(), &reply) {
            calls::note(self, &call, reply);
        }
        Some(reply)
    }

    fn remaining(&self, until: Time) -> Duration {
        Duration::from_nanos(until.saturating_since(self.now()).as_nanos())
    }
}

impl Machine for Kernel {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn now(&self) -> Time {
        Time::from_nanos(self.start.elapsed().as_nanos() as u64)
    }

    fn begin(&mut self) {
        self.discard();
        self.start = Instant::now();
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        self.began = since.map_or(0, |since| since.as_nanos() as i64);
    }

    fn patience(&self) -> units::Duration {
        PATIENCE
    }

    fn timer_lateness(&self, wait: units::Duration) -> Option<units::Duration> {
        Some(wheel::lateness(wait, self.jiffy))
    }

    fn advance(&mut self, until: Time, until_sent: bool) -> MachineStop {
        loop {
            self.listen();
            if let Some(reply) = self.waited_for() {
                return MachineStop::Returned(reply);
            }
            if until_sent && !self.sent.is_empty() {
                return MachineStop::Sent;
            }
            let remaining = self.remaining(until);
            if remaining.is_zero() {
                return MachineStop::Time;
            }
            if self.halt.is_asked() {
                return MachineStop::Asked;
            }
            let mut descriptors = vec![self.tun.as_raw_fd()];
            descriptors.extend(self.worker.iter().map(|(_, worker)| worker.descriptor()));
            if await_readable(&descriptors, remaining.min(LOOK)).is_err() {
                return MachineStop::Restless;
            }
        }
    }

    fn receive(&mut self, packet: &ScriptPacket) -> Result<(), CallTrouble> {
        self.listen();
        let index = self.connection_for(packet);
        let connection = &mut self.connections[index];
        if packet.flags.contains(Flags::SYN) && !connection.has_answered() {
            connection.numbers.note_peer_isn(packet.seq);
        }
        let segment = connection.numbers.segment(packet);
        if segment.flags.contains(Flags::SYN) {
            connection.note_peer_syn(&segment);
        }
        connection.note_received(&segment);
        let bytes = packet::encode(&segment, connection.ports).map_err(CallTrouble::Unsupported)?;
        match (&self.tun).write_all(&bytes) {
            Ok(()) => {
                self.listen();
                Ok(())
            }
            Err(error) => Err(CallTrouble::Wrong(format!(
                "the packet cannot be sent: {error}"
            ))),
        }
    }

    fn receive_icmp(&mut self, message: &IcmpMessage) -> Result<(), CallTrouble> {
        self.listen();
        let meaning = script::icmp_meaning(message)?;
        let Some(connection) = self.connections.last_mut() else {
            return Err(CallTrouble::Unsupported(
                "ICMP before any packet".to_owned(),
            ));
        };
        if meaning.is_too_big {
            connection.path_mtu = message.mtu.map(|mtu| mtu.max(PATH_MTU_MIN));
        }
        let numbers = &connection.numbers;
        let about = numbers.sequence_number(message.quoted.unwrap_or(0));
        let mtu = message.mtu.unwrap_or(0) as u16;
        let bytes = packet::encode_icmp(meaning.number, mtu, about, connection.ports);
        let sent = bytes.and_then(|bytes| {
            let outcome = (&self.tun).write_all(&bytes);
            outcome.map_err(|error| error.to_string())
        });
        sent.map_err(|error| CallTrouble::Wrong(format!("the message cannot be sent: {error}")))?;
        self.listen();
        Ok(())
    }

    fn call(&mut self, call: &Call) -> Result<CallReply, CallTrouble> {
        let work = calls::prepare(self, call)?;
        let begin = Worker::start(work);
        let worker = begin.map_err(|error| CallTrouble::Wrong(error.to_string()))?;
        let patience = if call.end.is_some() { WAITS } else { AT_ONCE };
        let reply = worker.reply(patience);
        self.listen();
        match reply {
            Some(reply) => {
                let reply = reply?;
                calls::note(self, call, &reply);
                Ok(reply)
            }
            None => {
                calls::note(self, call, &CallReply::Waits); // it may open a connection meanwhile
                self.worker = Some((call.clone(), worker));
                Ok(CallReply::Waits)
            }
        }
    }

    fn bind_descriptor(&mut self, descriptor: i64, reply: &CallReply) {
        if let CallReply::Descriptor(made) = reply {
            self.descriptors.insert(descriptor, *made as RawFd);
        }
    }

    fn command(&mut self, line: u32, text: &str) -> Result<(), Refusal> {
        let outcome = self.shell.run(text);
        outcome.map_err(|reason| Refusal::unsupported(line, reason))
    }

    fn lookup(&self, name: &str) -> Option<Value> {
        if let Some(constant) = script::constant(name) {
            return Some(constant);
        }
        let [level, option] = ["SOL_TCP", "TCP_INFO"].map(|name| script::symbol(name).unwrap_or(0));
        let info = os::calls::option(self.under_test?, level, option, info::BYTES).ok()?;
        info::field(&info, name)
            .and_then(|value| i64::try_from(value).ok())
            .map(Value::Integer)
    }

    fn sent(&self) -> &VecDeque<MachineSegment> {
        &self.sent
    }

    fn take_sent(&mut self) -> Option<MachineSegment> {
        self.sent.pop_front()
    }

    fn pass_over_others(&mut self) {
        let last = self.connections.len().saturating_sub(1);
        self.sent.retain(|sent| sent.connection == last);
    }

    fn numbers(&mut self, connection: usize) -> &mut Translation {
        &mut self.connections[connection].numbers
    }
}

impl Drop for Kernel {
    /// Connections end by a reset, so that nothing of the script stays in the kernel.
    fn drop(&mut self) {
        for fd in self.descriptors.values() {
            let _ = calls::reset_on_close(*fd);
            let _ = os::calls::shutdown(*fd, i64::from(libc::SHUT_RDWR));
            let _ = os::calls::close(*fd);
        }
    }
}
