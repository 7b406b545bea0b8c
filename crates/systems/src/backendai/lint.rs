//! Findings about a profile that is valid, and probably not what its author intended.

use super::engine::session_id::{DEFAULT_CREATION_ID_LENGTH, first_overflow};
use super::manifest::cause::Cause;
use super::manifest::{BackoffStrategy, LAYERS, Profile, RetryPolicy, effective_entry, layer_node};
use super::validate::warnings::add_warnings;
use crate::lint::{
    Bounds, Budget, WorstCase, report_duplicates, retries_text, same_memory, short_budget,
};
use document::diag::{Diagnostic, Findings, Place};
use document::{Document, FieldValue, Node};

/// Limit of retries whose waits are summed; more are far beyond any bound.
const MAX_SUMMED: u32 = 10_000;

/// Returns the findings about a profile.
pub(super) fn lint(document: &Document, profile: &Profile, bounds: &Bounds) -> Findings {
    let mut findings = Findings::new();
    for layer in LAYERS.into_iter().filter_map(|name| layer_node(&document.root, name)) {
        let cause = |item: &Node| Cause::from_node(item).map(|cause| cause.as_str().to_owned());
        report_duplicates(document, layer.entry("eligible_causes"), cause, &mut findings);
    }
    findings.extend(same_memory_of(document, profile));
    findings.extend(beyond_bounds(document, profile, bounds));
    findings.extend(short_retry_budget(document, profile, bounds));
    findings
}

/// Returns the information that OOM kills are retried with the same resources, if the profile lists them.
fn same_memory_of(document: &Document, profile: &Profile) -> Option<Diagnostic> {
    let is_retried =
        profile.policy.max_retries > 0 && profile.policy.eligible_causes.admit(Cause::OomKilled);
    let (_, list) = effective_entry(&document.root, "eligible_causes").filter(|_| is_retried)?;
    let mut items = list.value.items().iter();
    let item = items.find(|item| Cause::from_node(item) == Some(Cause::OomKilled))?;
    let remedy = "leave out `oom_killed`: the session that follows has the resources of the first";
    Some(same_memory(document.place(item.span), "`oom_killed` is retried", remedy))
}

/// Returns the place of `max_retries`, or of the name if no layer sets it.
fn limit_place(document: &Document) -> Place {
    let name = document.root.at(&["metadata", "name"]).unwrap_or(&document.root);
    let entry = effective_entry(&document.root, "max_retries");
    document.place(entry.map_or(name.span, |(_, entry)| entry.key_span))
}

/// Returns the shortest and the longest delay before a retry, by its number from 1, in seconds.
fn wait_range(profile: &Profile, number: u32) -> (f64, f64) {
    let range = profile.policy.delay_range(profile.interpretation.cap, number.saturating_sub(1));
    (range.least, range.most)
}

/// Returns the most attempts of a session, and the longest waits between them.
pub(super) fn worst_case(profile: &Profile) -> WorstCase {
    let retries = if profile.policy.can_retry() { profile.policy.max_retries } else { 0 };
    WorstCase {
        attempts: u64::from(retries) + 1,
        wait: (1..=retries.min(MAX_SUMMED)).map(|number| wait_range(profile, number).1).sum(),
        memory_factor: 1.0,
    }
}

fn beyond_bounds(document: &Document, profile: &Profile, bounds: &Bounds) -> Option<Diagnostic> {
    let subject = format!("a session under `{}`", profile.name);
    let worst = worst_case(profile);
    worst.finding(bounds, (limit_place(document), &subject), [None, None, None], "")
}

/// Returns the information that the retries are used up before the outage of an agent ends.
fn short_retry_budget(
    document: &Document,
    profile: &Profile,
    bounds: &Bounds,
) -> Option<Diagnostic> {
    let policy = &profile.policy;
    if !policy.eligible_causes.admit(Cause::AgentTransient) {
        return None;
    }
    let wait = |number: u32| wait_range(profile, number);
    let budget = Budget {
        retries: u64::from(policy.max_retries),
        wait: &wait,
        scope: " of a session after `agent_transient`",
        assumption: "",
        remedy: &longer_delay(document, profile, bounds.outage.as_secs_f64()),
        // More retries have creation ids that are too long for their column.
        limit: &|retries| {
            let overflow = first_overflow(DEFAULT_CREATION_ID_LENGTH, retries);
            retries_text(retries).filter(|_| overflow.is_none())
        },
    };
    short_budget(limit_place(document), &budget, bounds)
}

