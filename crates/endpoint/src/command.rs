//! What the owner of a machine tells its endpoint on the command line.

use std::fs;
use std::io::Write as _;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::ceilings::Ceilings;
use crate::confined::confine;
use crate::identity::{self, Identity, KnownPeers, PublicKey};
use crate::pairing::{self, PairingCode};
use crate::reflector::Reflector;
use crate::server::EndpointServer;
use crate::visit;

/// The exit status of a command that was refused.
const REFUSED: u8 = 2;
const USAGE: &str = "\
usage: anechoic-endpoint [--listen ADDRESS:PORT] [--max-mbps N] [--max-seconds N]
                         [--reflect ADDRESS:PORT] [--state FOLDER]
       anechoic-endpoint pair [KEY NAME [ADDRESS:PORT]] [--state FOLDER]
       anechoic-endpoint pair iperf3|stamp NAME ADDRESS:PORT [--state FOLDER]
       anechoic-endpoint pair NAME [ADDRESS:PORT] --await [--listen ADDRESS:PORT]
       anechoic-endpoint pair NAME ADDRESS:PORT --code CODE [--state FOLDER]
       anechoic-endpoint visit [ADDRESS]

Without a command: sends and receives traffic for the consoles that it was paired with.
  --listen       where; a port and the 64 behind it   [default: 127.0.0.1:5301]
  --max-mbps     Mbit/s that it sends at most          [default: 1000]
  --max-seconds  length of a test at most              [default: 600]
  --reflect      where it answers the test packets of STAMP  [default: nowhere]
  --state        folder of its key and its peers       [default: ~/.config/anechoic]
pair: lets a console in by its key, or with an address, names an endpoint that traffic may go to;
      with iperf3 or stamp for a key, an iperf3 server or a STAMP reflector (RFC 8762); alone it
      prints this machine's own key. With --await it shows a code instead, which the other machine
      is told with --code: each then has the other's key. A code is good for one try.
visit: serves the one console that began it and says on standard input whom it knows, until that is
      closed; keeps no file.";
/// Where an endpoint listens unless it is told otherwise.
pub(crate) const FIRST_PORT: u16 = 5301;

/// What was asked for.
struct CommandArguments {
    listen: SocketAddr,
    mbps: u64,
    seconds: u64,
    reflect: Option<SocketAddr>,
    state: PathBuf,
    /// The code that another machine shows.
    code: Option<PairingCode>,
    /// True if this one is to show a code.
    awaits: bool,
    words: Vec<String>,
}

/// The folder of key and peers, unless another is named.
pub fn default_state() -> PathBuf {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    home.unwrap_or_default().join(".config/anechoic")
}

/// Runs a command; gives its exit status.
pub fn run(words: &[String]) -> u8 {
    if words.iter().any(|word| word == "--help" || word == "-h") {
        println!("{USAGE}");
        return 0;
    }
    match asked(words).and_then(|asked| obey(&asked)) {
        Ok(()) => 0,
        Err(why) => {
            eprintln!("anechoic: {why}");
            REFUSED
        }
    }
}

fn asked(words: &[String]) -> Result<CommandArguments, String> {
    let mut asked = CommandArguments {
        listen: SocketAddr::from(([127, 0, 0, 1], FIRST_PORT)),
        mbps: 1000,
        seconds: 600,
        reflect: None,
        state: default_state(),
        code: None,
        awaits: false,
        words: Vec::new(),
    };
    let mut left = words.iter();
    while let Some(word) = left.next() {
        let mut value = || {
            left.next()
                .ok_or_else(|| format!("{word}: a value is missing"))
        };
        match word.as_str() {
            "--listen" => asked.listen = read(word, value()?, "ADDRESS:PORT, as 192.0.2.1:5301")?,
            "--max-mbps" => asked.mbps = read(word, value()?, "a whole number of Mbit/s")?,
            "--max-seconds" => asked.seconds = read(word, value()?, "a whole number of seconds")?,
            "--reflect" => {
                let allowed = "ADDRESS:PORT, as 192.0.2.1:862";
                asked.reflect = Some(read(word, value()?, allowed)?);
            }
            "--state" => asked.state = PathBuf::from(value()?),
            "--code" => asked.code = Some(value()?.parse()?),
            "--await" => asked.awaits = true,
            option if option.starts_with('-') => {
                let allowed = "--listen, --max-mbps, --max-seconds, --reflect, --state, --code, \
                               --await";
                return Err(format!("there is no option {option}; allowed: {allowed}"));
            }
            _ => asked.words.push(word.clone()),
        }
    }
    Ok(asked)
}

