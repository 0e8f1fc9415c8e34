//! The station's side: scanning (IEEE 802.11-2007 §11.1.3), authentication and association
//! (§11.3), and when it leaves one access point for another, which the standard leaves open.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use units::{Db, Dbm, Duration, Time};

use super::{Management, SUCCESS};
use crate::frame::Address;

/// How a station looks for access points, and when it leaves one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssociationConfig {
    /// Centre frequencies of the channels that it scans, in order, in MHz.
    pub channels: Vec<u16>,
    /// How it scans.
    pub scan: Scan,
    /// How long it is on a channel before it asks who is there: the standard's ProbeDelay.
    pub probe_delay_ns: Duration,
    /// How long it then listens there.
    pub dwell_ns: Duration,
    /// Beacons missed in a row after which its access point is lost.
    pub beacons_missed: u32,
    /// The level of its access point's beacons below which it looks for another one; without, it
    /// stays until that is lost.
    pub roam_below_dbm: Option<Dbm>,
    /// By how much another one has to be stronger.
    pub hysteresis_db: Db,
    /// Time between two scans for a better one.
    pub rescan_ns: Duration,
    /// Time from the loss of an access point to the scan.
    pub rejoin_delay_ns: Duration,
    /// Time between scans that found nobody.
    pub pause_ns: Duration,
    /// How long it waits for an answer.
    pub timeout_ns: Duration,
    /// How often it asks.
    pub tries: u8,
    /// Whether what waits to be sent is kept for the next access point.
    pub keeps_queue: bool,
}

/// How a station finds out who is there (IEEE 802.11-2007 §11.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scan {
    /// It asks.
    Active,
    /// It listens for beacons.
    Passive,
}

/// A beacon or probe response that a station has heard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeardBeacon {
    /// The access point.
    pub from: Address,
    /// Its channel's centre frequency in MHz.
    pub frequency_mhz: u16,
    /// Its time between two beacons.
    pub interval: Duration,
    /// The power that it was heard with.
    pub signal: Dbm,
}

/// What a station wants done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Its radio goes to another channel.
    Tune(u16),
    /// A management frame.
    Send(Address, Management),
    /// It is associated, and may send data.
    Join(Address),
    /// It belongs to nobody from here on.
    Leave(LeaveCause),
    /// It goes away from its access point's channel for a while, to scan.
    Away,
    /// It is back.
    Back,
}

/// Why a station has left its access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaveCause {
    /// Its beacons did not come any more.
    BeaconsMissed,
    /// It said so.
    Deauthenticated,
    /// Another one was heard better.
    Signal,
}

/// A station.
#[derive(Clone, Debug)]
pub struct Station {
    config: AssociationConfig,
    state: StationPhase,
    /// The access point that it belongs to, or did last.
    last: Address,
    frequency_mhz: u16,
    known: Vec<KnownAccessPoint>,
    /// When it last heard its access point, or came back to its channel.
    heard_at: Time,
    /// Before that it does not scan for a better one.
    scan_again_at: Time,
    actions: VecDeque<Action>,
}

/// What it is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum StationPhase {
    /// It is associated.
    Associated,
    /// It scans, on the channel of this place in its list; associated or not.
    Scanning {
        place: usize,
        has_probed: bool,
        since: Time,
        until: Time,
        belongs: bool,
    },
    /// It has asked to be authenticated.
    Authenticating(Asking),
    /// It has asked to be associated.
    Associating(Asking),
    /// It belongs to nobody and waits before it scans.
    Waiting { until: Time },
}

/// A question to an access point.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Asking {
    whom: Address,
    tries: u8,
    until: Time,
}

/// An access point that it has heard.
#[derive(Clone, Copy, Debug)]
struct KnownAccessPoint {
    address: Address,
    frequency_mhz: u16,
    interval: Duration,
    /// Its level in dBm.
    level: f64,
    heard_at: Time,
}

/// What a new beacon counts in the mean level: mac80211's `ewma_beacon_signal`.
const WEIGHT: f64 = 0.25;