/// Returns the delay with which the retries last some time, as a remedy. Where the cap is below it, the cap is part of the
/// remedy.
fn longer_delay(document: &Document, profile: &Profile, time: f64) -> String {
    let policy = &profile.policy;
    let growth: f64 = match policy.backoff {
        BackoffStrategy::Fixed => f64::from(policy.max_retries),
        BackoffStrategy::Exponential => (0..policy.max_retries.min(MAX_SUMMED))
            .map(|count| policy.backoff_multiplier.powf(f64::from(count)))
            .sum(),
    };
    // Whole seconds are what a person writes.
    let retry_delay = (time / growth).ceil();
    let longer = RetryPolicy { retry_delay, ..*policy };
    let last = policy.max_retries.saturating_sub(1);
    // Twice the longest wait: jitter adds at most as much again.
    let cap = (2.0 * retry_delay.max(uncapped_base(&longer, last))).ceil();
    let higher = RetryPolicy { max_retry_delay: Some(cap), ..longer };
    let warnings = |policy: RetryPolicy| {
        let mut findings = Findings::new();
        add_warnings(document, &Profile { policy, ..profile.clone() }, &mut findings);
        findings.iter().count()
    };
    // A remedy must not bring new warnings.
    let is_sound = |changed: RetryPolicy| {
        let changed_profile = Profile { policy: changed, ..profile.clone() };
        let waits = (1..=policy.max_retries).map(|number| wait_range(&changed_profile, number).0);
        waits.sum::<f64>() >= time && warnings(changed) <= warnings(*policy)
    };
    if is_sound(longer) {
        format!("write `retry_delay: {retry_delay}`")
    } else if is_sound(higher) {
        format!("write `retry_delay: {retry_delay}` and `max_retry_delay: {cap}`")
    } else {
        "raise `retry_delay` and `max_retry_delay`".to_owned()
    }
}

