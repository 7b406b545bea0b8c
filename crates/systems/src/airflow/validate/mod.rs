//! Findings about a task's settings beyond their shape: errors, and warnings of settings without
//! the effect that a reader expects.

pub(super) mod retry_policy;

use super::engine::delay::first_overflow;
use super::manifest::AirflowPolicy;
use super::manifest::backoff::Backoff;
use super::manifest::policy::{CEILING, MAX_DELAY_SECONDS, is_too_long};
use super::manifest::profile::Profile;
use super::manifest::python_time::TimeDelta;
use super::manifest::retry_policy::{FIELD, TaskRetryPolicy};
use crate::lint::surprising_default;
use document::diag::{Code, Diagnostic, Findings, Span};
use document::{Document, Entry, FieldValue, Node};

const RETRIES: &str = "retries";
const DELAY: &str = "retry_delay_seconds";
const BACKOFF: &str = "retry_exponential_backoff";
const CAP: &str = "max_retry_delay_seconds";

/// Reports invalid values in a checked `spec.policy`: a growth that is not a number, delays of centuries, a
/// retry policy that the release would refuse.
pub fn check_policy(document: &Document, policy: &Node, profile: Profile, findings: &mut Findings) {
    retry_policy::check(document, policy, profile, findings);
    let mut refuse = |span: Span, code, message: String, help: &str| {
        let place = document.place(span.first_line(document.source.text()));
        findings.push(Diagnostic::error(code, place, message).help(help));
    };
    let text = |node: &Node| node.scalar().map_or(String::new(), |scalar| scalar.text.clone());
    if let Some(node) = policy.get(BACKOFF).filter(|node| Backoff::from_node(node).is_none()) {
        let (code, message) = if node.number().is_some() {
            let message = format!("`{BACKOFF}` is {}; it must be a finite number", text(node));
            (Code::OutOfRange, message)
        } else {
            let found = node.describe();
            let expected = "expected a number, `true` or `false`";
            (Code::WrongType, format!("`{BACKOFF}`: {expected}, found {found}"))
        };
        refuse(node.span, code, message, "write `true`, or a multiplier such as `2`");
    }
    for field in [DELAY, CAP] {
        let Some(node) = policy.get(field) else { continue };
        if is_too_long(node) {
            let message =
                format!("`{field}` is {}, more than {MAX_DELAY_SECONDS} seconds", text(node));
            refuse(node.span, Code::OutOfRange, message, "write a number of seconds");
        }
    }
}

/// Warns of valid settings whose effect differs from what most readers expect.
pub fn warn(document: &Document, node: &Node, policy: &AirflowPolicy, findings: &mut Findings) {
    retry_policy::warn(document, node, policy, findings);
    let mut warnings = Warnings { document, node, policy, findings };
    warnings.check_number();
    warnings.check_ceiling();
    let growth = policy.profile.multiplier(policy.backoff);
    match growth {
        _ if policy.retries == 0 => warnings.warn_no_retries(),
        None => warnings.check_constant_delay(),
        Some(multiplier) => {
            warnings.check_multiplier(multiplier);
            warnings.check_overflow();
            warnings.check_bounds(multiplier);
        }
    }
}

struct Warnings<'a> {
    document: &'a Document,
    node: &'a Node,
    policy: &'a AirflowPolicy,
    findings: &'a mut Findings,
}