impl Station {
    /// A station that belongs to an access point, of which it has just heard.
    pub fn new(config: AssociationConfig, with: HeardBeacon) -> Station {
        let mut station = Station {
            config,
            state: StationPhase::Associated,
            last: with.from,
            frequency_mhz: with.frequency_mhz,
            known: Vec::new(),
            heard_at: Time::ZERO,
            scan_again_at: Time::ZERO,
            actions: VecDeque::new(),
        };
        station.note(Time::ZERO, &with);
        station
    }

    /// Returns what it wants done, one after the other.
    pub fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// Returns when [`Station::on_timer`] is due.
    pub fn wake_at(&self) -> Time {
        match self.state {
            StationPhase::Associated => self.lost_at(),
            StationPhase::Scanning { until, .. } | StationPhase::Waiting { until } => until,
            StationPhase::Authenticating(asking) | StationPhase::Associating(asking) => {
                asking.until
            }
        }
    }

    /// Whom it belongs to.
    pub fn access_point(&self) -> Option<Address> {
        let belongs = match self.state {
            StationPhase::Associated => true,
            StationPhase::Scanning { belongs, .. } => belongs,
            _ => false,
        };
        belongs.then_some(self.last)
    }

    /// Returns whether its queue outlives its association.
    pub fn keeps_queue(&self) -> bool {
        self.config.keeps_queue
    }

    /// Returns when it last heard its access point.
    pub fn heard_at(&self) -> Time {
        self.heard_at
    }

    /// A beacon has been heard.
    pub fn on_beacon(&mut self, now: Time, heard: &HeardBeacon) {
        self.note(now, heard);
        if self.state != StationPhase::Associated {
            return;
        }
        if heard.from == self.last {
            self.heard_at = now;
        }
        self.look_for_better(now);
    }

    /// A management frame for it has come.
    pub fn on_management(&mut self, now: Time, from: Address, what: Management) {
        match (what, self.state) {
            (
                Management::Authentication {
                    transaction: 2,
                    status: SUCCESS,
                },
                StationPhase::Authenticating(asking),
            ) if asking.whom == from => self.associate(now, from),
            (
                Management::AssociationResponse {
                    status: SUCCESS, ..
                },
                StationPhase::Associating(asking),
            ) if asking.whom == from => self.join(now, from),
            (
                Management::AssociationResponse { .. } | Management::Authentication { .. },
                StationPhase::Associating(asking) | StationPhase::Authenticating(asking),
            ) if asking.whom == from => self.give_up(now, from),
            (Management::Disassociation { .. } | Management::Deauthentication { .. }, _)
                if self.access_point() == Some(from) =>
            {
                self.lose(now, LeaveCause::Deauthenticated);
            }
            _ => {}
        }
    }

    /// Its time has come.
    pub fn on_timer(&mut self, now: Time) {
        if now < self.wake_at() {
            return;
        }
        match self.state {
            StationPhase::Associated => self.lose(now, LeaveCause::BeaconsMissed),
            StationPhase::Waiting { .. } => self.scan(now, false),
            StationPhase::Scanning {
                place,
                has_probed: false,
                since,
                belongs,
                ..
            } => {
                let probe = Action::Send(Address::BROADCAST, Management::ProbeRequest);
                self.actions.push_back(probe);
                self.state = StationPhase::Scanning {
                    place,
                    has_probed: true,
                    since,
                    until: now + self.config.dwell_ns,
                    belongs,
                };
            }
            StationPhase::Scanning {
                place,
                since,
                belongs,
                ..
            } => match place + 1 < self.config.channels.len() {
                true => self.listen(now, place + 1, since, belongs),
                false => self.choose(now, since, belongs),
            },
            StationPhase::Authenticating(asking) if asking.tries < self.config.tries => {
                self.authenticate(now, asking.whom, asking.tries);
            }
            StationPhase::Associating(asking) if asking.tries < self.config.tries => {
                self.ask(now, asking.whom, asking.tries);
            }
            StationPhase::Authenticating(asking) | StationPhase::Associating(asking) => {
                self.give_up(now, asking.whom);
            }
        }
    }

    fn note(&mut self, now: Time, heard: &HeardBeacon) {
        let level = heard.signal.0;
        let place = (self.known.iter()).position(|known| known.address == heard.from);
        let before = place.map(|place| self.known.remove(place));
        self.known.push(KnownAccessPoint {
            address: heard.from,
            frequency_mhz: heard.frequency_mhz,
            interval: heard.interval,
            level: before.map_or(level, |known| known.level + WEIGHT * (level - known.level)),
            heard_at: now,
        });
    }

