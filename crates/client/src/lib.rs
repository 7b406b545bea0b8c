//! The client of Armada's REST API: requests, and the interpretation of answers.
//!
//! Owns the paths, the bodies, authentication, retries, timeouts, limits and the messages of all errors.
//! Requests are built and answers interpreted by pure functions; only `transport` opens a connection. The
//! package is independent of commands and flags and prints nothing: the lines of `-v` go to a function that is
//! passed in.
//!
//! Commands use a [`Client`], which is cheap to clone. [`run_bounded`] runs many requests of one client
//! concurrently.
#![forbid(unsafe_code)]

mod answer;
mod api;
mod backoff;
mod bulk;
mod change;
pub mod config;
mod connection_error;
mod credential;
mod error;
mod events;
mod fields;
mod http;
mod lines;
mod lookout;
mod name;
mod program;
mod queues;
mod redact;
mod request;
mod request_context;
mod sign_in;
mod stream_timeout;
mod text;
mod tls;
mod tls_error;
mod transport;
mod wire_form;

#[cfg(test)]
#[path = "../../../tests/cli/quirks.rs"]
#[expect(dead_code, reason = "the tests of the command line use the rest")]
mod quirks;
#[cfg(test)]
mod tests;

pub use api::{Client, Creation, Live};
pub use bulk::{Slot, Stop, run_bounded, run_stoppable};
pub use change::{ChangeEnd, ChangeOutcome, Timing, change_queue, second_read_wait};
pub use credential::Identity;
pub use error::{ClientError, ClientErrorKind, Effect};
pub use events::{Event, Events, Follow, JobSet, Next};
pub use fields::Fields;
pub use lookout::{JobFilter, Lookout};
pub use name::check_name;
pub use queues::Queues;
pub use request::{Method, Request, RunText};
pub use sign_in::{Prompt, SignIn, SignedOut, Token};
pub use wire_form::WireForm;
