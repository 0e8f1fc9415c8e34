//! An emulation from its beginning to its end: what it needs, the loop, and how it went.

use std::fs::File;
use std::io::{self, Write as _};
use std::net::Ipv4Addr;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread;

use lab::{EmulationPlan, InterfaceId, NodeRole, Plan, Record, Sink, World};
use os::message::{Door, MessageChannel};
use os::tap::TapInterface;
use units::Time;

use crate::background::Background;
use crate::consequences::consequences;
use crate::control::{ControlState, ControlThread};
use crate::failure::EmulationFailure;
use crate::machines::{self, RealNode};
use crate::outcome::EmulationOutcome;
use crate::programs;
use crate::request::EmulationRequest;
use crate::running::EmulationLoop;
use crate::verdict::verdict;

/// Runs an emulation to its end.
///
/// To be called by a process that has one thread, started for this alone: it may become root of a
/// user namespace of its own, and leaves the rest to the processes that it starts.
///
/// # Errors
/// When the system refuses what is needed, with the remedy; when a file cannot be written.
pub fn emulate(
    request: &EmulationRequest,
    console: MessageChannel,
) -> Result<(Record, EmulationOutcome), EmulationFailure> {
    let plan = Plan::parse(&std::fs::read_to_string(&request.plan)?)
        .map_err(|error| EmulationFailure::Refused(error.to_string()))?;
    let Some(emulation) = &plan.emulation else {
        return Err(EmulationFailure::Refused(
            "no node of the plan is real".into(),
        ));
    };
    let owner = os::user::number();
    become_able()?;
    check_device()?;
    check_room(emulation)?;
    let first = programs::start_first(&names(&plan))?;
    let machines = machines::make(&plan)?;
    let name = format!("anechoic/{owner}/{}/{}", std::process::id(), request.name);
    let shared = ControlState::default();
    let control = ControlThread {
        console,
        door: Door::open(&name)?,
        doors_within: doors_within(&plan, &machines)?,
        first,
        networks: networks(&machines),
        shared: &shared,
    };
    let world = world(&plan, request)?;
    let (log, folder) = (request.log.as_deref(), request.folder());
    let running = EmulationLoop::new(world, &machines, log, folder, emulation.limits, &shared)?;
    let ((record, mut outcome), left) = run_beside(control, running, &shared)?;
    outcome.ended_by_force = left;
    complete(&mut outcome, &plan, request, &machines)?;
    Ok((record, outcome))
}

/// The namespaces that programs can be started in, by the names of their nodes.
fn networks(machines: &[RealNode]) -> Vec<(String, BorrowedFd<'_>)> {
    let named = machines
        .iter()
        .map(|machine| (machine.name.clone(), machine));
    named
        .filter_map(|(name, machine)| Some((name, machine.network.as_ref()?.as_fd())))
        .collect()
}

/// The doors within access points, each with the number of the interface of its radio: programs there
/// know them by one name, since the names of one network are unknown in the others.
fn doors_within(plan: &Plan, machines: &[RealNode]) -> io::Result<Vec<(Door, InterfaceId)>> {
    const NAME: &str = "anechoic/access-point";
    let role = |name: &str| {
        plan.nodes
            .iter()
            .find(|node| node.name == name)
            .map(|node| node.role)
    };
    let within = machines
        .iter()
        .filter(|machine| role(&machine.name) == Some(NodeRole::Ap));
    let doors = within.filter_map(|machine| {
        let (network, port) = (machine.network.as_ref()?, machine.ports.first()?);
        Some((network, port.number))
    });
    doors
        .map(|(network, radio)| Ok((network.within(|| Door::open(NAME))?, radio)))
        .collect()
}

fn world(plan: &Plan, request: &EmulationRequest) -> io::Result<World> {
    let mut world = World::new(plan.clone(), request.seed);
    if let Some(folder) = &request.captures {
        world.capture_into(|name| capture(&folder.join(name)))?;
    }
    Ok(world)
}

