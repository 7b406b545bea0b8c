//! The attempts that represent all attempts for a comparison of two workflows, and how a strategy treats one.
//!
//! Templates are compared by name. Attempts differ by their phase, the exit code, which is cut at all constants of both
//! expressions, and the message, by the patterns that it matches. Their length is that of the replayed histories.

use super::engine::decision::{Attempt, Chain, check_expression, is_retried};
use super::engine::transient::PARTS;
use super::engine::{ArgoEngine, RetryUnit, attempt};
use super::expression::{Atoms, Variable};
use super::manifest::{Backoff, RetryPolicyName, RetryStrategy, TemplateStrategy};
use super::record::{AttemptFields, AttemptOutcome};
use crate::compare::Treatment;
use document::pattern::{Difference, Pattern, separating_text};
use document::units::{GoDuration, Time};
use replay::history::Run;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The most attempts of a template that are compared: more take seconds.
const MAX_ATTEMPTS: usize = 10_000;

/// The most sets of patterns that a message may match.
const MAX_MESSAGES: usize = 200;

/// Attempts after which no wait grows: the longest is of 63 bits.
const LAST_GROWTH: i64 = 65;

/// Returns the templates that both versions have, with their strategies, where one has a strategy.
fn shared(versions: [&ArgoEngine; 2]) -> impl Iterator<Item = (&str, [Option<&RetryStrategy>; 2])> {
    let [old, new] = versions.map(templates);
    old.iter().filter_map(|template| {
        let name = template.template.as_str();
        let other = new.iter().find(|other| other.template == name)?;
        let strategies = [&template.strategy, &other.strategy].map(Option::as_ref);
        strategies.iter().any(Option::is_some).then_some((name, strategies))
    })
}

fn templates(engine: &ArgoEngine) -> &[TemplateStrategy] {
    engine.manifests.first().map(|manifest| manifest.templates.as_slice()).unwrap_or_default()
}

/// Returns attempts for each way in which the strategies of a template distinguish them.
///
/// # Errors
///
/// If they are too many, or the patterns of messages are too large.
pub(super) fn representatives(versions: [&ArgoEngine; 2]) -> Result<Vec<Value>, String> {
    let mut all = Vec::new();
    for (template, strategies) in shared(versions) {
        let mut atoms = Atoms::default();
        let strategies = || strategies.into_iter().flatten();
        strategies()
            .filter_map(|it| it.expression.as_ref())
            .for_each(|it| it.add_atoms(&mut atoms));
        let is_transient = strategies().any(|it| it.policy() == RetryPolicyName::OnTransientError);
        // The sign that a failure is transient is read under one policy only.
        let signs: &[Option<bool>] =
            if is_transient { &[None, Some(true), Some(false)] } else { &[None] };
        if is_transient {
            atoms.messages.extend(transient_pattern());
        }
        let (codes, messages) = (exit_codes(&atoms, strategies()), messages(&atoms.messages)?);
        if codes.len() * messages.len() * signs.len() * 2 > MAX_ATTEMPTS {
            return Err(format!(
                "the expressions of template `{template}` distinguish more than {MAX_ATTEMPTS} attempts"
            ));
        }
        for outcome in [AttemptOutcome::Failed, AttemptOutcome::Error] {
            for message in &messages {
                for code in &codes {
                    let with =
                        |sign: &Option<bool>| record(template, outcome, *code, message, *sign);
                    all.extend(signs.iter().map(with));
                }
            }
        }
    }
    Ok(all)
}

fn record(
    template: &str,
    outcome: AttemptOutcome,
    code: Option<i32>,
    message: &str,
    transient: Option<bool>,
) -> Value {
    let mut fields = Map::new();
    fields.insert("template".to_owned(), json!(template));
    fields.insert("outcome".to_owned(), json!(outcome.as_str()));
    fields.extend(code.map(|code| ("exitCode".to_owned(), json!(code))));
    if !message.is_empty() {
        fields.insert("message".to_owned(), json!(message));
    }
    fields.extend(transient.map(|sign| ("transient".to_owned(), json!(sign))));
    Value::Object(fields)
}

/// Returns the pattern of messages of transient errors.
fn transient_pattern() -> Option<Pattern> {
    Pattern::parse(&PARTS.map(regex_syntax::escape).join("|")).ok()
}

