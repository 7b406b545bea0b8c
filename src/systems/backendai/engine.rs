//! The draft's handler behind the engines' one interface: a unit is a root session with the chain of
//! its retries, which is one member; each of its runs is a session.

use super::decision::{Decision, Verdict};
use super::draw::Draw;
use super::read::Profile;
use super::record::{SessionFields, SessionOutcome, SessionType};
use super::session::SessionId;
use super::state::{Chain, Failure};
use crate::engine::{Effect, End, Engine, Evaluation, FactKind, Moment, Together, Verdict as Says};
use crate::history::{Member, MemberRun};

/// The engine over a profile.
#[derive(Debug, Clone)]
pub struct BackendAiEngine {
    profile: Option<Profile>,
}

/// What is remembered of a root session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RootSession {
    /// Its id, which stands for that of a session that has none on record.
    pub id: SessionId,
    /// Its retries.
    pub chain: Chain,
}

impl BackendAiEngine {
    /// An engine over a profile; with none, nothing is judged.
    pub fn new(profile: Option<Profile>) -> Self {
        Self { profile }
    }

    /// The profile.
    pub fn profile(&self) -> Option<&Profile> {
        self.profile.as_ref()
    }
}

impl RootSession {
    /// The id of the session that a record tells of.
    pub fn id_of<'s>(&'s self, fields: &'s SessionFields) -> &'s SessionId {
        fields.id.as_ref().unwrap_or(&self.id)
    }
}

impl SessionFields {
    /// The failure that it tells of; `id` is the session's.
    pub fn failure<'s>(&self, id: &'s SessionId) -> Failure<'s> {
        let (has_own_id, batch) = (self.id.is_some(), self.session_type == SessionType::Batch);
        Failure { id, has_own_id, retry_count: self.retry_count, cause: self.cause, batch }
    }
}

impl Engine for BackendAiEngine {
    type Record = MemberRun<SessionFields>;
    type Member = Member<SessionFields>;
    type State = RootSession;
    type Decision = Decision;
    type Memory = ();

    const DRAWS: bool = true;
    const TOGETHER: Together = Together::Second;

    fn runs<'m>(&self, member: &'m Self::Member) -> &'m [Self::Record] {
        &member.runs
    }

    fn unit_key(&self, _: &Self::Member) -> Option<String> {
        None
    }

    fn begin(&self, members: &[&Self::Member]) -> RootSession {
        let unit = members.first().map_or("", |member| &member.unit);
        RootSession { id: SessionId::new(unit), chain: Chain::default() }
    }

    fn evaluate(
        &self,
        root: &mut RootSession,
        (): &mut (),
        moment: &Moment<'_, Self::Record>,
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
                    let (effect, decision) = failed(profile, root, run, moment.draw);
                    (effect, Some(decision))
                }
            };
            if let Effect::End(end) = effect {
                answer.fate = Some(end);
            }
            answer.verdicts.push(Says { member: fact.member, effect, decision });
        }
    }

    fn avoided<'s>(&self, _: &'s RootSession, _: usize, _: &Decision) -> &'s [String] {
        &[]
    }
}

/// What follows for a chain of which a session has failed.
fn failed(
    profile: &Profile,
    root: &mut RootSession,
    run: &MemberRun<SessionFields>,
    draw: u64,
) -> (Effect, Decision) {
    let RootSession { id, chain } = root;
    let failure = run.own.failure(run.own.id.as_ref().unwrap_or(id));
    let decision = chain.decide(&profile.policy, profile.readings, &failure, Draw::of_bits(draw));
    let effect = match decision.verdict {
        Verdict::Retry(retry) => {
            let wait = retry.delay.wait();
            let not_before = run.finished_at.map(|ended| ended.plus(wait));
            Effect::Rerun { delay: Some(wait), not_before, counted: true }
        }
        // Its retry exists already: the chain goes on with that one.
        Verdict::Stop(_) if chain.stopped().is_none() => {
            Effect::Rerun { delay: None, not_before: None, counted: false }
        }
        Verdict::Stop(_) => Effect::End(End::Failed),
    };
    (effect, decision)
}
