//! The draft's handler as an [`Engine`]: a unit is a root session with the chain of its retries. The chain is
//! one member, and each of its runs is a session.
//!
//! Owns the state of the chain from one failure to the next.

pub(super) mod decision;
pub(super) mod delay;
pub(super) mod jitter;
pub(super) mod session_id;

use super::manifest::cause::Cause;
use super::manifest::interpretation::Interpretation;
use super::manifest::shape::SYSTEM;
use super::manifest::{Profile, RetryPolicy};
use super::record::{SessionFields, SessionOutcome, SessionType};
use super::report;
use crate::disruption::{self, Disruptions, RowId};
use crate::history::{Member, Run};
use crate::simulate::{
    Absence, DecisionFacts, DecisionReport, Effect, End, Ending, Engine, Evaluation, FactKind,
    JudgedTogether, Labels, Moment, Need, Part, Parts, PolicyNeeds, ReportedPer, RuleLabel,
    Verdict as EngineVerdict, Without,
};
use decision::{Decision, FailedSession, StopReason, Verdict, decide};
use jitter::Draw;
use session_id::SessionId;

/// The engine over a profile.
#[derive(Debug, Clone)]
pub struct BackendAiEngine {
    profile: Option<Profile>,
    needs: Vec<PolicyNeeds>,
}

/// The state of a root session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootSession {
    /// The root's id, which replaces the id of a session without a recorded one.
    pub id: SessionId,
    /// The chain of its retries.
    pub chain: Chain,
}

impl BackendAiEngine {
    /// Creates an engine over a profile; without one, no run is evaluated.
    pub fn new(profile: Option<Profile>) -> Self {
        let needs = profile.iter().map(needs).collect();
        Self { profile, needs }
    }

    /// Returns the profile.
    pub fn profile(&self) -> Option<&Profile> {
        self.profile.as_ref()
    }
}

static CAUSE: Part =
    Part { field: "cause", noun: "a cause other than `unknown`", absence: Absence::Mistake };

const HAS_CAUSE: Parts = Parts::of(0);

/// Returns what a policy needs that retries some causes, and not those that are unknown.
fn needs(Profile { policy, .. }: &Profile) -> PolicyNeeds {
    let needs_cause = policy.can_retry() && !policy.eligible_causes.admit(Cause::Unknown);
    let need = Need {
        rule: 0,
        part: &CAUSE,
        values: Vec::new(),
        names: Vec::new(),
        any_of: HAS_CAUSE,
        any_value: HAS_CAUSE,
        without: Without::NoRetry,
    };
    needs_cause.then_some(need).into_iter().collect()
}

impl RootSession {
    /// Returns the id of a record's session.
    pub fn id_of<'s>(&'s self, fields: &'s SessionFields) -> &'s SessionId {
        fields.id.as_ref().unwrap_or(&self.id)
    }
}

impl SessionFields {
    /// Returns the failure of the record; `id` is the session's.
    pub fn failure<'s>(&self, id: &'s SessionId) -> Failure<'s> {
        let (has_own_id, batch) = (self.id.is_some(), self.session_type == SessionType::Batch);
        Failure { id, has_own_id, retry_count: self.retry_count, cause: self.cause, batch }
    }
}

impl Engine for BackendAiEngine {
    type Fields = SessionFields;
    type State = RootSession;
    type Decision = Decision;
    type Memory = ();

    const JUDGED_TOGETHER: JudgedTogether = JudgedTogether::Second;
    const REPORTED_PER: ReportedPer = ReportedPer::Unit;
    const DRAWS: bool = true;

    fn limits(_: &[&Self]) {}

    fn begin(&self, members: &[&Member<SessionFields>]) -> RootSession {
        let unit = members.first().map_or("", |member| &member.unit);
        RootSession { id: SessionId::new(unit), chain: Chain::default() }
    }