    fn find(&self, address: Address) -> Option<KnownAccessPoint> {
        let mut all = self.known.iter();
        all.find(|known| known.address == address).copied()
    }

    /// Returns when its access point is lost if it is not heard.
    fn lost_at(&self) -> Time {
        match self.find(self.last) {
            Some(own) if own.interval > Duration::ZERO => {
                // A beacon may be late, so the last one is given half an interval.
                let missed = own.interval * u64::from(self.config.beacons_missed);
                self.heard_at + missed + own.interval / 2
            }
            _ => Time::NEVER,
        }
    }

    /// Leaves a weak access point for one that it hears better, or scans for one.
    fn look_for_better(&mut self, now: Time) {
        let (Some(threshold), Some(own)) = (self.config.roam_below_dbm, self.find(self.last))
        else {
            return;
        };
        if own.level >= threshold.0 {
            return;
        }
        let fresh_since = own.interval * u64::from(self.config.beacons_missed);
        let is_fresh = |known: &KnownAccessPoint| now - known.heard_at <= fresh_since;
        match self.better_than(&own, is_fresh) {
            Some(other) => self.change_to(now, other.address),
            None if now >= self.scan_again_at => self.scan(now, true),
            None => {}
        }
    }

    fn better_than(
        &self,
        own: &KnownAccessPoint,
        counts: impl Fn(&KnownAccessPoint) -> bool,
    ) -> Option<KnownAccessPoint> {
        let others = self
            .known
            .iter()
            .filter(|known| known.address != own.address);
        let best = others
            .filter(|known| counts(known))
            .max_by(|one, other| one.level.total_cmp(&other.level));
        best.filter(|best| best.level >= own.level + self.config.hysteresis_db.0)
            .copied()
    }

    fn change_to(&mut self, now: Time, other: Address) {
        self.actions.push_back(Action::Leave(LeaveCause::Signal));
        self.authenticate(now, other, 0);
    }

    fn lose(&mut self, now: Time, cause: LeaveCause) {
        self.actions.push_back(Action::Leave(cause));
        self.known.retain(|known| known.address != self.last);
        self.state = StationPhase::Waiting {
            until: now + self.config.rejoin_delay_ns,
        };
    }

    fn scan(&mut self, now: Time, belongs: bool) {
        if belongs {
            self.actions.push_back(Action::Away);
        }
        self.listen(now, 0, now, belongs);
    }

    fn listen(&mut self, now: Time, place: usize, since: Time, belongs: bool) {
        self.tune(self.config.channels[place]);
        let is_passive = self.config.scan == Scan::Passive;
        let stays = match is_passive {
            true => self.config.dwell_ns,
            false => self.config.probe_delay_ns,
        };
        self.state = StationPhase::Scanning {
            place,
            has_probed: is_passive,
            since,
            until: now + stays,
            belongs,
        };
    }

    fn tune(&mut self, frequency_mhz: u16) {
        if self.frequency_mhz != frequency_mhz {
            self.frequency_mhz = frequency_mhz;
            self.actions.push_back(Action::Tune(frequency_mhz));
        }
    }

    /// Decides on the channel scanned last.
    fn choose(&mut self, now: Time, since: Time, belongs: bool) {
        let is_found = |known: &KnownAccessPoint| known.heard_at >= since;
        if !belongs {
            let found = self.known.iter().filter(|known| is_found(known));
            let best = found.max_by(|one, other| one.level.total_cmp(&other.level));
            match best.map(|best| best.address) {
                Some(best) => self.authenticate(now, best, 0),
                None => {
                    self.state = StationPhase::Waiting {
                        until: now + self.config.pause_ns,
                    };
                }
            }
            return;
        }
        let own = self
            .find(self.last)
            .expect("it belongs to one that it knows");
        self.scan_again_at = now + self.config.rescan_ns;
        match self.better_than(&own, is_found) {
            Some(other) => self.change_to(now, other.address),
            None => {
                self.tune(own.frequency_mhz);
                self.actions.push_back(Action::Back);
                self.heard_at = now;
                self.state = StationPhase::Associated;
            }
        }
    }

