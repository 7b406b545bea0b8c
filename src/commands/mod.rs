//! The commands: a file or folder each, with its arguments and its run function. `cli.rs` lists them.
//!
//! Only `main` uses this module. A command reads its inputs, calls the domain, and passes the
//! result to a renderer.

pub mod apply;
pub mod attach;
mod check;
mod cli;
mod command_line;
pub mod compare;
mod complete;
mod completion;
pub mod config;
mod connection;
pub mod convert;
pub mod cordon;
pub mod create;
pub mod delete;
pub mod detach;
pub mod diff;
mod disruptions;
pub mod edit;
mod edit_proof;
pub mod explain;
mod fix;
mod flag_values;
pub mod fmt;
pub mod get;
pub mod help;
mod help_page;
pub mod history;
mod history_document;
mod ineffective_policies;
mod input_files;
mod line_tips;
pub mod lint;
mod live_policies;
pub mod login;
pub mod logout;
mod lookup;
pub mod man;
mod output_file;
mod parse_error;
mod policy_list;
mod policy_set;
mod queue_change;
mod report_files;
mod resource_args;
mod resources;
mod selection;
pub mod serve;
pub mod simulate;
mod system_args;
pub mod test;
#[cfg(test)]
mod testing;
mod unavailable;
pub mod update;
pub mod validate;
pub mod version;
pub mod wait;
pub mod watch;
pub mod whoami;

pub use cli::main;
#[cfg(feature = "internals")]
pub use cli::{Cli, completion_script, run_silently};