    fn evaluate(
        &self,
        root: &mut RootSession,
        (): &mut (),
        moment: &Moment<'_, SessionFields>,
        answer: &mut Evaluation<Decision>,
    ) {
        answer.clear();
        let Some(profile) = &self.profile else { return };
        for fact in moment.facts {
            let FactKind::Ended(run) = fact.kind else { continue };
            let (effect, decision) = match run.own.outcome {
                SessionOutcome::Succeeded => (Effect::End(End::Succeeded), None),
                SessionOutcome::Cancelled => (Effect::End(End::Cancelled), None),
                SessionOutcome::Failed => {
                    let (effect, decision) = judge_failure(profile, root, run, moment.draw);
                    (effect, Some(decision))
                }
            };
            if let Effect::End(end) = effect {
                answer.end = Some(end);
            }
            answer.verdicts.push(EngineVerdict { member: fact.member, effect, decision });
        }
    }

    fn name(&self) -> &'static str {
        SYSTEM
    }

    /// Returns one label for the policy, which has no rules.
    fn rules(&self) -> Vec<RuleLabel> {
        let label = |policy: &str| RuleLabel::new(policy, None);
        self.profile().map(|profile| label(&profile.name)).into_iter().collect()
    }

    fn effective_policies(&self, _: &Member<SessionFields>) -> Vec<String> {
        self.profile().map(|profile| profile.name.clone()).into_iter().collect()
    }

    fn labels<'r>(&self, run: &'r Run<SessionFields>) -> Labels<'r> {
        report::labels(&run.own)
    }

    fn ending(&self, run: &Run<SessionFields>) -> Ending {
        report::ending(run.own.outcome)
    }

    fn facts(&self, run: &Run<SessionFields>, decision: &Decision) -> DecisionFacts {
        self.decision_facts(run, decision)
    }

    fn needs(&self) -> &[PolicyNeeds] {
        &self.needs
    }

    fn compared_policies<'s>(&'s self, _: &'s RootSession, _: usize, _: &Decision) -> &'s [usize] {
        &[0]
    }

    fn parts(&self, _: &RootSession, _: usize, run: &Run<SessionFields>) -> Parts {
        Parts::default().with(HAS_CAUSE, run.own.cause != Cause::Unknown)
    }

    fn disruption(&self, run: &Run<SessionFields>, table: &Disruptions) -> Option<RowId> {
        table.find(disruption::Source::Records(disruption::System::BackendAi), &run.own)
    }

    fn report(
        &self,
        root: &RootSession,
        _: usize,
        _: &Member<SessionFields>,
        run: &Run<SessionFields>,
        decision: &Decision,
    ) -> DecisionReport {
        self.decision_report(root, run, decision)
    }

    fn end_reason(&self, _: &RootSession, decision: &Decision) -> String {
        decision.reason()
    }

    fn unit_outcome(&self, _: &RootSession, end: Option<End>) -> Option<String> {
        end.map(|end| report::session_status(end).to_owned())
    }
}

/// Decides about a failed session of a chain.
fn judge_failure(
    profile: &Profile,
    root: &mut RootSession,
    run: &Run<SessionFields>,
    draw: u64,
) -> (Effect, Decision) {
    let RootSession { id, chain } = root;
    let failure = run.own.failure(run.own.id.as_ref().unwrap_or(id));
    let decision =
        chain.decide(&profile.policy, profile.interpretation, &failure, Draw::of_bits(draw));
    let effect = match decision.verdict {
        Verdict::Retry(retry) => {
            let wait = retry.delay.wait();
            let not_before = run.finished_at.map(|ended| ended.plus(wait));
            Effect::Rerun { delay: Some(wait), not_before }
        }
        // The session's retry exists already, so the chain continues with that retry.
        Verdict::Stop(_) if chain.stop_reason().is_none() => {
            Effect::Rerun { delay: None, not_before: None }
        }
        Verdict::Stop(_) => Effect::End(End::Failed),
    };
    (effect, decision)
}

/// The recorded facts of a failure of a session.
#[derive(Debug, Clone, Copy)]
pub struct Failure<'s> {
    /// The session's id.
    pub id: &'s SessionId,
    /// Whether `id` is the session's own, rather than its root's in place of an absent one.
    pub has_own_id: bool,
    /// The session's `retry_count`. If absent, the session is the one that was retried last if it has its id,
    /// else the one that the chain waits for.
    pub retry_count: Option<u32>,
    /// The cause of the failure.
    pub cause: Cause,
    /// Whether the session is a batch session.
    pub batch: bool,
}

