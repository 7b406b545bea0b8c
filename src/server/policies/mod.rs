//! Retry policies on the server: whether one is valid, and the calls that keep them.

mod calls;
mod full;
mod validate;

pub use calls::{create, delete, get, list, update};
