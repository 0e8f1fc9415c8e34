//! Radios on different channels: energy to each other, and no frames.

use dot11::Frame;
use phy::Mode;
use units::{Db, Dbm};

use super::ears::{Ears, NOISE, decoded, frame, play, with_budget};
use crate::LinkBudget;

const SILENCE: f64 = -200.0;
const ENERGY_DETECTION: f64 = -70.0;

/// Radio `to` receives `powers[from][to]` dBm, on the channel of this frequency.
fn on_channels<const RADIOS: usize>(
    powers: [[f64; RADIOS]; RADIOS],
    channels: [u16; RADIOS],
) -> LinkBudget {
    let loss = powers.map(|row| row.map(|power| Db(-power)).to_vec());
    LinkBudget::new(&[Dbm(0.0); RADIOS], &loss, Dbm(-82.0), Dbm(NOISE))
        .on_channels(channels.to_vec())
        .detecting_energy(Dbm(ENERGY_DETECTION))
}

#[test]
fn what_is_sent_on_another_channel_is_sensed_as_energy_and_received_by_nobody() {
    let sensed = |power: f64, channel: u16| {
        let budget = on_channels([[SILENCE, power], [SILENCE; 2]], [2412, channel]);
        (budget.is_sensed(0, 1), budget.is_received(0, 1))
    };
    assert_eq!(sensed(-82.0, 2412), (true, true));
    assert_eq!(sensed(-70.0, 2417), (true, false));
    assert_eq!(sensed(-70.1, 2417), (false, false));
    let powers = [[SILENCE, -40.0, -40.0], [SILENCE; 3], [SILENCE; 3]];
    let mut medium = with_budget(on_channels(powers, [2412, 2412, 2417]));
    let mut ears = Ears::default();
    play(&mut medium, &mut ears, &[(0, frame(0, Mode::CCK_11))]);
    assert_eq!(ears.decoded, [(1, 0)]);
}

/// 5 dB below the frame, a frame of its own channel destroys it, whose Barker code is its own;
/// one of the next channel is noise to it.
#[test]
fn interference_from_another_channel_weighs_as_noise() {
    let sent: [(u64, Frame); 2] = [(0, frame(0, Mode::DSSS_1)), (100, frame(1, Mode::DSSS_1))];
    let powers = [
        [SILENCE, SILENCE, -50.0],
        [SILENCE, SILENCE, -55.0],
        [SILENCE; 3],
    ];
    let hears = |channel: u16| {
        let mut medium = with_budget(on_channels(powers, [2412, channel, 2412]));
        let mut ears = Ears::default();
        ears.random.units = [0.5; 4].into();
        play(&mut medium, &mut ears, &sent);
        ears.decoded.contains(&(2, 0))
    };
    assert!(hears(2417));
    assert!(!hears(2412));
    assert_eq!(decoded(powers, &sent[..1]), [(2, 0)]);
}