/// Returns the delay of an exponential backoff without its limit.
fn uncapped_base(policy: &RetryPolicy, retry_count: u32) -> f64 {
    RetryPolicy { max_retry_delay: Some(f64::INFINITY), ..*policy }.base(retry_count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backendai::engine::{Chain, Failure};
    use crate::backendai::manifest::cause::Causes;
    use crate::backendai::manifest::interpretation::Interpretation;
    use crate::backendai::{BackendAiEngine, Draw, JitterMode, SessionId};
    use crate::{ManifestSystem, Options};
    use document::diag::{Code, Source};
    use document::{Limits, apply_fixes, parse};
    use proptest::option::of;
    use proptest::prelude::*;
    use proptest::sample::{select, subsequence};
    use serde_json::{Value, json};

    fn profiles() -> impl Strategy<Value = Profile> {
        let causes = subsequence(Cause::ALL.to_vec(), 0..=Cause::ALL.len());
        let modes = (select(BackoffStrategy::ALL.to_vec()), select(JitterMode::ALL.to_vec()));
        let delays = (1.0..400.0_f64, 0.5..3.0_f64, of(1.0..4000.0_f64), 0.0..=1.0_f64);
        (0..9_u32, causes, modes, delays).prop_map(
            |(max_retries, causes, (backoff, jitter), (delay, multiplier, limit, ratio))| Profile {
                name: "p".to_owned(),
                policy: RetryPolicy {
                    max_retries,
                    retry_delay: delay,
                    backoff,
                    backoff_multiplier: multiplier,
                    max_retry_delay: limit,
                    jitter,
                    jitter_ratio: ratio,
                    eligible_causes: causes.into_iter().collect::<Causes>(),
                    ..RetryPolicy::default()
                },
                interpretation: Interpretation::default(),
            },
        )
    }

    /// The attempts and the waits of a chain whose sessions all fail by one cause, by the engine.
    fn replay(profile: &Profile, cause: Cause, bits: u64) -> (u64, f64) {
        let (mut chain, mut attempts, mut waits) = (Chain::default(), 0_u64, 0.0);
        loop {
            attempts += 1;
            let id = SessionId::Uuid(u128::from(bits) + u128::from(attempts));
            let failure =
                Failure { id: &id, has_own_id: true, retry_count: None, cause, batch: true };
            let draw = Draw::from_bits(bits);
            let decision = chain.decide(&profile.policy, profile.interpretation, &failure, draw);
            match decision.verdict.retry() {
                Some(retry) => waits += retry.delay.seconds,
                None => return (attempts, waits),
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        /// The attempts are the most over all causes; the waits are between the shortest and the longest sum, and equal
        /// without jitter.
        #[test]
        fn costs_are_those_of_the_engine(profile in profiles(), bits: u64) {
            let worst = worst_case(&profile);
            let runs = Cause::ALL.map(|cause| replay(&profile, cause, bits));
            prop_assert_eq!(worst.attempts, runs.iter().map(|run| run.0).max().unwrap());
            let longest = runs.iter().map(|run| run.1).fold(0.0, f64::max);
            let retries = u32::try_from(worst.attempts - 1).unwrap();
            let shortest: f64 = (1..=retries).map(|number| wait_range(&profile, number).0).sum();
            let error = 1e-6 * worst.wait;
            prop_assert!(shortest - error <= longest && longest <= worst.wait + error);
            if profile.policy.jitter == JitterMode::None {
                prop_assert!((longest - worst.wait).abs() <= error);
            }
        }

        /// RP130: the chain of sessions of one agent after the other ends before an outage does. The remedy has no other
        /// finding.
        #[test]
        fn remedies_of_short_budgets_are_admitted(layer in layers()) {
            let (text, findings, profile) = linted(&layer.to_string());
            let least = (1..=profile.policy.max_retries).map(|number| wait_range(&profile, number).1);
            let is_retried = profile.policy.eligible_causes.admit(Cause::AgentTransient);
            let retries = if is_retried { profile.policy.max_retries } else { 0 };
            let is_short = (1..50).contains(&retries) && least.sum::<f64>() < 300.0;
            let found = findings.iter().find(|it| it.code == Code::ShortBudget);
            prop_assert_eq!(found.is_some(), is_short, "{}", &text);
            for finding in findings.iter().filter_map(|it| it.fix.as_ref()) {
                let (_, after, _) = linted_text(&apply_fixes(&text, [finding]).text);
                let is_fewer = count(&after, Code::DuplicateValue) < count(&findings, Code::DuplicateValue);
                prop_assert!(is_fewer, "{}", &text);
            }
            let Some(help) = found.and_then(|it| it.help.as_deref()) else { return Ok(()) };
            let mut remedies = Vec::new();
            if let Some((number, _)) = help.split_once(" retries would last") {
                remedies.push(json!({"max_retries": number.parse::<u32>().unwrap()}));
            }
            let value = |field: &str| {
                let (_, rest) = help.split_once(&format!("`{field}: "))?;
                rest.split_once('`')?.0.parse::<f64>().ok()
            };
            prop_assert!(value("retry_delay").is_some() || profile.policy.max_retries > 9, "{}: {}", help, &text);
            if let Some(delay) = value("retry_delay") {
                let mut remedy = json!({"retry_delay": delay});
                if let Some(limit) = value("max_retry_delay") {
                    remedy["max_retry_delay"] = json!(limit);
                }
                remedies.push(remedy);
            }
            for remedy in remedies {
                let mut changed = layer.clone();
                for (field, value) in remedy.as_object().unwrap() {
                    changed[field] = value.clone();
                }
                let (text, after, _) = linted(&changed.to_string());
                prop_assert_eq!(count(&after, Code::ShortBudget), 0, "{}: {}", help, &text);
                for code in [Code::Misleading, Code::WorstCase] {
                    let is_more = count(&after, code) > count(&findings, code);
                    prop_assert!(!is_more, "{}: {}: {}", code.id(), help, &text);
                }
            }
        }
    }

    /// Layers with a retry.
    fn layers() -> impl Strategy<Value = Value> {
        let modes = (
            of(select(vec!["fixed", "exponential"])),
            of(select(vec!["none", "deterministic", "random"])),
        );
        let delays = (
            of(select(vec![1, 10, 60, 200])),
            of(select(vec![0.5, 1.0, 1.5, 2.0])),
            of(select(vec![1, 30, 60, 250, 3600])),
            of(select(vec![0.0, 0.25, 1.0])),
        );
        let causes = of(proptest::collection::vec(
            select(vec!["agent_transient", "oom_killed", "image_pull_failure"]),
            1..3,
        ));
        (1..10_u32, modes, delays, causes).prop_map(
            |(retries, (backoff, jitter), (delay, multiplier, limit, ratio), causes)| {
                let mut layer = json!({"max_retries": retries});
                let mut set = |field: &str, value: Option<Value>| {
                    if let Some(value) = value {
                        layer[field] = value;
                    }
                };
                set("backoff", backoff.map(Value::from));
                set("jitter", jitter.map(Value::from));
                set("retry_delay", delay.map(Value::from));
                set("backoff_multiplier", multiplier.map(Value::from));
                set("max_retry_delay", limit.map(Value::from));
                set("jitter_ratio", ratio.map(Value::from));
                set("eligible_causes", causes.map(Value::from));
                layer
            },
        )
    }

    fn linted(layer: &str) -> (String, Findings, Profile) {
        linted_text(&format!(
            "apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {{name: p}}\nspec: {{system: backendai, layers: \
             {{session: {layer}}}}}\n"
        ))
    }

    /// The findings about a valid profile, those on reading included.
    fn linted_text(text: &str) -> (String, Findings, Profile) {
        let (documents, mut findings) = parse(&Source::new("p.yaml", text), Limits::POLICY);
        let profile = BackendAiEngine::read(&documents[0], &Options::default(), &mut findings);
        let profile = profile.unwrap_or_else(|| panic!("{text}"));
        findings.extend(lint(&documents[0], &profile, &Bounds::default()));
        (text.to_owned(), findings, profile)
    }

    fn count(findings: &Findings, code: Code) -> usize {
        findings.iter().filter(|it| it.code == code).count()
    }
}
