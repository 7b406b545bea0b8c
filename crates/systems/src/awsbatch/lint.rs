//! Findings about a retry strategy that is valid, and probably not what its author intended.

use super::cells::Cells;
use super::manifest::shape::entries;
use super::manifest::{EvaluateOnExit, JobDefinition, RetryAction, RetryStrategy};
use super::report::{ATTEMPTS, HOST_TERMINATED};
use crate::lint::{Bounds, WorstCase, report_shadowed};
use document::Document;
use document::diag::{Code, Diagnostic, Findings, Place};

/// Returns the findings about a definition.
pub(super) fn lint(document: &Document, definition: &JobDefinition, bounds: &Bounds) -> Findings {
    let strategy = &definition.strategy;
    let cells = Cells::of(strategy);
    let nodes = entries(&document.root);
    let mut findings = Findings::new();
    report_shadowed(document, nodes, |number| cells.covered(strategy, number), &mut findings);
    findings.extend(never_granted(document, strategy));
    findings.extend(beyond_bounds(document, definition, bounds));
    if strategy.attempts == 1 {
        // All failures end the job, so that no entry changes anything.
        return findings;
    }
    for (number, (entry, node)) in strategy.evaluate_on_exit.iter().zip(nodes).enumerate() {
        let place = || document.place(node.span);
        if cells.is_redundant(strategy, number) {
            findings.push(redundant(entry.action, number, place()));
        }
        findings.extend(charged_disruption(strategy, number, place()));
    }
    findings.extend(retry_by_default(document, strategy, &cells));
    findings
}

/// The finding that a single attempt leaves the entries that retry without effect.
fn never_granted(document: &Document, strategy: &RetryStrategy) -> Option<Diagnostic> {
    let retry = strategy.evaluate_on_exit.iter().position(|it| it.action == RetryAction::Retry)?;
    if strategy.attempts > 1 {
        return None;
    }
    let attempts = document.root.at(&["retryStrategy", ATTEMPTS])?;
    let message = "`attempts` is 1: the first attempt is the last, and no RETRY is granted";
    let finding = Diagnostic::warning(Code::ZeroLimit, document.place(attempts.span), message);
    let entry = entries(&document.root).get(retry)?;
    Some(
        finding
            .also(document.place(entry.span), "never granted")
            .help("write the attempts in all: one more than the retries"),
    )
}

/// Returns the most attempts of a job. There is no wait, and memory stays the same.
pub(super) fn worst_case(definition: &JobDefinition) -> WorstCase {
    let strategy = &definition.strategy;
    let attempts = if strategy.can_retry() { u64::from(strategy.attempts) } else { 1 };
    WorstCase { attempts, wait: 0.0, memory_factor: 1.0 }
}

/// The finding that a job has more attempts than the bounds allow.
fn beyond_bounds(
    document: &Document,
    definition: &JobDefinition,
    bounds: &Bounds,
) -> Option<Diagnostic> {
    let place = document.place(document.root.at(&["retryStrategy", ATTEMPTS])?.span);
    let subject = format!("a job under `{}`", definition.name);
    worst_case(definition).finding(bounds, (place, &subject), [None, None, None], "")
}

fn redundant(action: RetryAction, number: usize, place: Place) -> Diagnostic {
    let message = match action {
        RetryAction::Retry => format!(
            "rule {number} changes no action: without it its failures would be retried as well"
        ),
        RetryAction::Exit => {
            format!("rule {number} changes no action: without it its failures would exit as well")
        }
    };
    let help = match action {
        RetryAction::Retry => "leave it out: a failure without a match is retried",
        RetryAction::Exit => "leave it out: a later entry exits for them",
    };
    Diagnostic::info(Code::RedundantRule, place, message).help(help)
}

/// The finding that an entry on exit codes ends jobs whose host was terminated.
fn charged_disruption(strategy: &RetryStrategy, number: usize, place: Place) -> Option<Diagnostic> {
    let entry = strategy.evaluate_on_exit.get(number)?;
    if entry.action != RetryAction::Exit || entry.on_exit_code.is_none() {
        return None;
    }
    // 128 + SIGKILL and 128 + SIGTERM: with these a container ends whose host stops.
    let code = ["137", "143"]
        .into_iter()
        // An attempt without a reason, as only the status tells that the host was terminated.
        .find(|code| strategy.first_match([RECLAIMED, "", code]) == Some(number))?;
    let takes_hosts = |entry: &EvaluateOnExit| {
        entry.action == RetryAction::Retry
            && entry.on_status_reason.as_ref().is_some_and(|pattern| pattern.matches(RECLAIMED))
    };
    let later = strategy.evaluate_on_exit.iter().skip(number + 1).position(takes_hosts);
    let message = format!(
        "`EXIT` also for attempts whose host was terminated, as by a Spot reclaim: their containers end with {code}"
    );
    let help = match later {
        Some(later) => format!("move rule {} before it", number + 1 + later),
        None => format!(
            "put an entry before it: `{{onStatusReason: \"{HOST_TERMINATED}*\", action: RETRY}}`"
        ),
    };
    Some(Diagnostic::warning(Code::ChargedDisruptions, place, message).help(help))
}

/// The status reason of an attempt whose instance was terminated.
const RECLAIMED: &str = "Host EC2 (instance i-0123456789abcdef0) terminated.";

/// The finding that failures which no entry matches are retried.
fn retry_by_default(
    document: &Document,
    strategy: &RetryStrategy,
    cells: &Cells,
) -> Option<Diagnostic> {
    let entry = document.root.at(&["retryStrategy"])?.entry("evaluateOnExit")?;
    if strategy.evaluate_on_exit.is_empty() || !cells.has_unmatched(strategy) {
        return None;
    }
    let message = format!(
        "a failure that no entry matches is retried: such a job is attempted {} times",
        strategy.attempts
    );
    let help =
        "add a last entry `{onReason: \"*\", action: EXIT}` if only the listed failures pass";
    let place = document.place(entry.key_span);
    Some(Diagnostic::info(Code::RetryByDefault, place, message).help(help))
}
