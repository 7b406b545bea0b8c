//! A failure in another system, decided and explained.

use super::decision::{DecisionArgs, refuse_pair};
use super::values;
use crate::cli::{Context, Refusal};
use crate::project::{self, Manifests, Project};
use crate::report::{DecisionExplanation, RemainingBudget, TraceItem};
use ::systems::{self as domain, ManifestSystem};
use anyhow::Result;
use replay::history::{Member, OnBadRecord, Table, UnreadWords, record_of_pairs};
use replay::simulate::read_history;

/// The name of a unit whose manifest has none.
const UNNAMED: &str = "unnamed";

/// Decides about the failure that the arguments describe.
pub(super) fn explain<S: ManifestSystem>(
    context: &mut Context<'_>,
    args: &DecisionArgs,
    project: Project,
) -> Result<DecisionExplanation> {
    args.policies.refuse_for(S::DESCRIPTION.manifest)?;
    args.systems.refuse_for::<S>(&project.findings)?;
    refuse_flags(args, S::DESCRIPTION.manifest)?;
    let Project { documents, mut findings, .. } = project;
    let manifests = Manifests::<S>::read(&documents, &args.systems.options()?, &mut findings);
    project::refuse_errors(context.ui, findings)?;
    project::note_ignored_documents(context.ui, &documents.unread)?;
    manifests.refuse_none()?;
    let Some(unit) = manifests.only() else {
        let message = format!("the files contain several {}s", S::DESCRIPTION.kind());
        return Err(Refusal::usage(message).help("give only the one that applies").into());
    };
    let unit = if unit.name.is_empty() { UNNAMED } else { unit.name };
    let engine = manifests.engine();
    let (member, words) = member(context, &engine, unit, args)?;
    if let Some(unsupported_record) = engine.unsupported_record(std::slice::from_ref(&member)) {
        return Err(Refusal::input(unsupported_record.message)
            .help(unsupported_record.help)
            .into());
    }
    let Some((decision, tried)) = domain::explain(&engine, &member, args.retries_used, args.seed)
    else {
        return Err(Refusal::usage("such a run needs no decision").into());
    };
    let trace = tried.into_iter().map(|tried| TraceItem {
        policy: tried.rule.policy,
        rule_index: tried.rule.index,
        matched: tried.matched,
        why: tried.why,
    });
    let mut explanation = DecisionExplanation::new(engine.name(), decision, trace.collect());
    let budget = domain::remaining_budget(|more| {
        let retries = args.retries_used.checked_add(more)?;
        domain::explain(&engine, &member, retries, args.seed).map(|(decision, _)| decision)
    });
    explanation.budget = budget.as_ref().map(RemainingBudget::new);
    explanation.notes.extend(values::no_fields_note(&args.failure));
    explanation.notes.extend(values::unread_word_notes(&words));
    explanation.notes.extend(values::exit_code_note(&args.failure));
    let listed = |key: &str| engine.listed_values(key);
    explanation.notes.extend(values::unlisted_value_notes(&args.failure, listed));
    Ok(explanation)
}

/// Refuses flags about Armada's policies.
fn refuse_flags(args: &DecisionArgs, manifest: &str) -> Result<()> {
    let flags = [
        (!args.annotations.is_empty(), "--annotation"),
        (args.rule_retries > 0, "--rule-retries"),
        (!args.executor_config.is_empty(), "--executor-config"),
    ];
    let Some((_, flag)) = flags.into_iter().find(|(is_set, _)| *is_set) else { return Ok(()) };
    let message =
        format!("`{flag}` applies to Armada's policies, but the files contain a {manifest}");
    Err(Refusal::usage(message).into())
}

/// A member with the run that the pairs describe, and words of them that nothing reads.
fn member<S: ManifestSystem>(
    context: &mut Context<'_>,
    engine: &S,
    unit: &str,
    args: &DecisionArgs,
) -> Result<(Member<S::Fields>, UnreadWords)> {
    let record = engine.default_args(unit, &args.failure).and_then(|defaults| {
        let pairs = [&*args.failure, &*defaults].concat();
        record_of_pairs(Table::<S::Fields>::RECORD, unit, &pairs)
    });
    let record = record.map_err(refuse_pair)?;
    let (history, findings) = read_history::<S>(None, OnBadRecord::Error, |stream| {
        stream.whole_lines("--failure", &record.to_string());
    });
    project::refuse_errors(context.ui, findings)?;
    let member = history.members.into_iter().next();
    Ok((member.ok_or_else(|| Refusal::usage("no failure"))?, history.unread))
}
