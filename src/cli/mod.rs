//! The command line without its commands: global and server flags, the context that a command runs
//! in, exit codes, and the errors that end a command.
//!
//! Commands use this module, and it uses none of them.

mod context;
mod dry_run;
mod exit;
mod globals;
mod partial_line;
mod print_error;
mod refusal;
mod server;

pub use context::Context;
pub use dry_run::{DryRun, DryRunArgs};
pub use exit::Exit;
pub use globals::{Globals, Output, OutputArg};
pub(crate) use partial_line::{PartialLine, long_flag};
pub(crate) use print_error::{is_broken_pipe, print_error};
pub use refusal::{NOTHING_SENT, Refusal};
pub use server::ServerFlags;