fn read<T: std::str::FromStr>(option: &str, text: &str, allowed: &str) -> Result<T, String> {
    let refused = |_| format!("{option}: \"{text}\" is refused; allowed: {allowed}");
    text.parse().map_err(refused)
}

fn obey(asked: &CommandArguments) -> Result<(), String> {
    let words: Vec<&str> = asked.words.iter().map(String::as_str).collect();
    if asked.awaits || asked.code.is_some() {
        return pair_by_code(asked, &words);
    }
    match words[..] {
        [] => serve(asked),
        ["pair"] => {
            println!("{}", identity(&asked.state)?.key);
            Ok(())
        }
        ["pair", key, name] => pair(&asked.state, &format!("{key} {name}")),
        ["pair", key, name, address] => pair(&asked.state, &format!("{key} {name} {address}")),
        ["visit"] => visit::run(None),
        ["visit", address] => visit::run(Some(read("visit", address, "ADDRESS, as 192.0.2.1")?)),
        _ => Err(format!(
            "\"{}\" is no command; allowed: pair, pair KEY NAME [ADDRESS:PORT], visit [ADDRESS]",
            words.join(" ")
        )),
    }
}

/// The identity that a folder keeps.
///
/// # Errors
/// When it cannot be read or made.
pub fn identity(state: &Path) -> Result<Identity, String> {
    let path = state.join("key");
    Identity::at(&path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The peers that a folder lists; none where there is no list.
///
/// # Errors
/// When the list cannot be read.
pub fn known(state: &Path) -> Result<KnownPeers, String> {
    let path = state.join("peers");
    let told = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
    match fs::read_to_string(&path) {
        Ok(text) => identity::known(&text).map_err(|why| told(&why)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(KnownPeers::default()),
        Err(error) => Err(told(&error)),
    }
}

/// Pairs with a machine that is told a code here, or that shows one.
fn pair_by_code(asked: &CommandArguments, words: &[&str]) -> Result<(), String> {
    let own = identity(&asked.state)?.key;
    let (key, rest) = match (words, asked.code) {
        (["pair", name], None) => (awaited(asked, own)?, (*name).to_owned()),
        (["pair", name, address], None) => (awaited(asked, own)?, format!("{name} {address}")),
        (["pair", name, address], Some(code)) if !asked.awaits => {
            let to = read("pair", address, "ADDRESS:PORT, as 192.0.2.1:5301")?;
            (pairing::called(to, own, code)?, format!("{name} {address}"))
        }
        _ => {
            let allowed = "pair NAME [ADDRESS:PORT] --await, pair NAME ADDRESS:PORT --code CODE";
            return Err(format!(
                "a code is for one machine to show; allowed: {allowed}"
            ));
        }
    };
    pair(&asked.state, &format!("{key} {rest}"))?;
    println!("paired with {key}");
    Ok(())
}

/// The key of the machine that is told the code which is shown here.
fn awaited(asked: &CommandArguments, own: PublicKey) -> Result<PublicKey, String> {
    let told = |error: std::io::Error| format!("{}: {error}", asked.listen);
    let listener = TcpListener::bind(asked.listen).map_err(told)?;
    let at = listener.local_addr().map_err(told)?;
    let code = PairingCode::new().map_err(told)?;
    eprintln!("on the other machine: anechoic pair NAME {at} --code {code}");
    pairing::awaited(&listener, own, code)
}

fn pair(state: &Path, line: &str) -> Result<(), String> {
    identity::known(line).map_err(|why| why.replace("line 1: ", ""))?;
    let path = state.join("peers");
    let appended = || -> std::io::Result<()> {
        fs::create_dir_all(state)?;
        let mut file = fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(&path)?;
        writeln!(file, "{line}")
    };
    appended().map_err(|error| format!("{}: {error}", path.display()))
}

fn serve(asked: &CommandArguments) -> Result<(), String> {
    let known = known(&asked.state)?;
    let ceilings = Ceilings::new(
        asked.mbps.saturating_mul(1_000_000),
        Duration::from_secs(asked.seconds),
    );
    let server = EndpointServer::bind(asked.listen, &identity(&asked.state)?, known, ceilings)
        .map_err(|error| format!("{}: {error}", asked.listen))?;
    let reflector = asked.reflect.map(|own| {
        let bound = Reflector::bind(own);
        bound.map_err(|error| format!("--reflect {own}: {error}"))
    });
    let reflector = reflector.transpose()?;
    for left in confine()? {
        eprintln!("{left}");
    }
    eprintln!("listening at {}", server.address());
    if let Some(reflector) = reflector {
        thread::spawn(move || reflector.serve());
    }
    server.serve();
    Ok(())
}
