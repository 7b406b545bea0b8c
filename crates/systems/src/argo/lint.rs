//! Findings about strategies that are valid, and probably not what their author intended.

use super::engine::decision::{Attempt, Chain, Decision, Verdict, decide};
use super::manifest::{
    ArgoManifest, Backoff, RetryPolicyName, RetryStrategy, merged, strategy_nodes, workflow_spec,
};
use super::record::AttemptOutcome;
use crate::lint::{Bounds, WorstCase, unlimited_retries};
use document::diag::{Code, Diagnostic, Findings, Place};
use document::units::GoDuration;
use document::{Document, Node};
use std::collections::HashSet;

/// The limit from which on a limit limits nothing, as for Armada's policies.
const HUGE: i32 = 1000;
/// Limit of retries whose waits are summed one by one; the rest of them wait as long as the last.
const MAX_SUMMED: u32 = 10_000;

/// Disruptions of an attempt, each with what becomes of its pod: the kubelet evicts a pod, which is Failed and has a message
/// (`inferFailedReason`), and a pod that is gone is in Error (`podReconciliation`).
const DISRUPTIONS: [(AttemptOutcome, &str, &str); 2] = [
    (
        AttemptOutcome::Error,
        "pod deleted",
        "an attempt whose pod was deleted, as by a drain or a preemption",
    ),
    (
        AttemptOutcome::Failed,
        "The node was low on resource: memory.",
        "an attempt whose pod was evicted",
    ),
];

/// Returns the findings about the strategies of a workflow. A strategy that several templates share is reported once.
pub(super) fn lint(document: &Document, manifest: &ArgoManifest, bounds: &Bounds) -> Findings {
    let mut findings = Findings::new();
    for_each_strategy(document, manifest, |lint| {
        findings.extend(lint.limit());
        findings.extend(lint.unlimited());
        findings.extend(lint.max_duration());
        findings.extend(lint.disruptions());
        findings.extend(lint.worst_case(bounds));
    });
    findings
}

/// Adds the warnings about fields without the effect that their name suggests.
pub(super) fn warn(document: &Document, manifest: &ArgoManifest, findings: &mut Findings) {
    for_each_strategy(document, manifest, |lint| findings.extend(lint.backoff()));
}

/// A strategy and its nodes.
struct Lint<'a> {
    document: &'a Document,
    nodes: &'a [&'a Node],
    strategy: &'a RetryStrategy,
    policy: &'a str,
}

