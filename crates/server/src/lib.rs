//! The embedded server: Armada's REST API for retry policies and queues, over a SQLite file.
//!
//! It answers like Armada, including Armada's quirks (`docs/serve.md` lists them), so that a client that
//! works with it works with Armada. It is for development and tests. It prints nothing: its log lines go to a
//! channel.
//!
//! | part | owns |
//! |---|---|
//! | [`wire`] | JSON in Go's notation, the messages, errors |
//! | [`store`] | the file |
//! | `policies`, `queues` | the calls |
//! | `routes`, [`Api`] | method and path to call, call to answer |
//! | [`access`] | admission of callers |
//! | [`net`] | connections, limits, shutdown |
#![forbid(unsafe_code)]

pub mod access;
mod answer;
mod api;
pub mod dialect;
mod head;
pub mod net;
mod policies;
mod queues;
mod routes;
pub mod store;
mod swagger;
pub mod wire;

pub use answer::{Answer, Content, Payload};
pub use api::Api;
pub use head::Head;
