//! Settings of radios that change while a world runs.

use dot11::Setting;

use super::Radios;
use crate::ids::InterfaceId;

impl Radios {
    /// The value of a setting of an interface's radio; nothing of what has none.
    pub fn setting(&self, interface: InterfaceId, setting: Setting) -> Option<u16> {
        let at = *self.of_address.get(interface.index())?;
        let radio = self.each.get(at.index())?;
        Some(radio.mac.setting(setting))
    }

    /// Gives a setting of an interface's radio another value, at all of its access functions; false,
    /// and nothing has changed, if it may not have that or there is no radio.
    pub fn set(&mut self, interface: InterfaceId, setting: Setting, value: u16) -> bool {
        if self.setting(interface, setting).is_none() {
            return false;
        }
        let functions = self.functions_of(interface);
        let mut radios = self.each[functions].iter_mut();
        radios.all(|radio| radio.mac.set(setting, value))
    }
}
