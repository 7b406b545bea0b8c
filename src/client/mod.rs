//! Armada's REST API: requests, and what the answers to them mean.
//!
//! Owns the paths, the bodies' texts, who is let in, retries, timeouts, limits and the words for
//! everything that can go wrong. Building a request and judging an answer are pure; only
//! `transport` opens a connection. It knows no command and no flag, and prints nothing: what
//! `-v` shows goes to a function it is given.
//!
//! A [`Client`] is what commands use; it is cheap to clone, and [`bounded`] runs many requests of
//! one at the same time.

mod answer;
mod api;
mod backoff;
mod bulk;
mod change;
mod credential;
mod error;
mod fault;
mod fields;
mod form;
mod lines;
mod live;
mod name;
mod pace;
mod program;
mod queues;
mod request;
mod stop;
mod text;
mod timing;
mod transport;

#[cfg(test)]
#[path = "../../tests/cli/quirks.rs"]
mod quirks;
#[cfg(test)]
mod tests;

pub use api::{Client, Creation};
pub use bulk::{Slot, bounded, stoppable};
pub(crate) use change::{ChangeEnd, ChangeOutcome, change_queue, second_look_wait};
pub use error::{ClientError, Trouble};
pub use fields::{Fields, FieldsError};
pub use form::Form;
pub use live::{FailedQueue, Live};
pub use name::{checked_name, segment};
pub use queues::Queues;
pub use request::{Method, Repeat, Request};
pub use stop::Stop;
