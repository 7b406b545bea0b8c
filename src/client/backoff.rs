//! How long to wait before a request is sent again. Pure: chance and time are passed in.

use std::time::Duration;

/// Attempts of one request.
pub(super) const ATTEMPTS: u32 = 4;

/// The wait before the second attempt, at most; it doubles from there.
const FIRST: Duration = Duration::from_millis(200);

/// The longest that a server may ask to wait. Asking again before that would be no help, so a
/// server that wants more is believed that it has no time.
const PATIENCE: Duration = Duration::from_secs(10);

/// What failed, as far as waiting goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failed {
    /// There was no connection: nothing was sent.
    Connecting,
    /// An answer with this status, and the wait it asked for.
    Answered(u16, Option<Duration>),
}

/// How long to wait before attempt `next` (the first is 0); none if it is over. `draw` is in 0..1.
pub(super) fn wait(failed: Failed, next: u32, draw: f64) -> Option<Duration> {
    if next >= ATTEMPTS {
        return None;
    }
    let asked = match failed {
        Failed::Connecting => None,
        Failed::Answered(429 | 502 | 503 | 504, asked) => asked,
        Failed::Answered(..) => return None,
    };
    let longest = FIRST * 2_u32.pow(next.saturating_sub(1));
    // At least half of it: two tries at once are no two tries.
    let own = longest.mul_f64(0.5 + draw.clamp(0.0, 1.0) / 2.0);
    match asked {
        Some(asked) if asked > PATIENCE => None,
        Some(asked) => Some(asked.max(own)),
        None => Some(own),
    }
}

/// What `Retry-After` asks for: seconds, or a date, `now` being the time in seconds since 1970.
pub(super) fn retry_after(header: &str, now: i64) -> Option<Duration> {
    if let Ok(seconds) = header.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(header.trim()).ok()?;
    let left = date.timestamp().as_second().saturating_sub(now);
    Some(Duration::from_secs(u64::try_from(left).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end() {
        let at = |next, draw| wait(Failed::Connecting, next, draw);
        assert_eq!(at(1, 1.0), Some(Duration::from_millis(200)));
        assert_eq!(at(1, 0.0), Some(Duration::from_millis(100)));
        assert_eq!(at(3, 1.0), Some(Duration::from_millis(800)));
        assert_eq!(at(4, 0.0), None);
    }

    #[test]
    fn only_a_server_that_may_recover_is_asked_again() {
        for status in [429, 502, 503, 504] {
            assert!(wait(Failed::Answered(status, None), 1, 0.5).is_some());
        }
        for status in [200, 400, 401, 403, 404, 409, 412, 500, 501] {
            assert_eq!(wait(Failed::Answered(status, None), 1, 0.5), None);
        }
    }

    #[test]
    fn a_server_is_given_the_time_it_asks_for_if_it_is_not_too_long() {
        let asked =
            |seconds| wait(Failed::Answered(503, Some(Duration::from_secs(seconds))), 1, 0.0);
        assert_eq!(asked(0), Some(Duration::from_millis(100)));
        assert_eq!(asked(3), Some(Duration::from_secs(3)));
        assert_eq!(asked(11), None);
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
