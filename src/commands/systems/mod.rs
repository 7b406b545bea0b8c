//! Whose policies the files hold, and the reading of those of other systems.

mod args;
mod histories;
mod manifests;
mod whose;

pub use args::SystemArgs;
pub(super) use histories::{line_of_another, of_another};
pub(super) use manifests::{Manifests, read};
pub(super) use whose::{Given, Whose, by_system, given, refuse_nobodys};
