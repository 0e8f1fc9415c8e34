//! Shell commands: none is run. Those that set the kernel set the profile instead.

use tcp::InitialWindow;

use super::{Settings, number, sysctl};
use crate::code;
use crate::refusal::{Refusal, refuse};
use crate::source;

/// Takes the commands between backticks that begin in `line`.
pub(crate) fn command(settings: &mut Settings, line: u32, text: &str) -> Result<(), Refusal> {
    for (offset, words) in simple_commands(text) {
        simple_command(settings, line + offset, &words)?;
    }
    Ok(())
}

/// The words of each command, without quotes, redirections and comments, and how many
/// lines below the first it stands.
fn simple_commands(text: &str) -> Vec<(u32, Vec<String>)> {
    let mut commands = Vec::new();
    let joined = arithmetic(&text.replace("\\\n", "  ").replace("2>&1", ""));
    for (offset, line) in joined.lines().enumerate() {
        for command in split_quoted(line, |c| matches!(c, ';' | '&' | '|')) {
            let mut words: Vec<String> = split_quoted(&command, char::is_whitespace)
                .into_iter()
                .take_while(|word| !word.starts_with('#') && !word.contains("/dev/null"))
                .map(|word| word.replace(['"', '\''], ""))
                .collect();
            if words
                .last()
                .is_some_and(|word| matches!(word.as_str(), ">" | "2>"))
            {
                words.pop();
            }
            if !words.is_empty() {
                commands.push((offset as u32, words));
            }
        }
    }
    commands
}

/// `$((1024*15))` as a number; what is no number stays.
fn arithmetic(text: &str) -> String {
    let mut done = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("$((") {
        let Some((inside, tail)) = after.split_once("))") else {
            break;
        };
        done += before;
        match code::number(inside) {
            Some(number) => done += &number.to_string(),
            None => done += &format!("$(({inside}))"),
        }
        rest = tail;
    }
    done + rest
}

/// Splits at separators outside of quotes; drops what is empty.
fn split_quoted(text: &str, separates: impl Fn(char) -> bool) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if separates(c) => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn simple_command(settings: &mut Settings, line: u32, words: &[String]) -> Result<(), Refusal> {
    let program = words[0].rsplit('/').next().unwrap_or_default();
    let arguments = &words[1..];
    match program {
        "defaults.sh" => defaults(settings, line, &words[0]),
        "set_sysctls.py" | "sysctl" => assignments(settings, line, arguments),
        "echo" => echo(settings, line, arguments),
        "ip" => ip(settings, line, arguments),
        "tc" => tc(settings, line, arguments),
        _ if program.starts_with("sysctl_restore_") => Ok(()),
        _ if WITHOUT_EFFECT.iter().any(|known| known.0 == program) => Ok(()),
        _ => refuse(line, format!("shell command {:?}", words.join(" "))),
    }
}

/// The settings that scripts share. Where the file is there, its own are taken; what is not
/// understood in it is noted and passed over, since much in such a file bears on nothing.
pub(super) fn defaults(settings: &mut Settings, line: u32, path: &str) -> Result<(), Refusal> {
    let file = settings.folder.as_ref().map(|folder| folder.join(path));
    let Some(bytes) = file.and_then(|file| source::read(file).ok()) else {
        return sysctl::defaults(settings, line);
    };
    let text = String::from_utf8_lossy(&bytes);
    for (offset, words) in simple_commands(&text) {
        if words[0].ends_with("defaults.sh") {
            continue; // a file that calls itself would never end
        }
        if let Err(refusal) = simple_command(settings, line, &words) {
            let place = format!("{path}, line {}", offset + 1);
            settings
                .notes
                .push(format!("{place}: {} is without effect", refusal.reason));
        }
    }
    Ok(())
}

/// Commands that change nothing here, and why.
const WITHOUT_EFFECT: &[(&str, &str)] = &[
    (
        "ethtool",
        "segments are never joined, and those a script expects joined are matched",
    ),
    ("kldload", "every congestion control is built in"),
    ("modprobe", "every congestion control is built in"),
    ("true", "does nothing anywhere"),
    ("sleep", "events have their own times"),
    (":", "does nothing anywhere"),
    ("cd", "no files"),
    ("ulimit", "no limits"),
    ("set", "shell option"),
    ("export", "shell variable"),
    ("sync", "no files"),
    (
        "nstat",
        "counters of a kernel; what looks at them is another command",
    ),
];

fn assignments(settings: &mut Settings, line: u32, arguments: &[String]) -> Result<(), Refusal> {
    for argument in arguments
        .iter()
        .filter(|argument| !argument.starts_with('-'))
    {
        let Some((key, value)) = argument.split_once('=') else {
            return refuse(line, format!("{argument:?} sets nothing"));
        };
        sysctl::set(settings, line, key, value)?;
    }
    Ok(())
}

/// `echo 1 > /proc/sys/net/ipv4/tcp_sack`
fn echo(settings: &mut Settings, line: u32, arguments: &[String]) -> Result<(), Refusal> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [values @ .., ">", path] if path.starts_with("/proc/sys/") || path.starts_with("/sys/") => {
            sysctl::set(settings, line, path, &values.join(" "))
        }
        [.., ">" | ">>", path] => refuse(line, format!("writing to {path}")),
        _ => Ok(()),
    }
}