/// Returns the exit codes of each constant and between two of them, and none. Where texts of numbers are compared, all of Linux too.
fn exit_codes<'s>(
    atoms: &Atoms,
    strategies: impl Iterator<Item = &'s RetryStrategy>,
) -> Vec<Option<i32>> {
    let mut expressions = strategies.filter_map(|it| it.expression.as_ref());
    if !expressions.any(|it| it.reads(Variable::ExitCode)) {
        return vec![None];
    }
    // One between each two constants is above the lower one; the least is below all.
    let constants = atoms.exit_codes.iter();
    let cuts = constants.flat_map(|code| [*code, code.saturating_add(1)]);
    let mut codes: BTreeSet<i32> = cuts.filter_map(|code| code.try_into().ok()).collect();
    // One of each usual kind: a failure, and codes beyond all constants.
    codes.extend([1, i32::MIN, i32::MAX]);
    if atoms.unknown.is_some() {
        // Exit codes of Linux; the order of numbers as texts has no few cuts.
        codes.extend(0..=255);
    }
    // Usual codes come first, since the first example that differs is shown.
    let (negative, usual): (Vec<i32>, Vec<i32>) = codes.into_iter().partition(|code| *code < 1);
    usual.into_iter().map(Some).chain([None]).chain(negative.into_iter().map(Some)).collect()
}

/// Returns an empty message, and one for each set of the patterns that messages match.
fn messages(patterns: &[Pattern]) -> Result<Vec<String>, String> {
    let mut cells: Vec<(Vec<&Pattern>, Vec<&Pattern>, String)> =
        vec![(Vec::new(), Vec::new(), String::new())];
    for (place, pattern) in patterns.iter().enumerate() {
        if patterns[..place].contains(pattern) {
            continue;
        }
        let mut split = Vec::new();
        for (wanted, others, _) in cells {
            let with: Vec<&Pattern> = wanted.iter().copied().chain([pattern]).collect();
            let without: Vec<&Pattern> = others.iter().copied().chain([pattern]).collect();
            for (wanted, others) in [(wanted, without), (with, others)] {
                match separating_text(&wanted, &others) {
                    Difference::Text(text) => split.push((wanted, others, text)),
                    Difference::Empty => {}
                    Difference::Unknown => {
                        return Err(
                            "the patterns of messages are too large to be compared".to_owned()
                        );
                    }
                }
            }
        }
        if split.len() > MAX_MESSAGES {
            return Err(format!("messages match more than {MAX_MESSAGES} sets of patterns"));
        }
        cells = split;
    }
    let texts: BTreeSet<String> = cells.into_iter().map(|(.., text)| text).collect();
    let mut texts: Vec<String> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    // The shortest message of a set is the easiest to read.
    texts.sort_by_key(String::len);
    Ok([String::new()].into_iter().chain(texts).collect())
}

/// Returns how the strategy of its template treats an attempt: the numbers of earlier attempts from which on its expression is
/// true, or no longer.
pub(super) fn treatment(engine: &ArgoEngine, run: &Run<AttemptFields>) -> Treatment {
    let place = engine.template_of("", &run.own);
    let rule = place.and_then(|place| engine.rule_number(place));
    let strategy = place
        .and_then(|(workflow, template)| engine.manifests.get(workflow)?.templates.get(template))
        .and_then(|template| template.strategy.as_ref());
    let attempt = attempt(run);
    let is_retried =
        |strategy: &&RetryStrategy| is_retried(strategy.policy(), &attempt, &mut false);
    let action = match strategy.filter(is_retried) {
        Some(strategy) => match retried_from(strategy, &attempt).as_slice() {
            [(0, true)] => "retried".to_owned(),
            [(0, false)] => "final".to_owned(),
            parts => format!("retried {parts:?}"),
        },
        None => "final".to_owned(),
    };
    Treatment { rule, action, is_counted: true }
}

/// Returns the retries from which on an attempt is retried, or no longer.
fn retried_from(strategy: &RetryStrategy, attempt: &Attempt<'_>) -> Vec<(u32, bool)> {
    let constants = atoms(strategy).retries;
    let cuts = constants.iter().flat_map(|number| [*number, number.saturating_add(1)]);
    let cuts: BTreeSet<u32> = cuts.filter_map(|number| number.try_into().ok()).chain([0]).collect();
    let mut parts: Vec<(u32, bool)> = Vec::new();
    for retries in cuts {
        let chain = Chain { attempts: retries.saturating_add(1), ..Chain::default() };
        let is_retried = check_expression(strategy, chain, attempt, &mut false).retries();
        if parts.last().is_none_or(|(_, last)| *last != is_retried) {
            parts.push((retries, is_retried));
        }
    }
    parts
}

