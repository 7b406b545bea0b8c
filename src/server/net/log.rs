//! What a server has to say, on its way to whoever prints it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Something a server says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// It takes requests at this address.
    Listening(SocketAddr),
    /// It answered one, or has another thing to tell.
    Line(String),
}

/// The way to whoever prints. Nobody who answers a request waits for it: lines that come too fast
/// are left out and counted.
#[derive(Debug, Clone)]
pub struct Log {
    events: SyncSender<Event>,
    lost: Arc<AtomicU64>,
}

const AT_MOST: usize = 4096;

/// Both ends of that way.
pub fn events() -> (Log, Receiver<Event>) {
    let (events, receiver) = sync_channel(AT_MOST);
    (Log { events, lost: Arc::default() }, receiver)
}

impl Log {
    /// Says a line.
    pub(super) fn line(&self, line: String) {
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if lost > 0 && self.events.try_send(Event::Line(format!("{lost} lines left out"))).is_err()
        {
            self.lost.fetch_add(lost, Ordering::Relaxed);
        }
        if self.events.try_send(Event::Line(line)).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Says where the server listens.
    pub(super) fn listening(&self, address: SocketAddr) {
        // Nobody is left to be told if this fails.
        let _ = self.events.send(Event::Listening(address));
    }
}
