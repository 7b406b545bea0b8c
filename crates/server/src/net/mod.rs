//! Connections: accepted up to a limit, closed if they are slow, and shut down in order.

mod arrivals;
mod body;
mod limits;
mod log;
mod request;
mod run;
mod signals;
mod write_timeout;

pub use limits::Limits;
pub use log::{Event, Log, events};
pub use run::Server;
pub use signals::Signals;
