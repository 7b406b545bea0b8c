//! Other systems' policies behind the engine's one interface.
//!
//! Owns what each system's manifests mean, what its control plane would refuse of them, and an
//! [`Engine`](crate::engine::Engine) a system. It reads no file, prints nothing and keeps no time.

pub mod job;
pub mod jobset;
