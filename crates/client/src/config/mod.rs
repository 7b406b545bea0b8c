//! The server's address and the authentication, from the config file, the environment and flags.
//!
//! Owns Armada's `~/.armadactl.yaml`, its contexts, the rules of the address, and the precedence of flag,
//! environment, context and default, which is in one place ([`resolve()`]). It opens no connection and runs
//! no program. Secrets leave it only as a type that cannot be printed.

mod address;
mod auth;
mod edit;
mod error;
mod fields;
mod file;
mod open_id;
mod redact;
mod resolve;
mod small_file;
mod write;

#[cfg(test)]
mod tests;

pub use address::{BaseUrl, redact_address};
pub use auth::{Auth, ExecCommand};
pub use error::ConfigError;
pub use file::{ConfigFile, ConfigLocations, Context};
pub use open_id::{Grant, OpenIdAuth};
pub use redact::redact;
pub use resolve::{
    AddressOverrides, Connection, InsecureAuth, Overrides, Renewal, current_context, resolve,
};
pub use small_file::SmallFile;
pub use write::replace as replace_file;
