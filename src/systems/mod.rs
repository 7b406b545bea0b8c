//! Other systems' policies behind the engine's one interface.
//!
//! Owns a folder a system, each readable alone beside that system's own documentation: what its
//! manifests mean, how its controller decides, what its run records hold. `jobset` uses `job`,
//! since a JobSet is made of Jobs; nothing else knows either. `iris`, `airflow` and `backendai` (the
//! BEP-1053 draft) stand alone, and take [`profile`] documents. What commands need of every system
//! is [`System`]. It reads no file, prints nothing and keeps no time.

pub mod airflow;
pub mod backendai;
pub mod conversion;
mod explain;
mod identity;
pub mod iris;
pub mod job;
pub mod jobset;
mod options;
pub mod profile;
mod run_fields;
mod system;

pub use explain::explain;
pub use identity::{Identity, without_namespace};
pub use options::{FeatureGate, Options};
pub use system::{MANIFESTS, PROFILES, System, Tried, Unjudged, Words};
