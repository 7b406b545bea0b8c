//! Where the server is and who asks: the config file, the environment and the flags, made one.
//!
//! Owns Armada's `~/.armadactl.yaml`, what its contexts mean, the rules of the address, and the
//! one place where a flag goes before the environment, the environment before the context and the
//! context before a default ([`resolve()`]). It opens no connection and runs no program, and what is
//! secret in a file leaves it only as a type that cannot be printed.

mod address;
mod auth;
mod context;
mod edit;
mod error;
mod file;
mod redact;
mod resolve;
mod write;

#[cfg(test)]
mod tests;

pub use address::{BaseUrl, shown_address};
pub use auth::{Auth, ExecCommand};
pub use context::Context;
pub use error::ConfigError;
pub use file::{ConfigFile, Places};
pub use redact::redacted;
pub use resolve::{Connection, InsecureAuth, Overrides, current_context, resolve};
