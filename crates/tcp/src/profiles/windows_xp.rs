//! Windows XP as the thesis of Goel (2006) ran it on the station.
//!
//! Its TCP is that of Windows 2000, and the reference documents of the registry treat the
//! two as one; that nothing else changed is inferred from their silence.

use super::{ParameterDoc, Profile, windows_2000};

pub(super) const PROFILE: Profile = windows_2000::PROFILE;

pub(super) const SOURCES: &[ParameterDoc] = windows_2000::SOURCES;
