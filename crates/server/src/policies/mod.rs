//! Retry policies on the server: their validation and their calls.

mod calls;
mod full_form;
mod validate;

pub use calls::{create, delete, get, list, update};