/// `ip route ... initcwnd 20 rto_min 5ms`: the route's metrics.
fn ip(settings: &mut Settings, line: u32, arguments: &[String]) -> Result<(), Refusal> {
    let Some(object) = arguments.iter().find(|a| !a.starts_with('-')) else {
        return Ok(());
    };
    match object.as_str() {
        "tcp_metrics" => return metrics(settings, line, arguments),
        "route" | "ro" | "r" => {}
        "link" => return link(settings, line, arguments),
        _ => {
            return refuse(
                line,
                format!("shell command \"ip {}\"", arguments.join(" ")),
            );
        }
    }
    // A route that is added or changed has no other metrics than those that are named.
    let sets = |word: &String| ["add", "append", "change", "prepend", "replace"].contains(&&**word);
    if arguments.iter().any(sets) {
        (settings.mss_limit, settings.path_mtu_is_locked) = (None, false);
        settings.route_mtu = None;
    }
    let mut words = arguments.iter().map(String::as_str).peekable();
    while let Some(word) = words.next() {
        let is_locked = words.next_if_eq(&"lock").is_some();
        let mut value = || words.next().unwrap_or_default();
        match word {
            "initcwnd" => {
                let segments = number(value(), line)?;
                settings.profile.initial_window = InitialWindow::Segments(segments);
            }
            "rto_min" => settings.profile.rto_min_ms = milliseconds(value(), line)?,
            "advmss" => limit_mss(settings, number(value(), line)?),
            "mtu" => {
                let mtu: u32 = number(value(), line)?;
                limit_mss(settings, mtu.saturating_sub(settings.headers));
                settings.route_mtu = Some(mtu);
                settings.path_mtu_is_locked = is_locked;
            }
            "quickack" if number::<u32>(value(), line)? != 0 => {
                settings.profile.delayed_ack_segments = 1;
            }
            "reordering" => {
                settings.profile.duplicate_ack_threshold = number(value(), line)?;
            }
            "fastopen_no_cookie" if number::<u32>(value(), line)? != 0 => {
                settings.fast_open.bits |= WITHOUT_COOKIES;
            }
            "congctl" => sysctl::congestion_control(settings, line, value())?,
            "initrwnd" | "cwnd" | "ssthresh" | "rtt" | "rttvar" | "window" | "features" => {
                return refuse(line, format!("the route's metric {word}"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Of several limits the least holds (ipv4_default_advmss, tcp_mss_to_mtu).
fn limit_mss(settings: &mut Settings, bytes: u32) {
    settings.mss_limit = Some(settings.mss_limit.map_or(bytes, |known| known.min(bytes)));
}

/// Effect of a route's fastopen_no_cookie for those it leads to, as bits of tcp_fastopen do for
/// all.
const WITHOUT_COOKIES: u32 = 0x204;

/// `ip tcp_metrics flush all`
fn metrics(settings: &mut Settings, line: u32, arguments: &[String]) -> Result<(), Refusal> {
    let words = arguments.iter().map(String::as_str);
    match words.skip_while(|word| *word != "tcp_metrics").nth(1) {
        None | Some("show" | "list" | "ls" | "get") => {}
        Some("flush" | "delete" | "del") => settings.forgets_peers = true,
        Some(what) => return refuse(line, format!("shell command \"ip tcp_metrics {what}\"")),
    }
    Ok(())
}

/// `ip link set dev tun0 mtu 1400`
fn link(settings: &mut Settings, line: u32, arguments: &[String]) -> Result<(), Refusal> {
    if let Some(at) = arguments.iter().position(|word| word == "mtu") {
        let mtu: u32 = number(arguments.get(at + 1).map_or("", String::as_str), line)?;
        settings.profile.mss_bytes = mtu.saturating_sub(settings.headers);
    }
    Ok(())
}

/// `tc qdisc replace dev tun0 root pfifo`: a plain queue, whatever its length, is as none, since the
/// wire takes no time, and `fq` paces; any other would delay, drop or mark.
fn tc(settings: &mut Settings, line: u32, arguments: &[String]) -> Result<(), Refusal> {
    let words: Vec<&str> = arguments
        .iter()
        .map(String::as_str)
        .filter(|word| !word.starts_with('-'))
        .collect();
    let removes = matches!(words.as_slice(), [_, "del" | "delete", ..]);
    let is_question = matches!(words.as_slice(), [_] | [_, "show" | "list" | "ls", ..]);
    let sets = matches!(
        words.as_slice(),
        ["qdisc", "add" | "replace" | "change", ..]
    );
    let kind = words.iter().position(|word| QUEUES.contains(word));
    let has_limits_alone = |at: usize| {
        let pairs = words[at + 1..].chunks(2);
        pairs
            .into_iter()
            .all(|pair| matches!(pair, ["nopacing"] | ["limit" | "flow_limit", _]))
    };
    match kind.filter(|at| sets && has_limits_alone(*at)) {
        Some(at) => {
            settings.is_paced = words[at] == "fq" && !words.contains(&"nopacing");
            if settings.is_paced && settings.profile.family.linux().is_none() {
                return refuse(
                    line,
                    "fq paces what today's Linux sends, and the stack is another",
                );
            }
        }
        None if removes => settings.is_paced = false,
        None if is_question => {}
        None => {
            let (command, queues) = (words.join(" "), QUEUES.join(", "));
            let reason = "there is no queue on the wire, as if it were one of";
            return refuse(line, format!("\"tc {command}\": {reason} {queues}"));
        }
    }
    Ok(())
}

/// Queues that let everything pass in order and, but for `fq`, at once.
const QUEUES: &[&str] = &["noqueue", "pfifo", "pfifo_fast", "bfifo", "fq"];

/// "5ms", "1s" or a plain number of milliseconds.
fn milliseconds(text: &str, line: u32) -> Result<u32, Refusal> {
    if let Some(digits) = text.strip_suffix("ms") {
        return number(digits, line);
    }
    match text.strip_suffix('s') {
        Some(digits) => number::<u32>(digits, line).map(|seconds| seconds.saturating_mul(1000)),
        None => number(text, line),
    }
}
