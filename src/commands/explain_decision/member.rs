//! A failure in another system, decided and explained.

use super::{DecisionArgs, refused};
use crate::cli::Refusal;
use crate::commands::systems::{self, Given};
use crate::commands::{Context, load};
use crate::history::{Member, MemberReader, OnBadRecord, OwnFields, record_of_pairs};
use crate::report::{DecisionExplanation, TraceItem};
use crate::systems::{self as domain, System};
use anyhow::Result;

/// What a unit is called whose manifest has no name.
const UNNAMED: &str = "unnamed";

/// Decides about the failure that the arguments describe.
pub(super) fn explain<S: System>(
    context: &mut Context<'_>,
    args: &DecisionArgs,
    given: Given,
) -> Result<DecisionExplanation> {
    args.policies.refuse_for(S::WORDS.manifest)?;
    if S::PROFILE.is_some() {
        args.systems.refuse(&given.findings)?;
    }
    let flags =
        [(!args.annotations.is_empty(), "--annotation"), (args.rule_retries > 0, "--rule-retries")];
    if let Some((_, flag)) = flags.into_iter().find(|(given, _)| *given) {
        let held = S::WORDS.manifest;
        let message = format!("`{flag}` is for Armada's policies, and the files hold a {held}");
        return Err(Refusal::usage(message).into());
    }
    let Given { documents, mut findings, .. } = given;
    let manifests = systems::read::<S>(&documents, &args.systems.options(), &mut findings);
    load::refuse_errors(context.ui, findings)?;
    load::passed_over(context.ui, &documents)?;
    manifests.refuse_none()?;
    let Some(unit) = manifests.only() else {
        let message = format!("the files hold several {}s", S::KIND);
        return Err(Refusal::usage(message).help("give the one that decides").into());
    };
    let unit = if unit.name.is_empty() { UNNAMED } else { unit.name };
    let engine = manifests.engine();
    let member = member(context, &engine, unit, args)?;
    if let Some(unjudged) = engine.unjudged(std::slice::from_ref(&member)) {
        return Err(Refusal::input(unjudged.message).help(unjudged.help).into());
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
    Ok(DecisionExplanation::new(engine.name(), decision, trace.collect()))
}

/// The member whose run the pairs describe.
fn member<S: System>(
    context: &mut Context<'_>,
    engine: &S,
    unit: &str,
    args: &DecisionArgs,
) -> Result<Member<S::Own>> {
    let record = engine.supposed(unit, &args.failure).and_then(|supposed| {
        let pairs = [&*args.failure, &*supposed].concat();
        record_of_pairs(S::Own::RECORD, unit, &pairs)
    });
    let record = record.map_err(refused)?;
    let mut reader = MemberReader::<S::Own>::new(OnBadRecord::Error);
    reader.piece("--failure", true, record.to_string().as_bytes());
    let (history, findings) = reader.finish();
    load::refuse_errors(context.ui, findings)?;
    history.members.into_iter().next().ok_or_else(|| Refusal::usage("no failure").into())
}
