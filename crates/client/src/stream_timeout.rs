//! The time limits of a list that is streamed queue by queue, and of a stream of events. Pure: times are passed in.
//!
//! No fixed time limit fits every list, as lists may be long. Two rules limit it instead. The next queue must
//! come within the timeout of a request. The whole list must come within ten times that timeout, plus a
//! second for each 16 KiB of it. Only the time spent waiting counts, not the time that the reader takes for
//! the queues.
//!
//! Events may come at any time. Only the silence between two of them is limited, by ten times the timeout of a
//! request: by then the connection may be dead without a sign of it.

use std::time::Duration;

/// The bytes per second that a list must send after its base time: slower than any usable connection.
const MIN_BYTES_PER_SECOND: f64 = 16_384.0;
/// The base time of a list, in request timeouts.
const BASE_REQUESTS: u32 = 10;

/// The time that was spent waiting for a list so far.
#[derive(Debug)]
pub(super) struct StreamTimeout {
    /// The timeout of a request.
    request: Duration,
    /// The wait for the whole list so far.
    total: Duration,
    /// The wait for the next queue so far.
    item: Duration,
    bytes: u64,
    has_end: bool,
}

impl StreamTimeout {
    /// Starts a list, with the timeout of a request.
    pub fn new(request: Duration) -> Self {
        Self { request, total: Duration::ZERO, item: Duration::ZERO, bytes: 0, has_end: true }
    }

    /// Starts a stream of events, with the timeout of a request.
    pub fn events(request: Duration) -> Self {
        Self { has_end: false, ..Self::new(request.saturating_mul(BASE_REQUESTS)) }
    }

    /// The time that the next bytes may take; 0 if the limit is reached.
    pub fn remaining(&self) -> Duration {
        #[expect(clippy::cast_precision_loss, reason = "a list has less than 2^52 bytes")]
        let earned = Duration::from_secs_f64(self.bytes as f64 / MIN_BYTES_PER_SECOND);
        // Each piece that arrives extends the time, so that a long list over a slow line is not cut.
        let whole = self.request.saturating_mul(BASE_REQUESTS).saturating_add(earned);
        let item = self.request.saturating_sub(self.item);
        // A stream that is followed never ends, so that only its silence counts.
        if !self.has_end {
            return item;
        }
        whole.saturating_sub(self.total).min(item)
    }

    /// Adds a wait and the bytes that were received.
    pub fn add(&mut self, wait: Duration, bytes: usize) {
        self.total += wait;
        self.item += wait;
        self.bytes += bytes as u64;
    }

    /// Starts the time of the next queue.
    pub fn begin_item(&mut self) {
        self.item = Duration::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: Duration = Duration::from_secs(30);

    /// The time after which a list ends that sends `bytes` after each `pause`, and a queue with every
    /// `per_queue`-th of them; `None` if the limit is not reached within a day.
    fn given_up(pause: Duration, bytes: usize, per_queue: usize) -> Option<Duration> {
        let mut stream_timeout = StreamTimeout::new(REQUEST);
        let mut waited = Duration::ZERO;
        for piece in 1.. {
            let left = stream_timeout.remaining();
            if left < pause {
                return Some(waited + left);
            }
            waited += pause;
            if waited > Duration::from_hours(24) {
                return None;
            }
            stream_timeout.add(pause, bytes);
            if piece % per_queue == 0 {
                stream_timeout.begin_item();
            }
        }
        None
    }

    #[test]
    fn a_stream_of_events_ends_after_silence_only() {
        let mut events = StreamTimeout::events(REQUEST);
        for _ in 0..1_000 {
            assert_eq!(events.remaining(), 10 * REQUEST);
            events.add(9 * REQUEST, 1);
            assert_eq!(events.remaining(), REQUEST);
            events.begin_item();
        }
    }

    #[test]
    fn a_drip_ends_and_a_lively_list_does_not() {
        let second = Duration::from_secs(1);
        let ends = |pause, bytes, per_queue| given_up(pause, bytes, per_queue);
        assert_eq!(ends(second, 1, usize::MAX), Some(REQUEST), "no queue comes");
        assert_eq!(ends(Duration::from_secs(31), 1 << 20, 1), Some(REQUEST), "none in time");
        let drip = ends(second, 2, 20).unwrap();
        assert!(drip >= 10 * REQUEST && drip < 11 * REQUEST, "queues drip: {drip:?}");
        let slow = ends(second, 8_192, 8).unwrap();
        assert!(slow <= 21 * REQUEST, "half the rate: {slow:?}");
        assert_eq!(ends(second, 20_000, 20), None, "a slow connection");
        assert_eq!(ends(Duration::from_secs(25), 1 << 20, 1), None, "long pauses");
    }
}
