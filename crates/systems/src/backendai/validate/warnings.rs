//! Warnings about a valid profile: fields without the effect that a reader expects.

use crate::backendai::engine::delay::MAX_RETRY_DELAY;
use crate::backendai::engine::session_id::{
    CREATION_ID_LIMIT, DEFAULT_CREATION_ID_LENGTH, first_overflow,
};
use crate::backendai::manifest::cause::Causes;
use crate::backendai::manifest::interpretation::{Ceiling, Reduction};
use crate::backendai::manifest::{
    BackoffStrategy, DELAY_FIELDS, JitterMode, Profile, effective_entry,
};
use crate::lint::surprising_default;
use document::diag::{Code, Diagnostic, Findings};
use document::{Document, Entry};

/// Warns of the fields of a checked profile whose effect differs from what a reader expects.
pub(crate) fn add_warnings(document: &Document, profile: &Profile, findings: &mut Findings) {
    let mut warnings = Warnings { document, profile, findings };
    if profile.policy.max_retries == 0 {
        return warnings.warn_no_retries();
    }
    if profile.policy.eligible_causes == Causes::default() {
        return warnings.warn_no_causes();
    }
    warnings.warn_creation_ids();
    warnings.warn_ceiling();
    warnings.check_delays();
    warnings.warn_unused_field(
        "backoff_multiplier",
        "backoff",
        profile.policy.backoff == BackoffStrategy::Fixed,
    );
    warnings.warn_unused_field("jitter_ratio", "jitter", profile.policy.jitter == JitterMode::None);
    warnings.check_jitter();
}

/// The profile and its findings.
struct Warnings<'l> {
    document: &'l Document,
    profile: &'l Profile,
    findings: &'l mut Findings,
}

impl<'l> Warnings<'l> {
    /// Returns the entry of a field that takes effect, with the rank of its layer: 0 is the session's.
    fn effective_entry(&self, field: &str) -> Option<(usize, &'l Entry)> {
        effective_entry(&self.document.root, field)
    }

    /// Warns at the first of some fields that is set, or at `layers` if none is.
    fn warn(&mut self, fields: &[&str], message: String, help: String) {
        let mut entries = fields.iter().filter_map(|field| self.effective_entry(field));
        let layers = || self.document.root.at(&["spec"]).and_then(|spec| spec.entry("layers"));
        if let Some(entry) = entries.next().map(|(_, entry)| entry).or_else(layers) {
            let place = self.document.place(entry.key_span);
            self.findings.push(Diagnostic::warning(Code::Misleading, place, message).help(help));
        }
    }

    fn warn_no_retries(&mut self) {
        let mut of_retries = DELAY_FIELDS.into_iter().chain(["eligible_causes"]);
        let Some(field) = of_retries.find(|field| self.effective_entry(field).is_some()) else {
            return;
        };
        if self.effective_entry("max_retries").is_none() {
            let Some((_, entry)) = self.effective_entry(field) else { return };
            let effect = format!(
                "nothing is retried, every batch session that fails is reported as exhausted, and `{field}` does \
                 nothing"
            );
            let place = self.document.place(entry.key_span);
            let found =
                surprising_default(place, ("max_retries", "0"), &effect, "set `max_retries`");
            self.findings.push(found);
        }
    }

    fn warn_no_causes(&mut self) {
        let retries = self.profile.policy.max_retries;
        let message = format!(
            "`eligible_causes` is empty: no failure is retried, regardless of its cause, though \
             `max_retries` is {retries}"
        );
        let help = "list the causes to retry, or leave it out for all six".to_owned();
        self.warn(&["eligible_causes"], message, help);
    }

    /// Warns if the creation ids of retries exceed their column.
    fn warn_creation_ids(&mut self) {
        let Some(first) =
            first_overflow(DEFAULT_CREATION_ID_LENGTH, self.profile.policy.max_retries)
        else {
            return;
        };
        let most = first.saturating_sub(1);
        let message = format!(
            "from retry {first} on a session's creation id is longer than the {CREATION_ID_LIMIT} characters of \
             its column: `:retry:N` is added each time"
        );
        let help = format!(
            "`max_retries: {most}` is the most that fits after a usual id of {DEFAULT_CREATION_ID_LENGTH} \
             characters; here sessions are evaluated as if all fitted, since the draft does not define what \
             happens"
        );
        self.warn(&["max_retries"], message, help);
    }

    /// Warns of a limit above 24 hours.
    fn warn_ceiling(&mut self) {
        let limit = self.profile.policy.max_retry_delay.filter(|limit| *limit > MAX_RETRY_DELAY);
        if let Some(limit) = limit.filter(|_| self.profile.interpretation.cap == Ceiling::Hard) {
            let message = format!(
                "`max_retry_delay` is {limit}, and no wait is longer than 24 hours, which are {MAX_RETRY_DELAY}"
            );
            let help = format!(
                "write {MAX_RETRY_DELAY} or less; `options: {{cap: literal}}` follows the draft's formula \
                 literally, which allows longer waits"
            );
            self.warn(&["max_retry_delay"], message, help);
        }
    }

