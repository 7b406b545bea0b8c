//! The pod of a run as Lookout and Armada's events hold it: debug JSON, error, and the fields that both complete.
//!
//! Owns the reading of these texts. It is below the field table of Armada's records and below the sources, which both use it.

mod observed_pod;
mod observed_run;
mod run_debug;
mod run_error;
mod stored_text;

pub use observed_pod::{ObservedPod, UnknownText, UnknownTexts};
pub(crate) use observed_run::complete_run;
pub use run_debug::{DebugTrigger, RunDebug, is_cut};
pub use run_error::without_hint;
