//! Other systems' policies behind the engine's one interface.
//!
//! Owns what their manifests mean, what their API servers refuse, and how they decide. Each system
//! is a folder; what all engines share stands in [`crate::engine`]. Reads no file, keeps no time,
//! prints nothing.

pub mod jobset;
