//! What a kernel tells of the channel that a radio is on (`enum nl80211_survey_info`).

use super::attributes::Attributes;

const FREQUENCY: u16 = 1;
const NOISE: u16 = 2;
const IN_USE: u16 = 3;
const ACTIVE: u16 = 4;
const BUSY: u16 = 5;
const EXTENSION_BUSY: u16 = 6;
const RECEIVING: u16 = 7;
const SENDING: u16 = 8;
const SCANNING: u16 = 9;
const OWN_RECEIVING: u16 = 11;

const MS_PER_S: f64 = 1e3;

units::row! {
    /// What a machine's kernel told of the channel that its radio is on. Times run from when the
    /// radio was switched on, or came to that channel.
    pub struct Survey = "surveys" {
        /// when the kernel had answered, from the start of the run
        time_s: f64, "s";
        /// the machine's radio, counted from 0 on
        interface: u32, "";
        /// the centre of the primary channel
        frequency_mhz: Option<f64>, "MHz";
        /// noise that the radio hears
        noise_dbm: Option<f64>, "dBm";
        /// how long the radio has listened there
        active_s: Option<f64>, "s";
        /// how long of it the channel was busy
        busy_s: Option<f64>, "s";
        /// how long of it the second half of 40 MHz was busy
        extension_busy_s: Option<f64>, "s";
        /// how long of it the radio received
        rx_s: Option<f64>, "s";
        /// how long of it the radio received frames of its own cell
        own_rx_s: Option<f64>, "s";
        /// how long of it the radio sent
        tx_s: Option<f64>, "s";
        /// how long of it the radio looked for access points
        scan_s: Option<f64>, "s";
    }
}

impl Survey {
    /// Reads what is told of a channel; `None` if it is not the one that the radio is on.
    pub(crate) fn of(time_s: f64, interface: u32, told: Attributes<'_>) -> Option<Survey> {
        let seconds = |kind| told.real(kind, MS_PER_S);
        told.has(IN_USE).then(|| Survey {
            time_s,
            interface,
            frequency_mhz: told.real(FREQUENCY, 1.0),
            noise_dbm: told.dbm(NOISE),
            active_s: seconds(ACTIVE),
            busy_s: seconds(BUSY),
            extension_busy_s: seconds(EXTENSION_BUSY),
            rx_s: seconds(RECEIVING),
            own_rx_s: seconds(OWN_RECEIVING),
            tx_s: seconds(SENDING),
            scan_s: seconds(SCANNING),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::attributes::write;
    use super::*;

    #[test]
    fn a_channel_that_the_radio_is_not_on_is_passed_over() {
        let other = write(&[], &[(FREQUENCY, &2412_u32.to_ne_bytes())]);
        assert_eq!(Survey::of(0.0, 0, Attributes(&other)), None);
    }

    #[test]
    fn sending_and_receiving_are_told_apart() {
        let told = write(
            &[],
            &[
                (FREQUENCY, &5180_u32.to_ne_bytes()),
                (NOISE, &[0xa1]),
                (IN_USE, &[]),
                (ACTIVE, &10_000_u64.to_ne_bytes()),
                (BUSY, &4_000_u64.to_ne_bytes()),
                (RECEIVING, &2_500_u64.to_ne_bytes()),
                (SENDING, &1_250_u64.to_ne_bytes()),
                (OWN_RECEIVING, &500_u64.to_ne_bytes()),
            ],
        );
        let found = Survey::of(1.5, 0, Attributes(&told)).unwrap();
        assert_eq!(found.noise_dbm, Some(-95.0));
        assert_eq!((found.active_s, found.busy_s), (Some(10.0), Some(4.0)));
        assert_eq!((found.rx_s, found.tx_s), (Some(2.5), Some(1.25)));
        assert_eq!((found.own_rx_s, found.scan_s), (Some(0.5), None));
    }
}
