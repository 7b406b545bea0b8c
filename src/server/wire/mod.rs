//! What goes over the wire: JSON as Go's `encoding/json` has it, the messages, and errors.
//!
//! It stores nothing and knows no route.

mod decode;
mod json;
mod message;
mod number;
mod quote;
mod read;
mod status;

pub use decode::{Strictness, decode};
pub use json::Json;
pub use message::{FULL_POLICY, FULL_RULE, Field, Kind, Message, POLICY, QUEUE, QUEUE_LIST, RULE};
pub use number::Number;
pub use quote::quote;
pub use status::{Code, Status};
