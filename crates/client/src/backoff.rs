//! The waits between attempts of a request. Pure: random numbers and time are passed in.

use std::time::Duration;

/// The maximum of attempts of one request.
// The waits between them add up to at most 1.4 s.
pub(super) const ATTEMPTS: u32 = 4;

/// The maximum wait before the second attempt; it doubles with each further one.
const FIRST_WAIT: Duration = Duration::from_millis(200);

/// The longest `Retry-After` that is respected.
// A longer one ends the request, since an earlier attempt would fail too.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(10);

/// The longest wait before a stream of events is opened again: short for a person, and few requests for a server.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The failure of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// No connection: nothing was sent.
    Connecting,
    /// An answer with this status, and the wait of its `Retry-After`.
    Answered(u16, Option<Duration>),
}

/// The wait before attempt `next` (the first is 0); `None` if there is no further one. `draw` is in
/// 0..1.
pub(super) fn wait(failed: Failure, next: u32, draw: f64) -> Option<Duration> {
    if next >= ATTEMPTS {
        return None;
    }
    let requested = match failed {
        Failure::Connecting => None,
        // These say that the server is busy or cannot be reached. After any other status the same request gets the same
        // answer.
        Failure::Answered(429 | 502 | 503 | 504, requested) => requested,
        Failure::Answered(..) => return None,
    };
    let own = own_wait(next, draw);
    match requested {
        Some(requested) if requested > MAX_RETRY_AFTER => None,
        // A server that asks for less than the own wait does not spread its clients.
        Some(requested) => Some(requested.max(own)),
        None => Some(own),
    }
}

/// The wait before a stream is opened again, after this number of failures in succession.
pub(super) fn pause(failures: u32, draw: f64) -> Duration {
    // Eight doublings exceed the longest pause.
    own_wait(failures.min(9), draw).min(LONGEST_PAUSE)
}

fn own_wait(next: u32, draw: f64) -> Duration {
    let longest = FIRST_WAIT * 2_u32.pow(next.saturating_sub(1));
    // At least half of the maximum, so that jitter never leaves too short a wait.
    longest.mul_f64(0.5 + draw.clamp(0.0, 1.0) / 2.0)
}

/// The wait of a `Retry-After`: seconds, or a date; `now` is the time in seconds since 1970.
pub(super) fn retry_after(header: &str, now: i64) -> Option<Duration> {
    if let Ok(seconds) = header.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(header.trim()).ok()?;
    let left = date.timestamp().as_second().saturating_sub(now);
    // A date in the past means that there is nothing to wait for.
    Some(Duration::from_secs(u64::try_from(left).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end() {
        let at = |next, draw| wait(Failure::Connecting, next, draw);
        assert_eq!(at(1, 1.0), Some(Duration::from_millis(200)));
        assert_eq!(at(1, 0.0), Some(Duration::from_millis(100)));
        assert_eq!(at(3, 1.0), Some(Duration::from_millis(800)));
        assert_eq!(at(4, 0.0), None);
    }

    #[test]
    fn pauses_grow_to_a_bound() {
        assert_eq!(pause(1, 0.0), Duration::from_millis(100));
        assert_eq!(pause(2, 1.0), Duration::from_millis(400));
        assert_eq!([pause(9, 1.0), pause(u32::MAX, 1.0)], [LONGEST_PAUSE; 2]);
    }

    #[test]
    fn only_a_server_that_may_recover_is_asked_again() {
        for status in [429, 502, 503, 504] {
            assert!(wait(Failure::Answered(status, None), 1, 0.5).is_some());
        }
        for status in [200, 400, 401, 403, 404, 409, 412, 500, 501] {
            assert_eq!(wait(Failure::Answered(status, None), 1, 0.5), None);
        }
    }

    #[test]
    fn a_server_is_given_the_time_it_asks_for_if_it_is_not_too_long() {
        let requested =
            |seconds| wait(Failure::Answered(503, Some(Duration::from_secs(seconds))), 1, 0.0);
        assert_eq!(requested(0), Some(Duration::from_millis(100)));
        assert_eq!(requested(3), Some(Duration::from_secs(3)));
        assert_eq!(requested(11), None);
    }

    #[test]
    fn both_forms_of_retry_after() {
        assert_eq!(retry_after(" 7 ", 0), Some(Duration::from_secs(7)));
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(retry_after(date, 784_111_770), Some(Duration::from_secs(7)));
        assert_eq!(retry_after(date, 784_111_999), Some(Duration::ZERO));
        assert_eq!(retry_after("soon", 0), None);
    }
}
