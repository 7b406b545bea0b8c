//! Versions of programs, and their order.

use std::fmt;

/// A version: `1.34`, `0.11.1`. Without a patch number it is either the first or the newest patch of a minor version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    major: u16,
    minor: u16,
    patch: Patch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Patch {
    First,
    Number(u16),
    Newest,
}

impl Version {
    /// The design of Armada's policies (`v1`), which no release implements; it is after all of them.
    pub const DESIGN: Self = Self { major: u16::MAX, minor: 0, patch: Patch::First };

    /// Returns the beginning of a minor version, before all of its patches.
    pub const fn since(major: u16, minor: u16) -> Self {
        Self { major, minor, patch: Patch::First }
    }

    /// Returns a patch release.
    pub const fn patch(major: u16, minor: u16, patch: u16) -> Self {
        Self { major, minor, patch: Patch::Number(patch) }
    }

    /// Returns the newest patch of a minor version.
    pub const fn newest(major: u16, minor: u16) -> Self {
        Self { major, minor, patch: Patch::Newest }
    }

    /// Returns whether it has the number of another minor version.
    pub(super) fn has_minor_of(self, other: Self) -> bool {
        (self.major, self.minor) == (other.major, other.minor)
    }

    /// Returns whether it is the newest patch of a minor version, whatever its number.
    pub(super) fn is_newest_patch(self) -> bool {
        self.patch == Patch::Newest
    }

    /// Reads `1.34` as the newest patch of 1.34, and `0.11.1` or `v0.11.1` as that patch.
    pub fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.strip_prefix('v').unwrap_or(text).split('.');
        let mut number = || numbers.next().map(str::parse::<u16>);
        let (major, minor, patch) = (number()?.ok()?, number()?.ok()?, number().transpose().ok()?);
        if numbers.next().is_some() {
            return None;
        }
        Some(Self { major, minor, patch: patch.map_or(Patch::Newest, Patch::Number) })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { major, minor, patch } = *self;
        match patch {
            _ if *self == Self::DESIGN => f.write_str("design"),
            Patch::Number(patch) => write!(f, "{major}.{minor}.{patch}"),
            Patch::First | Patch::Newest => write!(f, "{major}.{minor}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_minor_version_is_its_newest_patch() {
        let parse = |text| Version::parse(text).unwrap();
        assert!(Version::since(3, 0) < parse("3.0.0") && parse("3.0.0") < parse("3.0.6"));
        assert!(parse("3.0.6") < parse("3.0") && parse("3.0") < Version::since(3, 1));
        assert_eq!(parse("v0.11.1").to_string(), "0.11.1");
        for text in ["", "1", "1.", "1.x", "1.2.3.4", "1.2.3b1", "1.99999"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    proptest! {
        /// The order is that of the numbers, and texts are read as they are written.
        #[test]
        fn patches_are_ordered_by_their_numbers(one: [u8; 3], other: [u8; 3]) {
            let make = |[a, b, c]: [u8; 3]| Version::patch(a.into(), b.into(), c.into());
            prop_assert_eq!(make(one).cmp(&make(other)), one.cmp(&other));
            prop_assert_eq!(Version::parse(&make(one).to_string()), Some(make(one)));
        }
    }
}