impl Warnings<'_> {
    /// Returns the entry of a field that is present and not null.
    fn entry(&self, field: &str) -> Option<&Entry> {
        self.node.entry(field).filter(|entry| !entry.value.is_null())
    }

    /// Warns at a field, or at the policy if the field is absent.
    fn warn(&mut self, field: &str, message: &str, help: &str) {
        let span = self.entry(field).map_or(self.node.span, |entry| entry.key_span);
        let place = self.document.place(span.first_line(self.document.source.text()));
        let message = format!("`{field}`: {message}");
        self.findings.push(Diagnostic::warning(Code::Misleading, place, message).help(help));
    }

    /// Warns of settings that have no effect without retries.
    fn warn_no_retries(&mut self) {
        let reschedules =
            self.policy.retry_policy.as_ref().is_some_and(TaskRetryPolicy::reschedules);
        // A reschedule needs no retries, and may wait for the task's delay.
        let fields: &[&str] = if reschedules {
            &[BACKOFF, CAP, CEILING]
        } else {
            &[DELAY, BACKOFF, CAP, CEILING, FIELD]
        };
        let Some(field) = fields.iter().find(|field| self.entry(field).is_some()) else {
            return;
        };
        if self.entry(RETRIES).is_some() {
            let message = "it has no effect: `retries` is 0, so a try that fails is the last";
            self.warn(field, message, "set `retries`, or leave it out");
        } else if let Some(entry) = self.entry(field) {
            let place = self.document.place(entry.key_span);
            let effect = format!("a try that fails is the last, and `{field}` has no effect");
            let remedy = format!(
                "set `{RETRIES}`, also if `core.default_task_retries` does: a profile has no other"
            );
            self.findings.push(surprising_default(place, (RETRIES, "0"), &effect, &remedy));
        }
    }

    /// Checks settings under which all delays are `retry_delay`.
    fn check_constant_delay(&mut self) {
        let delay = self.policy.retry_delay;
        let ceiling = TimeDelta::from_whole_seconds(self.policy.ceiling());
        // Only a bound that is written may mislead; defaults are nobody's mistake.
        let bounds = [CAP, CEILING].map(|field| self.entry(field).map(|_| field));
        let help = format!("shorten `{DELAY}`, or let them grow: `{BACKOFF}: 2`");
        for field in bounds.into_iter().flatten() {
            let message = format!("it bounds delays that grow, and these are {delay} each");
            self.warn(field, &message, &help);
        }
        if bounds == [None; 2] && delay > ceiling {
            let message = format!(
                "each delay is {delay}: {CEILING}, {ceiling} unless it is set, bounds only delays that grow"
            );
            self.warn(DELAY, &message, &help);
        }
        if let Backoff::Number(number) = self.policy.backoff
            && number != 0.0
            && self.policy.profile.has_multiplier()
        {
            let message = format!("delays do not grow by {number}: they are {delay} each");
            self.warn(BACKOFF, &message, "write 2 to double them, or leave it out");
        }
    }

    /// Warns of a number where the release accepts only a boolean.
    fn check_number(&mut self) {
        let AirflowPolicy { profile, backoff, .. } = *self.policy;
        if let (Backoff::Number(_), Some(refusal)) = (backoff, profile.refusal_of_numbers()) {
            let message = format!("Airflow {} takes no number: {refusal}", profile.as_str());
            let help = "write `true`, which doubles the delay, or take `profile: \"3.3\"`";
            self.warn(BACKOFF, &message, help);
        }
    }

    /// Warns of a ceiling that the release does not read.
    fn check_ceiling(&mut self) {
        let policy = self.policy;
        if policy.ceiling() != policy.max_task_retry_delay {
            let message = format!(
                "Airflow 3.0.0 to 3.0.4 do not read it: the ceiling is {}s",
                policy.ceiling()
            );
            self.warn(CEILING, &message, "leave it out, or take `profile: \"3.0\"` (3.0.6)");
        }
    }

    fn check_multiplier(&mut self, multiplier: f64) {
        let retry_delay = self.policy.retry_delay;
        if multiplier < 1.0 {
            let message = "a multiplier below 1 makes delays shorter from try to try";
            self.warn(BACKOFF, message, "write 2, or leave it out for delays of one length");
        }
        if retry_delay.is_zero() {
            let message = "a delay of 0 never grows: each retry waits 1s";
            self.warn(DELAY, message, "write the first delay, or leave out the backoff");
        }
    }

    /// Warns of more retries than the release can compute delays for.
    fn check_overflow(&mut self) {
        let Some(first) = first_overflow(self.policy) else { return };
        let profile = self.policy.profile.as_str();
        let message = format!(
            "Airflow {profile} raises OverflowError after try {first}, which ends the scheduler whenever it considers \
             the task: 3.0.6 and later wait for the longest delay"
        );
        let help = format!("write at most {}", first - 1);
        self.warn(RETRIES, &message, &help);
    }

    /// Checks the bounds of growing delays.
    fn check_bounds(&mut self, multiplier: f64) {
        let AirflowPolicy { retry_delay, max_retry_delay, .. } = *self.policy;
        let ceiling = TimeDelta::from_whole_seconds(self.policy.ceiling());
        let cap = max_retry_delay.filter(|cap| !cap.is_zero());
        if max_retry_delay.is_some() && cap.is_none() {
            self.warn(CAP, "0 means no cap", "write the longest delay, or leave it out");
        }
        if cap.is_some_and(|cap| cap > ceiling) {
            let message = format!("it is never reached: {CEILING} ends delays at {ceiling}");
            self.warn(CAP, &message, "lower it, or raise that of the installation");
        }
        let (field, most) = match cap.filter(|cap| *cap <= ceiling) {
            Some(cap) => (CAP, cap),
            None => (if self.entry(CEILING).is_some() { CEILING } else { DELAY }, ceiling),
        };
        // No delay is below a longest delay of 0, not even one that shrinks.
        if most.is_zero() || multiplier > 1.0 && retry_delay >= most {
            let message = format!("each delay is {most} to the second, without growth or jitter");
            let way = if most.is_zero() { "raise it" } else { "shorten `retry_delay_seconds`" };
            self.warn(
                field,
                &message,
                &format!("{way}: jitter has an effect only below the longest delay"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;
    use document::diag::{Severity, Source};
    use document::{Limits, parse};

    /// Returns the fields that the findings name, in the order of the findings.
    fn about(spec: &str, wanted: Severity) -> Vec<String> {
        let (documents, findings) = parse(&Source::new("p.yaml", spec), Limits::POLICY);
        assert!(findings.is_empty());
        let (document, mut findings) = (&documents[0], Findings::new());
        let policy = document.root.get("policy").unwrap();
        check_policy(document, policy, read(&document.root).profile, &mut findings);
        if !findings.has_errors() {
            warn(document, policy, &read(&document.root), &mut findings);
        }
        assert_eq!(findings.count(wanted), findings.len(), "{findings:?}");
        let field = |finding: &Diagnostic| {
            assert!(finding.help.is_some());
            finding.message.split('`').nth(1).unwrap().to_owned()
        };
        findings.iter().map(field).collect()
    }

    #[test]
    fn what_seems_to_do_something_else_is_said() {
        for (spec, fields) in [
            ("policy: {}", &[][..]),
            // A delay above the ceiling of a day is warned of; a delay of exactly a day is not.
            ("policy: {retries: 3, retry_delay_seconds: 100000}", &[DELAY]),
            ("policy: {retries: 3, retry_delay_seconds: 86400}", &[]),
            ("policy: {retries: 1, retry_delay_seconds: 4294967295}", &[DELAY]),
            (
                "policy: {retries: 3, retry_delay_seconds: 100000, core.max_task_retry_delay: 60}",
                &[CEILING],
            ),
            ("policy: {retries: 3, retry_exponential_backoff: false}", &[]),
            ("policy: {retries: 0, retry_delay_seconds: 60, max_retry_delay_seconds: 5}", &[DELAY]),
            ("policy: {retry_delay_seconds: 60, max_retry_delay_seconds: 5}", &[RETRIES]),
            ("policy: {retries: 3, max_retry_delay_seconds: 600}", &[CAP]),
            ("policy: {retries: 3, core.max_task_retry_delay: 600}", &[CEILING]),
            ("policy: {retries: 3, retry_exponential_backoff: 1}", &[BACKOFF]),
            ("policy: {retries: 3, retry_exponential_backoff: true}", &[]),
            ("policy: {retries: 3, retry_exponential_backoff: 2.5}", &[]),
            ("policy: {retries: 3, retry_exponential_backoff: 0.5}", &[BACKOFF]),
            ("{profile: 3.0, policy: {retries: 3, retry_exponential_backoff: 3}}", &[BACKOFF]),
            ("{profile: 2.9, policy: {retries: 3, retry_exponential_backoff: 2}}", &[BACKOFF]),
            ("{profile: 3.1, policy: {retries: 3, retry_exponential_backoff: true}}", &[]),
            ("{profile: 3.2, policy: {retries: 3, retry_exponential_backoff: 3}}", &[]),
            (
                "{profile: 3.0.0, policy: {retries: 3, retry_exponential_backoff: true, core.max_task_retry_delay: 600}}",
                &[CEILING],
            ),
            (
                "policy: {retries: 3, retry_exponential_backoff: 2, retry_delay_seconds: 0}",
                &[DELAY],
            ),
            (
                "policy: {retries: 3, retry_exponential_backoff: 2, max_retry_delay_seconds: 0}",
                &[CAP],
            ),
            (
                "policy: {retries: 3, retry_exponential_backoff: 2, max_retry_delay_seconds: 300}",
                &[CAP],
            ),
            (
                "policy: {retries: 3, retry_exponential_backoff: 2, max_retry_delay_seconds: 301}",
                &[],
            ),
            (
                "policy: {retries: 3, retry_exponential_backoff: 2, core.max_task_retry_delay: 0}",
                &[CEILING],
            ),
            (
                "policy: {retries: 3, retry_exponential_backoff: 2, max_retry_delay_seconds: 90000}",
                &[CAP],
            ),
            (
                "policy: {retries: 3, retry_exponential_backoff: 2, retry_delay_seconds: 86400}",
                &[DELAY],
            ),
        ] {
            assert_eq!(about(spec, Severity::Warning), fields, "{spec}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for (spec, fields) in [
            ("policy: {retry_exponential_backoff: fast}", &[BACKOFF][..]),
            ("policy: {retry_exponential_backoff: .nan}", &[BACKOFF]),
            ("policy: {retry_exponential_backoff: .inf}", &[BACKOFF]),
            (
                "policy: {retry_delay_seconds: 1e300, max_retry_delay_seconds: 4294967296}",
                &[DELAY, CAP],
            ),
        ] {
            assert_eq!(about(spec, Severity::Error), fields, "{spec}");
        }
    }
}
