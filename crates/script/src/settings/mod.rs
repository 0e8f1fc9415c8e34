//! Settings that a script makes before and while it runs: the stack's parameters.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tcp::Profile;
use units::Duration;

use crate::ast::CommandLineOption;
use crate::fast_open::{CookieAddresses, CookieKey};
use crate::refusal::{Refusal, malformed, refuse};

mod freebsd;
mod shell;
mod sysctl;
mod without_effect;

pub(crate) use shell::command;
pub use sysctl::DEFAULTS;
pub(crate) use sysctl::low_water;

/// The profile of a script that names none: the language was made for Linux.
const PROFILE: &str = "linux-6";
/// Packetdrill's default for `--tolerance_usecs`.
const TOLERANCE: Duration = Duration::from_millis(4);
/// Packetdrill's default for `--tolerance_percent`, in thousandths of the time since the event
/// before: Linux's timer wheel is as coarse as that.
const TOLERANCE_PER_MILLE: u64 = 125;

/// The stack under test and how exactly it is timed.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The stack.
    pub profile: Profile,
    /// Least distance from its time at which something may happen.
    pub tolerance: Duration,
    /// The least tolerance, in thousandths of the time since the event before.
    pub tolerance_per_mille: u64,
    /// True if every segment has to be expected by itself.
    pub strict_segments: bool,
    /// With `--tcp_ts_tick_usecs`, the tick TS val has to follow.
    pub timestamp_tick: Option<Duration>,
    /// A limit of the segment size from the route or the interface.
    pub mss_limit: Option<u32>,
    /// The route's MTU, if one is set.
    pub(crate) route_mtu: Option<u32>,
    /// True if the route's MTU is locked: what ICMP says of the path is passed over
    /// (ip_mtu_locked).
    pub(crate) path_mtu_is_locked: bool,
    /// True if the wire's queue is fq, which paces connections.
    pub(crate) is_paced: bool,
    /// The interface's MTU, if the script names one.
    pub mtu: Option<u32>,
    /// Choice of the script that the simulated endpoint alone has, with its line.
    pub simulated_only: Option<(u32, String)>,
    /// The default of tcp_rmem, bytes.
    pub receive_buffer_bytes: u32,
    /// The default of tcp_wmem, bytes.
    pub send_buffer_bytes: u32,
    /// True if a receive buffer grows with what the application reads (tcp_moderate_rcvbuf).
    pub receive_buffer_grows: bool,
    /// TCP_NOTSENT_LOWAT of a new socket, bytes.
    pub unsent_low_water: Option<u32>,
    /// Settings of TCP Fast Open.
    pub(crate) fast_open: FastOpenSettings,
    /// True if what is remembered of peers is to be forgotten.
    pub(crate) forgets_peers: bool,
    /// The headers of IP and TCP without options, in bytes.
    pub headers: u32,
    /// The programs of `--init_scripts`, with their line.
    pub init_scripts: Vec<(u32, String)>,
    /// Where the script is, if it is in a file.
    pub folder: Option<PathBuf>,
    /// Notes on what was passed over.
    pub notes: Vec<String>,
}

/// Settings of TCP Fast Open (RFC 7413).
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastOpenSettings {
    /// tcp_fastopen
    pub bits: u32,
    /// tcp_fastopen_key; a kernel draws its first.
    pub keys: (CookieKey, Option<CookieKey>),
    pub addresses: CookieAddresses,
}

/// The default of tcp_rmem's default (Documentation/networking/ip-sysctl.rst), bytes.
const RECEIVE_BUFFER: u32 = 131_072;
/// The default of tcp_wmem's default (the same), bytes. A kernel's buffer grows from there.
const SEND_BUFFER: u32 = 16_384;

impl Settings {
    /// The settings of a script in `folder` with these options.
    pub(crate) fn new(
        settings: &[CommandLineOption],
        folder: Option<&Path>,
    ) -> Result<Settings, Refusal> {
        let Some(profile) = tcp::profile(PROFILE) else {
            return refuse(1, format!("there is no profile {PROFILE}"));
        };
        let mut new = Settings {
            profile,
            tolerance: TOLERANCE,
            tolerance_per_mille: TOLERANCE_PER_MILLE,
            strict_segments: false,
            timestamp_tick: None,
            mss_limit: None,
            route_mtu: None,
            path_mtu_is_locked: false,
            is_paced: false,
            mtu: None,
            simulated_only: None,
            receive_buffer_bytes: RECEIVE_BUFFER,
            send_buffer_bytes: SEND_BUFFER,
            receive_buffer_grows: true,
            unsent_low_water: None,
            fast_open: FastOpenSettings {
                bits: 1, // ip-sysctl: clients may
                keys: (CookieKey::default(), None),
                addresses: CookieAddresses::of(settings),
            },
            forgets_peers: false,
            headers: HEADERS_V4,
            init_scripts: Vec::new(),
            folder: folder.map(Path::to_owned),
            notes: Vec::new(),
        };
        // The profile first: what stands beside it changes it.
        for is_profile in [true, false] {
            for setting in settings
                .iter()
                .filter(|s| (s.name == "profile") == is_profile)
            {
                new.option(setting)?;
            }
        }
        Ok(new)
    }

