//! Connections: accepted up to a limit, slow ones cut, and all of them ended in order.

mod body;
mod limits;
mod log;
mod paced;
mod request;
mod run;
mod stop;

pub use limits::Limits;
pub use log::{Event, Log, events};
pub use run::Server;
pub(crate) use stop::Signals;