/// Runs the loop while another thread answers; says as well which programs did not end when asked.
fn run_beside(
    control: ControlThread<'_>,
    running: EmulationLoop<'_>,
    shared: &ControlState,
) -> io::Result<((Record, EmulationOutcome), Vec<String>)> {
    thread::scope(|scope| {
        let answering = thread::Builder::new().name("control".into());
        let answering = answering.spawn_scoped(scope, || {
            let left = control.serve();
            // Without it nobody could end the emulation.
            shared.stop.store(true, Ordering::Release);
            left
        })?;
        let run = running.run();
        shared.is_over.store(true, Ordering::Release);
        let left = answering.join();
        let left = left.unwrap_or_else(|_| Err(io::Error::other("a thread ended")))?;
        Ok((run?, left))
    })
}

/// Adds to an outcome what is known behind the end alone.
fn complete(
    outcome: &mut EmulationOutcome,
    plan: &Plan,
    request: &EmulationRequest,
    machines: &[RealNode],
) -> io::Result<()> {
    let lost = machines.iter().map(RealNode::lost);
    let lost = lost.collect::<io::Result<Vec<_>>>()?.concat();
    for (counts, lost) in outcome.course.ports.iter_mut().zip(lost) {
        counts.lost_in_ring = lost;
    }
    if let Some(log) = &request.log {
        let end = Time::from_nanos(outcome.course.ran_ns);
        outcome.consequences = consequences(plan, request.seed, log, end)?;
    }
    outcome.verdict = verdict(outcome);
    Ok(())
}

/// A capture file that others can read while it is written.
fn capture(path: &Path) -> io::Result<Box<dyn Sink>> {
    let file = File::create(path)?;
    let write = |file: &mut File, chunk: &[u8]| file.write_all(chunk);
    let capture = Background::start("capture", file, write, |file| file.sync_all())?;
    Ok(Box::new(capture))
}

/// Lets this process make namespaces and interfaces.
fn become_able() -> Result<(), EmulationFailure> {
    if os::user::is_privileged() {
        return Ok(());
    }
    os::user::become_root_of_own().map_err(|error| {
        EmulationFailure::Refused(format!(
            "this system gives ordinary users no network of their own ({error}): run it as root, or \
             allow user namespaces for it (on Ubuntu by a profile of AppArmor with \"userns,\")"
        ))
    })
}

/// Refuses more real nodes than this machine has room for.
fn check_room(emulation: &EmulationPlan) -> Result<(), EmulationFailure> {
    // A namespace, its interface, the ring of its stamps, and as much again while they are made.
    const EACH: u64 = 6;
    const OWN: u64 = 64;
    let nodes = emulation.real.len() as u64;
    os::process::allow_descriptors(EACH * nodes + OWN).map_err(|most| {
        EmulationFailure::Refused(format!(
            "{nodes} real nodes need {} open files, and this process may have {most}, enough for \
             {}: ulimit -Hn",
            EACH * nodes + OWN,
            most.saturating_sub(OWN) / EACH
        ))
    })?;
    let most = std::fs::read_to_string("/proc/sys/user/max_net_namespaces");
    match most.ok().and_then(|text| text.trim().parse::<u64>().ok()) {
        Some(most) if most < nodes => Err(EmulationFailure::Refused(format!(
            "this machine has room for {most} network namespaces, and {nodes} nodes are real: \
             sysctl user.max_net_namespaces"
        ))),
        _ => Ok(()),
    }
}

/// Refuses where there can be no interfaces.
fn check_device() -> Result<(), EmulationFailure> {
    TapInterface::check().map_err(|error| {
        EmulationFailure::Refused(format!(
            "{} cannot be opened ({error}): load the kernel's module tun, or give a container the \
             device",
            TapInterface::DEVICE
        ))
    })
}

fn names(plan: &Plan) -> Vec<(String, Ipv4Addr)> {
    let named = plan.nodes.iter();
    named
        .map(|node| (node.name.clone(), node.interfaces[0].address))
        .collect()
}
