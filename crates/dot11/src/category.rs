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

    /// The category of packets with a differentiated services codepoint, by the user priority that
    /// RFC 8325 §4.3 gives it.
    pub fn of_dscp(dscp: u8) -> Category {
        match dscp {
            // EF and VOICE-ADMIT; network control, CS6 and CS7.
            46 | 44 | 48 | 56 => Category::Voice,
            // CS5, AF4x and CS4; AF3x and CS3.
            40 | 34 | 36 | 38 | 32 | 26 | 28 | 30 | 24 => Category::Video,
            // CS1.
            8 => Category::Background,
            _ => Category::BestEffort,
        }
    }

    /// The user priority that stands for it: the higher one of its two, 0 for best effort
    /// (IEEE 802.11-2007 Table 9-1).
    pub fn user_priority(self) -> u8 {
        match self {
            Category::Voice => 6,
            Category::Video => 5,
            Category::BestEffort => 0,
            Category::Background => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codepoints_go_where_rfc_8325_has_them() {
        let of = |dscp: [u8; 4]| dscp.map(Category::of_dscp);
        assert_eq!(of([46, 34, 0, 8]), Category::ALL);
        // AF2x, CS2 and AF1x stay with what has no mark.
        assert_eq!(of([18, 16, 10, 63]), [Category::BestEffort; 4]);
    }
}
