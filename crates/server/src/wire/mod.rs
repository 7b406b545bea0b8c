//! The wire format: JSON by the rules of Go's `encoding/json`, the messages, and errors.
//!
//! It stores nothing and is independent of routes.

mod decode;
mod json;
mod message;
mod number;
mod parse;
mod status;

pub use decode::{Strictness, decode};
pub use json::Json;
pub use message::{FULL_POLICY, FULL_RULE, Field, Kind, Message, POLICY, QUEUE, QUEUE_LIST, RULE};
pub use number::Number;
pub use status::{Code, Status};