    fn authenticate(&mut self, now: Time, whom: Address, tries: u8) {
        if let Some(known) = self.find(whom) {
            self.tune(known.frequency_mhz);
        }
        let question = Management::Authentication {
            transaction: 1,
            status: SUCCESS,
        };
        self.state = StationPhase::Authenticating(self.question(now, whom, tries, question));
    }

    fn associate(&mut self, now: Time, whom: Address) {
        self.ask(now, whom, 0);
    }

    fn ask(&mut self, now: Time, whom: Address, tries: u8) {
        let question = match whom == self.last {
            true => Management::AssociationRequest,
            false => Management::ReassociationRequest { current: self.last },
        };
        self.state = StationPhase::Associating(self.question(now, whom, tries, question));
    }

    fn question(&mut self, now: Time, whom: Address, tries: u8, what: Management) -> Asking {
        self.actions.push_back(Action::Send(whom, what));
        Asking {
            whom,
            tries: tries + 1,
            until: now + self.config.timeout_ns,
        }
    }

    fn join(&mut self, now: Time, whom: Address) {
        self.last = whom;
        self.heard_at = now;
        self.state = StationPhase::Associated;
        self.actions.push_back(Action::Join(whom));
    }

    /// One that refuses or does not answer is forgotten until it is heard again.
    fn give_up(&mut self, now: Time, whom: Address) {
        self.known.retain(|known| known.address != whom);
        self.scan(now, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: Address = Address(0);
    const OTHER: Address = Address(1);
    const INTERVAL: Duration = Duration::from_micros(102_400);

    fn config() -> AssociationConfig {
        AssociationConfig {
            channels: vec![2412, 2437],
            scan: Scan::Active,
            probe_delay_ns: Duration::from_millis(30),
            dwell_ns: Duration::from_millis(30),
            beacons_missed: 7,
            roam_below_dbm: Some(Dbm(-70.0)),
            hysteresis_db: Db(8.0),
            rescan_ns: Duration::from_secs(30),
            rejoin_delay_ns: Duration::from_millis(100),
            pause_ns: Duration::from_secs(5),
            timeout_ns: Duration::from_millis(200),
            tries: 3,
            keeps_queue: false,
        }
    }

    fn heard(from: Address, signal: f64) -> HeardBeacon {
        HeardBeacon {
            from,
            frequency_mhz: if from == HOME { 2412 } else { 2437 },
            interval: INTERVAL,
            signal: Dbm(signal),
        }
    }

    fn at_home(config: AssociationConfig) -> Station {
        Station::new(config, heard(HOME, -50.0))
    }

    fn actions(station: &mut Station) -> Vec<Action> {
        std::iter::from_fn(|| station.poll()).collect()
    }

    fn millis(at: u64) -> Time {
        Time::ZERO + Duration::from_millis(at)
    }

    fn authentication(transaction: u16) -> Management {
        Management::Authentication {
            transaction,
            status: SUCCESS,
        }
    }

    fn accepted() -> Management {
        Management::AssociationResponse {
            again: true,
            status: SUCCESS,
            id: 1,
        }
    }

    #[test]
    fn an_access_point_is_lost_with_the_seventh_beacon_that_does_not_come() {
        let mut station = at_home(config());
        station.on_beacon(millis(100), &heard(HOME, -50.0));
        assert_eq!(station.wake_at(), millis(100) + INTERVAL * 15 / 2);
        station.on_timer(station.wake_at());
        assert_eq!(
            actions(&mut station),
            [Action::Leave(LeaveCause::BeaconsMissed)]
        );
        assert_eq!(station.access_point(), None);
    }

    /// The whole way, as IEEE 802.11-2007 §11.1.3.2.2 and §11.3 have it.
    #[test]
    fn a_station_that_is_sent_away_scans_and_joins_whom_it_hears_best() {
        let mut station = at_home(config());
        let reason = super::super::NOT_ACKNOWLEDGED;
        station.on_management(millis(0), HOME, Management::Deauthentication { reason });
        assert_eq!(
            actions(&mut station),
            [Action::Leave(LeaveCause::Deauthenticated)]
        );
        let probe = Action::Send(Address::BROADCAST, Management::ProbeRequest);
        station.on_timer(millis(100));
        assert_eq!(
            actions(&mut station),
            [],
            "it begins on the channel it is on"
        );
        station.on_timer(millis(130));
        assert_eq!(actions(&mut station), [probe]);
        station.on_beacon(millis(135), &heard(HOME, -80.0));
        station.on_timer(millis(160));
        assert_eq!(actions(&mut station), [Action::Tune(2437)]);
        station.on_timer(millis(190));
        assert_eq!(actions(&mut station), [probe]);
        station.on_beacon(millis(195), &heard(OTHER, -60.0));
        station.on_timer(millis(220));
        let asks = Action::Send(OTHER, authentication(1));
        assert_eq!(actions(&mut station), [asks], "it is on that channel");
        station.on_management(millis(222), OTHER, authentication(2));
        let again = Management::ReassociationRequest { current: HOME };
        assert_eq!(actions(&mut station), [Action::Send(OTHER, again)]);
        station.on_management(millis(224), OTHER, accepted());
        assert_eq!(actions(&mut station), [Action::Join(OTHER)]);
        assert_eq!(station.access_point(), Some(OTHER));
    }

    #[test]
    fn a_question_is_asked_three_times_and_then_it_scans_again() {
        let mut station = at_home(AssociationConfig {
            channels: vec![2412],
            ..config()
        });
        station.on_timer(station.wake_at());
        station.on_timer(station.wake_at());
        station.on_timer(station.wake_at());
        station.on_beacon(station.wake_at(), &heard(HOME, -60.0));
        for _ in 0..3 {
            actions(&mut station);
            station.on_timer(station.wake_at());
            let asks = Action::Send(HOME, authentication(1));
            assert_eq!(actions(&mut station), [asks]);
        }
        station.on_timer(station.wake_at());
        assert_eq!(actions(&mut station), [], "and is silent for a ProbeDelay");
        station.on_timer(station.wake_at());
        let probe = Action::Send(Address::BROADCAST, Management::ProbeRequest);
        assert_eq!(actions(&mut station), [probe]);
    }

    #[test]
    fn it_leaves_a_weak_access_point_for_one_that_is_stronger_by_the_hysteresis() {
        let same_channel = |signal| HeardBeacon {
            frequency_mhz: 2412,
            ..heard(OTHER, signal)
        };
        let mut station = at_home(AssociationConfig {
            rescan_ns: Duration::from_secs(3600),
            ..config()
        });
        station.scan_again_at = millis(3_600_000);
        station.on_beacon(millis(50), &same_channel(-40.0));
        assert_eq!(actions(&mut station), [], "its own is strong enough");
        for beacon in 1..40 {
            station.on_beacon(millis(100 * beacon), &heard(HOME, -75.0));
            station.on_beacon(millis(100 * beacon + 50), &same_channel(-70.0));
        }
        assert_eq!(actions(&mut station), [], "5 dB are too little");
        for beacon in 40..60 {
            station.on_beacon(millis(100 * beacon), &same_channel(-66.0));
        }
        let asks = Action::Send(OTHER, authentication(1));
        let left = Action::Leave(LeaveCause::Signal);
        assert_eq!(actions(&mut station), [left, asks]);
    }

    #[test]
    fn without_a_threshold_it_stays_until_its_access_point_is_lost() {
        let mut station = at_home(AssociationConfig {
            roam_below_dbm: None,
            ..config()
        });
        for beacon in 1..40 {
            station.on_beacon(millis(100 * beacon), &heard(HOME, -90.0));
            station.on_beacon(millis(100 * beacon + 50), &heard(OTHER, -40.0));
        }
        assert_eq!(actions(&mut station), []);
    }

    #[test]
    fn a_scan_that_finds_nothing_better_ends_where_it_began() {
        let mut station = at_home(config());
        for beacon in 1..40 {
            station.on_beacon(millis(100 * beacon), &heard(HOME, -80.0));
        }
        assert_eq!(actions(&mut station)[0], Action::Away);
        while station.state != StationPhase::Associated {
            station.on_timer(station.wake_at());
        }
        let told = actions(&mut station);
        assert_eq!(told[told.len() - 2..], [Action::Tune(2412), Action::Back]);
        assert!(station.scan_again_at >= station.heard_at + Duration::from_secs(30));
    }
}
