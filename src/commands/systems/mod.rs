//! The policies in files and their system, the manifests among them, and histories of other systems.

mod args;
mod histories;
mod manifests;
mod policies;

pub use args::SystemArgs;
pub(super) use histories::{merge_errors_of_other_system, warning_of_other_system};
pub(super) use manifests::{Manifests, read};
pub(super) use policies::{PolicyFiles, refuse_unknown_profiles};