fn for_each_strategy(
    document: &Document,
    manifest: &ArgoManifest,
    mut take: impl FnMut(&Lint<'_>),
) {
    let Some(spec) = workflow_spec(document) else { return };
    let templates = spec.get("templates").map(Node::items).unwrap_or_default();
    let mut seen = HashSet::new();
    for (template, node) in manifest.templates.iter().zip(templates) {
        let nodes = strategy_nodes(spec, node);
        let spans: Vec<usize> = nodes.iter().map(|node| node.span.start).collect();
        // Templates that take the strategy of the workflow share its nodes: one finding is enough.
        if let (Some(strategy), true) = (&template.strategy, seen.insert(spans)) {
            take(&Lint { document, nodes: &nodes, strategy, policy: &template.policy });
        }
    }
}

impl Lint<'_> {
    /// Returns the place of a field, or of the strategy.
    fn place(&self, path: &[&str]) -> Place {
        let node = merged(self.nodes, path).or(self.nodes.first().copied());
        let node = node.unwrap_or(&self.document.root);
        self.document.place(node.span.first_line(self.document.source.text()))
    }

    fn limit(&self) -> Option<Diagnostic> {
        let (code, message, help) = match self.strategy.limit? {
            limit if limit <= 0 => (
                Code::ZeroLimit,
                format!("nothing is retried under a limit of {limit}"),
                "write the number of retries, or leave out the retryStrategy",
            ),
            limit if limit >= HUGE => (
                Code::HugeLimit,
                format!("a limit of {limit} retries limits nothing"),
                "write the number of retries that may succeed",
            ),
            _ => return None,
        };
        Some(Diagnostic::warning(code, self.place(&["limit"]), message).help(help))
    }

    /// Returns the finding that neither a number, a time nor an expression ends the retries.
    fn unlimited(&self) -> Option<Diagnostic> {
        let RetryStrategy { limit, expression, backoff, .. } = self.strategy;
        let ends = limit.is_some()
            || expression.is_some()
            || backoff.is_some_and(|backoff| backoff.max_duration.is_some());
        let restarted = "an attempt that fails is retried";
        let finding =
            (!ends).then(|| unlimited_retries(self.place(&[]), restarted, " or a wait"))?;
        Some(finding.help("write `limit`: the number of retries that may succeed"))
    }

    /// Returns the finding that the first wait ends after `maxDuration`.
    fn max_duration(&self) -> Option<Diagnostic> {
        let backoff = self.strategy.backoff.filter(|_| self.strategy.can_retry())?;
        let (most, first) = (backoff.max_duration?, backoff.wait(1));
        if first <= most {
            return None;
        }
        let message = format!(
            "nothing is retried: the first wait, {first}, would end after maxDuration, {most} from the start of the first \
             attempt"
        );
        let place = self.place(&["backoff", "maxDuration"]);
        let finding = Diagnostic::warning(Code::ZeroLimit, place, message);
        Some(finding.help("raise `maxDuration` above the length of the attempts and the waits"))
    }

    /// Returns the finding that the policy does not retry attempts that were disrupted.
    fn disruptions(&self) -> Option<Diagnostic> {
        let policy = self.strategy.policy();
        if !matches!(policy, RetryPolicyName::OnFailure | RetryPolicyName::OnError) {
            return None;
        }
        let is_excluded = |(outcome, message, _): &(AttemptOutcome, &str, &str)| {
            matches!(first_decision(self.strategy, *outcome, message).verdict, Verdict::Policy(_))
        };
        let (outcome, _, what) = DISRUPTIONS.into_iter().find(is_excluded)?;
        if !self.strategy.can_retry() {
            return None;
        }
        let default = if self.strategy.retry_policy.is_none() { ", the default," } else { "" };
        let message = format!(
            "`retryPolicy` {}{default} does not retry {what}: its phase is {}",
            policy.as_str(),
            outcome.as_str()
        );
        let place = self.place(&["retryPolicy"]);
        let help = "write `retryPolicy: Always`, and an `expression` for failures that are final";
        Some(Diagnostic::warning(Code::ChargedDisruptions, place, message).help(help))
    }

    fn worst_case(&self, bounds: &Bounds) -> Option<Diagnostic> {
        let worst = worst_case(self.strategy)?;
        let place = self.place(&["limit"]);
        let subject = format!("a node of `{}`", self.policy);
        let by_wait = Some((self.place(&["backoff"]), "the waits".to_owned()));
        let causes = [None, by_wait, None];
        let is_conditional = self.strategy.expression.is_some();
        let assumption = if is_conditional { ", if the expression is true each time" } else { "" };
        worst.finding(bounds, (place, &subject), causes, assumption)
    }

    /// Returns the warnings about a backoff.
    fn backoff(&self) -> Findings {
        let mut findings = Findings::new();
        let Some(Backoff { duration, factor, cap, .. }) = self.strategy.backoff else {
            return findings;
        };
        let mut warn = |path: &[&str], message: String, help: &str| {
            findings
                .push(Diagnostic::warning(Code::Misleading, self.place(path), message).help(help));
        };
        if self.strategy.limit.is_none() && duration > GoDuration::ZERO {
            let message = "`backoff`: without `limit` Argo does not wait, and retries at once";
            warn(&["backoff"], message.to_owned(), "add `limit`");
        }
        if let Some(cap) = cap.filter(|cap| *cap < duration) {
            let message = format!(
                "`cap`: it is {cap}, less than `duration`, {duration}: every wait is {cap}"
            );
            warn(&["backoff", "cap"], message, "write a cap that is not below the first wait");
        }
        if let Some(factor) = factor.filter(|factor| *factor < 0) {
            let message = format!("`factor`: {factor} is below 0, which Argo takes for no growth");
            warn(&["backoff", "factor"], message, "write 2, or leave it out");
        }
        findings
    }
}

/// Returns the decision about a first attempt that ends at once.
fn first_decision(strategy: &RetryStrategy, outcome: AttemptOutcome, message: &str) -> Decision {
    let attempt = Attempt {
        outcome,
        exit_code: None,
        message: Some(message),
        transient: None,
        started: None,
        ended: None,
    };
    decide(Some(strategy), Chain { attempts: 1, ..Chain::default() }, &attempt)
}

/// Returns the most attempts and the longest waits of a node whose attempts take no time; `None` without a limit.
pub(super) fn worst_case(strategy: &RetryStrategy) -> Option<WorstCase> {
    // A limit below 0 grants nothing.
    let limit = u32::try_from(strategy.limit?).unwrap_or(0);
    let (mut wait, mut retries) = (0.0, limit);
    if let Some(backoff) = strategy.backoff {
        let most = backoff.max_duration.map_or(f64::INFINITY, GoDuration::as_secs_f64);
        let summed = limit.min(MAX_SUMMED);
        let waits = (1..=summed).map(|attempts| backoff.wait(attempts).as_secs_f64());
        let mut count = 0;
        for own in waits {
            // Argo refuses a wait that would end after `maxDuration`.
            if wait + own > most {
                retries = count;
                break;
            }
            (wait, count) = (wait + own, count + 1);
        }
        if retries > summed {
            // The waits have stopped growing by then, or are beyond any bound.
            let last = backoff.wait(summed).as_secs_f64();
            let rest = f64::from(retries - summed);
            let fitting = if last > 0.0 { ((most - wait) / last).floor().min(rest) } else { rest };
            wait += fitting * last;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is at most `rest`"
            )]
            let fitting = fitting as u32;
            retries = summed + fitting;
        }
    }
    Some(WorstCase { attempts: u64::from(retries) + 1, wait, memory_factor: 1.0 })
}