    fn option(&mut self, setting: &CommandLineOption) -> Result<(), Refusal> {
        let CommandLineOption { line, name, value } = setting;
        if name.starts_with("profile") && !(name == "profile" && value == PROFILE) {
            self.simulated_only = Some((*line, format!("--{name}={value}")));
        }
        if let Some(field) = name.strip_prefix("profile.") {
            return self.field(field, value, *line);
        }
        match name.as_str() {
            "profile" => match tcp::profile(value) {
                Some(profile) => self.profile = profile,
                None => {
                    let known = tcp::profile_names().join(", ");
                    return refuse(*line, format!("profile {value:?}; there are {known}"));
                }
            },
            "tolerance_usecs" => self.tolerance = micros(setting)?,
            "tolerance_percent" => self.tolerance_per_mille = per_mille(setting)?,
            "strict_segments" => self.strict_segments = true,
            "init_scripts" => {
                for path in value.split(',') {
                    self.init_scripts.push((*line, path.to_owned()));
                    shell::defaults(self, *line, path)?;
                }
            }
            "tcp_ts_tick_usecs" => {
                let tick = micros(setting)?;
                self.timestamp_tick = Some(tick).filter(|tick| *tick > Duration::ZERO);
            }
            "mtu" => {
                let mtu = whole(setting)?;
                self.mtu = Some(mtu);
                self.profile.mss_bytes = mtu.saturating_sub(self.headers);
            }
            "ip_version" => self.set_ip_version(value, *line)?,
            _ if WITHOUT_EFFECT.contains(&name.as_str()) => {}
            _ => return refuse(*line, format!("option --{name}={value}")),
        }
        Ok(())
    }

    /// A segment has no IP header here, but its size leaves room for one.
    fn set_ip_version(&mut self, version: &str, line: u32) -> Result<(), Refusal> {
        let headers = match version {
            "ipv4" | "ipv4-mapped-ipv6" => HEADERS_V4,
            "ipv6" => HEADERS_V6,
            _ => {
                let known = "ipv4, ipv4-mapped-ipv6 and ipv6";
                return refuse(line, format!("IP version {version:?}; there are {known}"));
            }
        };
        let mtu = self.profile.mss_bytes + self.headers;
        self.headers = headers;
        self.profile.mss_bytes = mtu.saturating_sub(headers);
        Ok(())
    }

    /// Sets a field of the profile by its name.
    fn field(&mut self, field: &str, text: &str, line: u32) -> Result<(), Refusal> {
        let mut json = serde_json::to_value(self.profile).unwrap_or_default();
        if field == "family" {
            return refuse(line, "the family of a stack comes with --profile");
        }
        let Some(known) = json.get_mut(field) else {
            return refuse(line, lacks(&json["family"], field));
        };
        *known = serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()));
        match serde_json::from_value(json) {
            Ok(profile) => self.profile = profile,
            Err(error) => return refuse(line, format!("--profile.{field}={text}: {error}")),
        }
        Ok(())
    }
}

/// Returns what there is to say of a field that a stack of this family does not have.
fn lacks(family: &Value, field: &str) -> String {
    let is_known = |known: &tcp::ProfileField| known.name == field;
    match tcp::profile_fields().iter().any(is_known) {
        true => format!("a stack of the family {family} has no {field}, though others have"),
        false => format!("the profile has no field {field:?}"),
    }
}

/// IPv4 and TCP, and IPv6 and TCP, without options.
const HEADERS_V4: u32 = 40;
pub(crate) const HEADERS_V6: u32 = 60;

/// Options that say where and how packetdrill runs. Here there are no interfaces, addresses
/// or ports, there is no wall clock to be late by, and nothing to clean up. `mss` is the size that
/// packets to a remote kernel are cut to. An echo of a time that was never seen is always reckoned
/// from the first.
const WITHOUT_EFFECT: &[&str] = &[
    "define",
    "bind_port",
    "connect_port",
    "code_command",
    "debug",
    "gateway_ip",
    "is_anyip",
    "local_ip",
    "mss",
    "code_format",
    "code_sockopt",
    "netmask_ip",
    "prefix",
    "remote_ip",
    "send_omit_free",
    "tcp_ts_ecr_scaled",
    "speed",
    "tcp_port",
    "timeout_secs",
    "verbose",
];

/// "12.5" percent as 125 thousandths.
fn per_mille(setting: &CommandLineOption) -> Result<u64, Refusal> {
    match setting.value.parse::<f64>() {
        Ok(percent) if (0.0..=100.0).contains(&percent) => Ok((percent * 10.0) as u64),
        _ => wrong_value(setting, "a percentage from 0 to 100"),
    }
}

/// The whole number that an option is set to.
fn whole(setting: &CommandLineOption) -> Result<u32, Refusal> {
    let value = crate::token::integer(setting.value.trim());
    match value.and_then(|value| u32::try_from(value).ok()) {
        Some(number) => Ok(number),
        None => wrong_value(setting, "a whole number of 0 to 4294967295"),
    }
}

fn micros(setting: &CommandLineOption) -> Result<Duration, Refusal> {
    whole(setting).map(|micros| Duration::from_micros(micros.into()))
}

/// An option is set to what no machine could make anything of.
fn wrong_value<T>(setting: &CommandLineOption, allowed: &str) -> Result<T, Refusal> {
    let CommandLineOption { line, name, value } = setting;
    malformed(*line, format!("--{name}={value}: this must be {allowed}"))
}

/// Reads a number, in decimal or hexadecimal.
fn number<N: TryFrom<i64>>(text: &str, line: u32) -> Result<N, Refusal> {
    let value = crate::token::integer(text.trim());
    match value.and_then(|value| N::try_from(value).ok()) {
        Some(number) => Ok(number),
        None => refuse(line, format!("{text:?} is no number that fits here")),
    }
}

#[cfg(test)]
mod tests;
