//! The access categories of EDCA (IEEE 802.11-2007 §9.1.3.1).

use serde::{Deserialize, Serialize};

/// What kind of traffic contends, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// AC_VO.
    Voice,
    /// AC_VI.
    Video,
    /// AC_BE.
    BestEffort,
    /// AC_BK.
    Background,
}

impl Category {
    /// All of them, the most urgent first.
    pub const ALL: [Category; 4] = [
        Category::Voice,
        Category::Video,
        Category::BestEffort,
        Category::Background,
    ];

    /// The category that contends for packets of a user priority (IEEE 802.11-2007 Table 9-1).
    pub fn of_priority(user_priority: u8) -> Category {
        match user_priority {
            6 | 7 => Category::Voice,
            4 | 5 => Category::Video,
            1 | 2 => Category::Background,
            _ => Category::BestEffort,
        }
    }

    /// The traffic identifier of its packets: the first of its user priorities.
    pub fn traffic_identifier(self) -> u8 {
        match self {
            Category::Voice => 6,
            Category::Video => 4,
            Category::BestEffort => 0,
            Category::Background => 1,
        }
    }

    /// The category that contends for packets with a differentiated services codepoint.
    pub fn of_dscp(dscp: u8) -> Category {
        Category::of_priority(user_priority(dscp))
    }
}

/// The user priority that RFC 8325 §4.3 gives packets with a differentiated services codepoint.
pub fn user_priority(dscp: u8) -> u8 {
    match dscp {
        // CS6 and CS7, of network control.
        48 | 56 => 7,
        // EF and VOICE-ADMIT.
        46 | 44 => 6,
        // CS5.
        40 => 5,
        // AF4x and CS4; AF3x and CS3.
        34 | 36 | 38 | 32 | 26 | 28 | 30 | 24 => 4,
        // AF2x.
        18 | 20 | 22 => 3,
        // CS1.
        8 => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codepoints_go_where_rfc_8325_has_them() {
        let of = |dscp: [u8; 4]| dscp.map(Category::of_dscp);
        assert_eq!(of([46, 34, 0, 8]), Category::ALL);
        // AF2x, CS2 and AF1x contend as what has no mark.
        assert_eq!(of([18, 16, 10, 63]), [Category::BestEffort; 4]);
        assert_eq!([46, 34, 18, 0, 8].map(user_priority), [6, 4, 3, 0, 1]);
    }
}
