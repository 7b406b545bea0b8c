//! Names that Armada itself assigns.

/// The category of failures that Armada itself reports.
pub(super) const INTERNAL: &str = "internal";
