//! Queues on the server: what is stored of one, its version, and the calls that keep them.

mod calls;
mod normal;
mod version;

pub use calls::{create, create_all, delete, get, list, update, update_all};
pub use version::{Condition, version};
