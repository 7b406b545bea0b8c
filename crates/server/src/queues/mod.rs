//! Queues on the server: their stored form, versions and calls.

mod calls;
mod normalize;
mod version;

pub use calls::{create, create_all, delete, get, list, update, update_all};
pub use version::{Condition, version};
