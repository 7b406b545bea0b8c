//! The bounds on what one unit may cost, and the finding that its worst case is beyond them.

use super::time_text;
use document::diag::{Code, Diagnostic, Place};
use document::units::GoDuration;

/// The bounds of lints, which a repository can set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The most attempts, the first included.
    pub attempts: u64,
    /// The longest time that backoffs take in all.
    pub wait: GoDuration,
    /// The largest factor by which memory grows.
    pub memory_factor: f64,
    /// The time that a disruption takes which a budget of retries should outlast.
    pub outage: GoDuration,
}

/// 50 attempts, a day of waiting, 16 times the memory: each is beyond what the examples of the seed documents need. Five
/// minutes: about what the repair of a node takes.
impl Default for Bounds {
    fn default() -> Self {
        Self {
            attempts: 50,
            wait: GoDuration::from_secs(24 * 60 * 60),
            memory_factor: 16.0,
            outage: GoDuration::from_secs(5 * 60),
        }
    }
}

/// The worst case of a unit whose attempts all fail, in the order that costs most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorstCase {
    /// The attempts, the first included; `u64::MAX` without a limit.
    pub attempts: u64,
    /// The waits in all, in seconds.
    pub wait: f64,
    /// The memory of the last attempt as a multiple of the first one's.
    pub memory_factor: f64,
}

impl WorstCase {
    /// Returns the finding that the case is beyond some bounds. `subject` is the unit: a job under `p`. `causes` are the
    /// places of what contributes most to attempts, waits and memory, with its share; `assumption` follows the message.
    pub fn finding(
        &self,
        bounds: &Bounds,
        (place, subject): (Place, &str),
        causes: [Option<(Place, String)>; 3],
        assumption: &str,
    ) -> Option<Diagnostic> {
        let [by_attempts, by_wait, by_memory] = causes;
        let (mut parts, mut cause) = (Vec::new(), None);
        if self.attempts > bounds.attempts {
            let number = match self.attempts {
                u64::MAX => "any number of".to_owned(),
                number => number.to_string(),
            };
            parts.push(format!("run {number} times (bound {})", bounds.attempts));
            cause = by_attempts;
        }
        if self.wait > bounds.wait.as_secs_f64() {
            let (wait, bound) = (long_time_text(self.wait), time_text(bounds.wait.as_secs_f64()));
            parts.push(format!("wait {wait} in all (bound {bound})"));
            cause = cause.or(by_wait);
        }
        if self.memory_factor > bounds.memory_factor {
            let (factor, bound) = (self.memory_factor, bounds.memory_factor);
            parts.push(format!("get {factor:.1} times its memory (bound {bound:.1})"));
            cause = cause.or(by_memory);
        }
        if parts.is_empty() {
            return None;
        }
        let message = format!("{subject} can {}{assumption}", parts.join(", "));
        let mut finding = Diagnostic::warning(Code::WorstCase, place, message);
        if let Some((place, text)) = cause {
            finding = finding.also(place, text);
        }
        Some(finding.help("lower a limit, a factor or a delay, or raise the bound"))
    }
}

/// Seconds as text, in days if there are several.
fn long_time_text(seconds: f64) -> String {
    const DAY: f64 = 24.0 * 60.0 * 60.0;
    const CENTURY: f64 = 36_525.0 * DAY;
    if seconds < 2.0 * DAY {
        time_text(seconds)
    } else if seconds > CENTURY {
        "more than 100 years".to_owned()
    } else {
        format!("{:.1} days", seconds / DAY)
    }
}