/// The state of a chain of sessions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Chain {
    /// The `retry_count` of the session that runs, or is to be created.
    retry_count: u32,
    /// The session that was retried last.
    retried: Option<RetriedSession>,
    stop_reason: Option<StopReason>,
}

/// The last retried session. All sessions before it were retried as well.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RetriedSession {
    id: SessionId,
    retry_count: u32,
}

impl Chain {
    /// Returns the `retry_count` of the session that runs, or is to be created.
    pub fn retry_count(&self) -> u32 {
        self.retry_count
    }

    /// Returns why no session follows the last one, once the chain has ended.
    pub fn stop_reason(&self) -> Option<StopReason> {
        self.stop_reason
    }

    /// Counts retries before the first recorded session.
    pub fn add_earlier_retries(&mut self, retries: u32) {
        self.retry_count = self.retry_count.saturating_add(retries);
    }

    /// Returns the failed session with its position in the chain.
    pub fn failed_session<'s>(&self, failure: &Failure<'s>) -> FailedSession<'s> {
        let Failure { id, has_own_id, retry_count, cause, batch } = *failure;
        let retried = self.retried.as_ref();
        // The same id is the same database row: the event was delivered twice.
        let again = retried.filter(|retried| has_own_id && retried.id == *id);
        let again = again.map(|retried| retried.retry_count);
        let retry_count = retry_count.or(again).unwrap_or(self.retry_count);
        let child_exists = retried.is_some_and(|retried| retry_count <= retried.retry_count);
        FailedSession { id, retry_count, cause, batch, child_exists }
    }

    /// Decides about a failure and updates the chain. A second failure of a session that was retried is an
    /// event delivered twice, and leaves the chain unchanged.
    pub fn decide(
        &mut self,
        policy: &RetryPolicy,
        interpretation: Interpretation,
        failure: &Failure<'_>,
        draw: Draw,
    ) -> Decision {
        let failed = self.failed_session(failure);
        let FailedSession { retry_count, child_exists, .. } = failed;
        let decision = decide(policy, interpretation, &failed, draw);
        match decision.verdict {
            Verdict::Retry(retry) => {
                *self = Self {
                    retry_count: retry.retry_count,
                    retried: Some(RetriedSession { id: failure.id.clone(), retry_count }),
                    stop_reason: None,
                };
            }
            Verdict::Stop(reason) if !child_exists => {
                self.retry_count = retry_count;
                self.stop_reason = Some(reason);
            }
            Verdict::Stop(_) => {}
        }
        decision
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A chain has as many attempts as its policy allows, with or without recorded counts. An event that
        /// is delivered twice changes nothing, since its count or its id identifies it.
        #[test]
        fn retries_as_often_as_it_may(
            max_retries in 0..12_u32,
            spent in 0..12_u32,
            (explicit, has_own_id) in any::<(bool, bool)>(),
        ) {
            let policy = RetryPolicy { max_retries, ..RetryPolicy::default() };
            let mut chain = Chain::default();
            chain.add_earlier_retries(spent);
            let mut attempts = 0_u32;
            while chain.stop_reason().is_none() {
                let (id, count) = (SessionId::Uuid(attempts.into()), spent + attempts);
                let retry_count = explicit.then_some(count);
                let cause = Cause::OomKilled;
                let failure = Failure { id: &id, has_own_id, retry_count, cause, batch: true };
                let mut next = || chain.decide(&policy, Interpretation::default(), &failure, Draw::LOWEST);
                let first = next();
                if (explicit || has_own_id) && first.verdict.retry().is_some() {
                    prop_assert_eq!(next().verdict, Verdict::Stop(StopReason::ChildExists));
                }
                attempts += 1;
                prop_assert!(attempts <= max_retries + 1);
            }
            prop_assert_eq!(attempts, max_retries.saturating_sub(spent) + 1);
            prop_assert_eq!(chain.stop_reason(), Some(StopReason::Exhausted));
            prop_assert_eq!(chain.retry_count(), max_retries.max(spent));
        }
    }
}
