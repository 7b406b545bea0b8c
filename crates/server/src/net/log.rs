//! The server's log lines, and their channel to the command that prints them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// An event for the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The server listens at this address.
    Listening(SocketAddr),
    /// A line about a request or a fault.
    Line(String),
}

/// The sender of events. It never blocks a request: lines that the receiver is too slow for are dropped and
/// counted.
#[derive(Debug, Clone)]
pub struct Log {
    events: SyncSender<Event>,
    dropped: Arc<AtomicU64>,
}

/// The maximum number of events that wait for the receiver.
// It limits the memory if printing blocks.
const MAX_QUEUED_EVENTS: usize = 4096;

/// Creates the channel of events.
pub fn events() -> (Log, Receiver<Event>) {
    let (events, receiver) = sync_channel(MAX_QUEUED_EVENTS);
    (Log { events, dropped: Arc::default() }, receiver)
}

impl Log {
    pub(super) fn send_line(&self, line: String) {
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0
            && self.events.try_send(Event::Line(format!("{dropped} lines left out"))).is_err()
        {
            // Added back: the line about them did not fit either.
            self.dropped.fetch_add(dropped, Ordering::Relaxed);
        }
        if self.events.try_send(Event::Line(line)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Sends the address of the server.
    pub(super) fn send_address(&self, address: SocketAddr) {
        // This fails only if the receiver is gone, and then the event has no use.
        let _ = self.events.send(Event::Listening(address));
    }
}
