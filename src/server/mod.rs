//! The embedded server: Armada's REST API for retry policies and queues, over a SQLite file.
//!
//! It answers as Armada does, its quirks included (`docs/serve.md` lists them), so that what works here
//! works there. It is for development and tests. It prints nothing: what it has to say goes to a
//! channel.
//!
//! | part | owns |
//! |---|---|
//! | [`wire`] | JSON as Go has it, the messages, errors |
//! | [`store`] | the file |
//! | `policies`, `queues` | what the calls mean |
//! | `routes`, [`Api`] | from a method and a path to a call, from a call to an answer |
//! | [`access`] | who may call |
//! | [`net`] | connections, limits, the end |

pub mod access;
mod answer;
mod api;
pub mod dialect;
pub mod net;
mod policies;
mod queues;
mod routes;
pub mod store;
mod swagger;
pub mod wire;

pub use answer::{Answer, Content, Payload};
pub use api::{Api, Head};
