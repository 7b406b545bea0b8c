//! The API group of Armada's documents.

/// The API group of Armada's documents.
pub const GROUP: &str = "armadaproject.io";