    /// Warns of delays that the cap shortens, or that shrink.
    fn check_delays(&mut self) {
        let policy = &self.profile.policy;
        let cap = policy.cap(self.profile.interpretation.cap);
        if policy.retry_delay > cap {
            let message = format!(
                "`retry_delay` is {}, and no retry waits longer than {cap}s",
                policy.retry_delay
            );
            let help = match self.effective_entry("max_retry_delay") {
                Some(_) => format!("write `retry_delay: {cap}`, or raise `max_retry_delay`"),
                None => format!("set `max_retry_delay`, which is {cap} by default"),
            };
            self.warn(&["retry_delay", "max_retry_delay"], message, help);
        }
        let multiplier = policy.backoff_multiplier;
        if policy.backoff == BackoffStrategy::Exponential && multiplier < 1.0 {
            let message = format!(
                "`backoff_multiplier` is {multiplier}: every wait is shorter than the last"
            );
            let help = "above 1 waits grow; 2 doubles them".to_owned();
            self.warn(&["backoff_multiplier"], message, help);
        }
    }

    /// Warns of a field that the chosen mode does not use. If a layer above chooses the mode, the
    /// field is for sessions without that choice.
    fn warn_unused_field(&mut self, field: &'static str, mode: &'static str, off: bool) {
        let Some((rank, _)) = self.effective_entry(field).filter(|_| off) else { return };
        let above = self.effective_entry(mode).map(|(rank, _)| rank);
        if above.is_some_and(|above| above < rank) {
            return;
        }
        let policy = &self.profile.policy;
        let (is, other) = match mode {
            "backoff" => (policy.backoff.as_str(), BackoffStrategy::Exponential.as_str()),
            _ => (policy.jitter.as_str(), JitterMode::Deterministic.as_str()),
        };
        let by_default = if above.is_none() { ", its default" } else { "" };
        let message = format!("`{field}` does nothing: `{mode}` is {is}{by_default}");
        self.warn(&[field], message, format!("write `{mode}: {other}`, or leave `{field}` out"));
    }

    /// Warns of jitter that the cap always removes.
    fn check_jitter(&mut self) {
        let Profile { policy, interpretation, .. } = self.profile;
        let cap = policy.cap(interpretation.cap);
        if policy.jitter == JitterMode::None
            || policy.jitter_ratio <= 0.0
            || policy.retry_delay > cap
        {
            return;
        }
        let is_cut = |retry_count| policy.base(retry_count) >= cap;
        if let Some(first) = first_count(policy.max_retries, is_cut) {
            let which = match first {
                0 => "every retry".to_owned(),
                first => format!("each retry from the {} on", ordinal(first.saturating_add(1))),
            };
            let message =
                format!("{which} waits the longest time, {cap}s, and jitter adds nothing to it");
            let help = "raise `max_retry_delay`, or keep waits below it: sessions that failed together are \
                        retried together at the cap";
            self.warn(&["jitter", "jitter_ratio", "max_retry_delay"], message, help.to_owned());
        }
        let span = policy.base(0) * policy.jitter_ratio;
        if policy.jitter == JitterMode::Deterministic && is_always_zero(interpretation.reduce, span)
        {
            let message = format!(
                "deterministic jitter adds nothing to the first wait: its span is {span}s, of which `{}` leaves 0",
                interpretation.reduce.as_str()
            );
            let help = format!("`reduce: {}` does not", Reduction::IntMillis.as_str());
            let help = if interpretation.reduce == Reduction::IntMillis {
                "raise `retry_delay` or `jitter_ratio`".to_owned()
            } else {
                help
            };
            self.warn(&["jitter", "jitter_ratio", "retry_delay"], message, help);
        }
    }
}

/// Returns the first count from which on `holds` is true up to `below`, by bisection; `None` if it is false
/// at the last.
fn first_count(below: u32, holds: impl Fn(u32) -> bool) -> Option<u32> {
    let mut holding = below.checked_sub(1).filter(|last| holds(*last))?;
    let mut open = 0;
    while open < holding {
        // Not their sum by two, which could overflow.
        let middle = open + (holding - open) / 2;
        if holds(middle) { holding = middle } else { open = middle + 1 }
    }
    Some(holding)
}

/// Returns whether a reduction by this span gives 0 for every digest.
fn is_always_zero(reduction: Reduction, span: f64) -> bool {
    /// The fraction bits of a float: they are 0 in a power of 2.
    const FRACTION: u64 = (1 << 52) - 1;
    match reduction {
        // Both leave whole numbers: of seconds, and of milliseconds. Any number modulo 1 is 0.
        Reduction::IntFloorSeconds => span < 2.0,
        Reduction::IntMillis => span < 0.002,
        // A hash is far larger than 2^53, so that as a float it is a multiple of every small power of 2.
        Reduction::PythonFloatMod => span.to_bits() & FRACTION == 0,
    }
}

fn ordinal(number: u32) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}