fn atoms(strategy: &RetryStrategy) -> Atoms {
    let mut atoms = Atoms::default();
    strategy.expression.iter().for_each(|it| it.add_atoms(&mut atoms));
    atoms
}

/// Returns the limits and waits of all strategies, and the expressions that attempts do not represent.
pub(super) fn parameters(engine: &ArgoEngine) -> Value {
    let strategies = templates(engine).iter().filter_map(|template| {
        let strategy = template.strategy.as_ref()?;
        Some(json!([template.template, strategy_parameters(strategy)]))
    });
    strategies.collect()
}

fn strategy_parameters(strategy: &RetryStrategy) -> Value {
    let expression = strategy.expression.as_ref().filter(|_| atoms(strategy).unknown.is_some());
    let backoff = strategy.backoff.as_ref().map(|backoff| {
        let Backoff { duration, factor, cap, max_duration } = backoff;
        let nanos = |duration: &Option<GoDuration>| duration.map(GoDuration::as_nanos);
        // A factor of 0 or below has no effect on the wait (`backoff.rs`).
        json!([duration.as_nanos(), factor.filter(|it| *it > 0), nanos(cap), nanos(max_duration)])
    });
    json!({
        // Argo compares the number of retries, which is never below 0.
        "limit": strategy.limit.map(|limit| limit.max(0)),
        "backoff": backoff,
        "avoids_nodes": strategy.avoids_nodes,
        "expression": expression.map(super::Expression::as_str),
    })
}

/// Returns the number of the attempts so far, up to that from which on it is the same, and the time since the first began.
pub(super) fn progress(engine: &ArgoEngine, unit: &RetryUnit, time: Time) -> Vec<u64> {
    let Some(strategy) = engine.strategy(unit) else { return Vec::new() };
    let constants = atoms(strategy).retries.into_iter().max();
    let limit = strategy.limit.map(i64::from).unwrap_or_default();
    // Two more: the attempt that the limit or a constant counts last, and the first that is beyond.
    let last = LAST_GROWTH.max(limit).max(constants.unwrap_or_default()).saturating_add(2);
    let attempts = u64::from(unit.chain.attempts).min(last.unsigned_abs());
    let most = strategy.backoff.as_ref().and_then(|backoff| backoff.max_duration);
    let passed = most.zip(unit.chain.first_start).map_or(0, |(most, start)| {
        // One more, so that times within and beyond the bound differ.
        let most = most.as_nanos().saturating_add(1);
        time.since(start).as_nanos().min(most).unsigned_abs().saturating_add(1)
    });
    vec![attempts, passed]
}

/// Returns why nodes may be decided otherwise although no sequence of the attempts that were compared is.
pub(super) fn undecided(versions: [&ArgoEngine; 2]) -> Option<String> {
    for engines in [versions, [versions[1], versions[0]]] {
        let [own, other] = engines.map(templates);
        let mut own = own.iter().filter(|template| template.strategy.is_some());
        let is_absent = |template: &&TemplateStrategy| {
            other.iter().all(|other| other.template != template.template)
        };
        if let Some(template) = own.find(is_absent) {
            return Some(format!("template `{}`, which is in one version only", template.template));
        }
    }
    shared(versions).find_map(|(template, strategies)| {
        let [old, new] = strategies.map(|it| it.map(strategy_parameters));
        let texts = strategies.map(|it| it?.expression.as_ref().map(super::Expression::as_str));
        if old == new && texts[0] == texts[1] {
            return None;
        }
        let both = || strategies.into_iter().flatten();
        let reason = if both().any(|it| it.backoff.is_some_and(|it| it.max_duration.is_some())) {
            "attempts of other lengths, which `maxDuration` counts"
        } else if let Some(unknown) = both().find_map(|it| atoms(it).unknown) {
            return Some(format!("template `{template}`: its `expression` compares {unknown}"));
        } else if both().any(|it| it.avoids_nodes) && !both().all(|it| it.avoids_nodes) {
            "the nodes that retries avoid by `affinity`"
        } else {
            return None;
        };
        Some(format!("template `{template}`: {reason}"))
    })
}
