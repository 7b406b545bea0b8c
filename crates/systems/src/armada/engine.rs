//! Armada's engine: its units are jobs and gangs of jobs.

use super::parts::ArmadaNeeds;
use super::report;
use armada_retry::engine::{
    Bindings, Decision, DecisionCode, Evaluator, Grant, JobState, Scratch, SpecialJobs, Use,
};
use armada_retry::engine::{NodeList, Outcome};
use armada_retry::policy::{Action, Condition};
use document::diag::{Code, Diagnostic, Findings, Severity, plural};
use document::units::{GoDuration, Time};
use replay::disruption::{self, Disruptions, RowId};
use replay::history::{ArmadaRun, GraceBounds, Job, RecordFields as _, RunRecord};
use replay::simulate::{
    DecisionFacts, DecisionReport, Effect, End, Ending, Engine, Evaluation, Evidence, Fact,
    FactKind, FollowingRuns, Group, JudgedTogether, Labels, Matched, Moment, Parts, PolicyNeeds,
    ReportTexts, ReportedPer, RuleLabel, SummaryFacts, Units, Verdict,
};
use std::collections::BTreeMap;

/// The evaluator, and the bindings of policies to jobs.
#[derive(Debug)]
pub struct Armada {
    evaluator: Evaluator,
    bindings: Bindings,
    needs: ArmadaNeeds,
}

/// The state of a job or a gang. Most units are one job, which needs no allocation.
#[derive(Debug, Clone)]
pub enum UnitState {
    /// A job outside of a gang.
    One(JobState),
    /// The jobs of a gang.
    Many(Vec<JobState>),
}

impl UnitState {
    /// Returns the jobs of the unit.
    pub fn members(&self) -> &[JobState] {
        match self {
            Self::One(job) => std::slice::from_ref(job),
            Self::Many(jobs) => jobs,
        }
    }
}

impl Armada {
    /// Creates an engine over compiled policies.
    pub fn new(evaluator: Evaluator, bindings: Bindings) -> Self {
        let needs = ArmadaNeeds::new(&evaluator);
        Self { evaluator, bindings, needs }
    }

    /// Returns the evaluator.
    pub fn evaluator(&self) -> &Evaluator {
        &self.evaluator
    }

    /// Returns the bindings of policies to jobs.
    pub fn bindings(&self) -> &Bindings {
        &self.bindings
    }
}

impl Units for Armada {
    type Fields = ArmadaRun;
    type State = UnitState;
    type Decision = Decision;
    const REPORTED_PER: ReportedPer = ReportedPer::Member;
    const STATE_OF_KIND: bool = true;

    /// Returns the bounds of the first engine: variants differ in policies and limits, not in grace periods.
    fn limits(engines: &[&Self]) -> GraceBounds {
        let settings = engines.first().map(|engine| engine.evaluator.settings().base().clone());
        GraceBounds::from(&settings.unwrap_or_default())
    }

    /// Returns the key of a gang: queue, job set and id (semantics.md, section 9). If the profile has no
    /// gangs, each job is a unit.
    fn unit_key(&self, job: &Job) -> Option<String> {
        if self.evaluator.profile().special_jobs == SpecialJobs::Legacy {
            return None;
        }
        ArmadaRun::recorded_unit_key(&job.queue, &job.unit_fields)
    }

    /// Returns whether the unit is a single job. A gang is judged by generations, for which all of its jobs
    /// must be known.
    fn can_stream(&self, job: &Job) -> bool {
        job.unit_fields.gang().is_none()
    }

    fn begin(&self, members: &[&Job]) -> UnitState {
        let state = |job: &&Job| {
            let route = self.bindings.route(&self.evaluator, &job.queue, &job.unit_fields);
            JobState::compact(&job.unit_fields, route)
        };
        match members {
            // A gang with only one recorded job is judged by generations too.
            // Without its key it is no gang, whatever annotations it has.
            [one] if self.unit_key(one).is_none() => UnitState::One(state(one)),
            many => UnitState::Many(many.iter().map(state).collect()),
        }
    }
}

impl Engine for Armada {
    type Memory = Scratch;

    // A gang is judged by generations, once all of its members have ended (semantics.md, section 9).
    const JUDGED_TOGETHER: JudgedTogether = JudgedTogether::Unit;

    fn reads_nodes(&self) -> bool {
        self.evaluator.avoids_nodes()
    }

    fn matched(&self, unit: &UnitState, scratch: &mut Scratch, run: &RunRecord) -> Option<Matched> {
        let UnitState::One(job) = unit else { return None };
        let (route, outcome) = (job.route(), run.own.outcome);
        // Rules decide about no other end, and not about a returned lease (semantics.md, section 8).
        let is_decided = undecided_end(outcome).is_none() && outcome != Outcome::LeaseReturned;
        let failure = is_decided.then(|| self.evaluator.failure(run.ended()));
        let rule = failure.and_then(|failure| route.matched(&failure, scratch));
        let by_default = rule.is_some_and(|rule| route.is_default(rule));
        Some(Matched { route: route.number, rule, by_default })
    }

    fn evaluate(
        &self,
        unit: &mut UnitState,
        scratch: &mut Scratch,
        moment: &Moment<'_, ArmadaRun>,
        answer: &mut Evaluation<Decision>,
    ) {
        answer.clear();
        match unit {
            UnitState::One(job) => self.judge_job(job, moment, scratch, answer),
            UnitState::Many(gang) => self.judge_generation(gang, moment, scratch, answer),
        }
    }

    fn avoided<'s>(
        &self,
        unit: &'s UnitState,
        member: usize,
        decision: &Decision,
    ) -> Option<&'s NodeList> {
        unit.members()[member].avoided_list(decision)
    }

    fn memory(&self, decision: &Decision) -> Option<u64> {
        decision.memory_bytes
    }
}

impl SummaryFacts for Armada {
    fn labels<'r>(&self, run: &'r RunRecord) -> Labels<'r> {
        report::labels(run)
    }

    fn subcategory<'r>(&self, run: &'r RunRecord) -> Option<&'r str> {
        let name = run.own.subcategory.as_str();
        (self.needs.has_subcategories && !name.is_empty()).then_some(name)
    }

    fn ending(&self, run: &RunRecord) -> Ending {
        report::ending(run.own.outcome)
    }

    fn facts(&self, run: &RunRecord, decision: &Decision) -> DecisionFacts {
        report::facts(&self.evaluator, run, decision)
    }

    fn needs(&self) -> &[PolicyNeeds] {
        &self.needs.by_policy
    }

    /// Returns those of the job's route; none if no rule or default decided.
    fn compared_policies<'s>(
        &'s self,
        unit: &'s UnitState,
        member: usize,
        decision: &Decision,
    ) -> &'s [usize] {
        let route = decision.rule.map(|_| unit.members()[member].route().policies());
        route.unwrap_or_default()
    }

    fn parts(&self, _: &UnitState, _: usize, run: &RunRecord) -> Parts {
        self.needs.parts(run)
    }

    /// Returns the row that the source of the run recognised. A record is compared with its own rows.
    fn disruption(&self, run: &RunRecord, table: &Disruptions) -> Option<RowId> {
        let source = disruption::Source::Records(disruption::System::Armada);
        run.own.disruption.or_else(|| table.find(source, &run.own))
    }

    fn has_survived_memory(&self, run: &RunRecord) -> bool {
        run.own.containers.iter().any(|container| container.reason == Condition::OomKilled.as_str())
    }
}

impl ReportTexts for Armada {
    fn name(&self) -> &str {
        self.evaluator.profile().form.as_str()
    }

    fn rules(&self) -> Vec<RuleLabel> {
        let policies = self.evaluator.policies().iter();
        let labels = policies.flat_map(|policy| {
            let rules = (0..policy.rules.len()).map(Some).chain([None]);
            rules.map(|index| RuleLabel {
                description: policy.description(index),
                ..RuleLabel::new(policy.name.as_str(), index)
            })
        });
        labels.collect()
    }

    fn effective_policies(&self, job: &Job) -> Vec<String> {
        let effective = self.bindings.effective(&self.evaluator, &job.queue, &job.unit_fields);
        let policies = self.evaluator.policies();
        effective.policies.iter().map(|number| policies[*number].name.to_string()).collect()
    }

    fn suggest(&self, group: &Group, after: FollowingRuns) -> Option<String> {
        let evidence = after.evidence();
        // No rule matches the failures, so a rule with the default's action changes no decision.
        let action = match evidence {
            Evidence::Succeeded => Some(Action::Retry),
            Evidence::Failed => Some(Action::Fail),
            Evidence::Missing => None,
        };
        let mut policies = self.evaluator.policies().iter();
        if action.is_some_and(|action| policies.all(|policy| policy.default_action() == action)) {
            return None;
        }
        super::suggest::rule(self.evaluator.profile().form, group, evidence)
    }

    fn report(
        &self,
        unit: &UnitState,
        number: usize,
        job: &Job,
        run: &RunRecord,
        decision: &Decision,
    ) -> DecisionReport {
        let avoided = unit.members()[number].avoided(decision);
        DecisionReport {
            run_index: Some(decision.run_index),
            pod_name: Some(decision.pod_name(&job.unit)),
            next_pod_name: decision.next_pod_name(&job.unit),
            avoid_nodes: avoided.to_vec(),
            ..report::decision_report(&self.evaluator, run, decision)
        }
    }

    fn end_reason(&self, _: &UnitState, decision: &Decision) -> String {
        self.evaluator.reason(decision)
    }
}

/// Returns how a run that needs no decision ends its job.
fn undecided_end(outcome: Outcome) -> Option<End> {
    match outcome {
        Outcome::Succeeded => Some(End::Succeeded),
        Outcome::Cancelled => Some(End::Cancelled),
        Outcome::Stopped => Some(End::Failed),
        _ => None,
    }
}

fn effect(decision: &Decision) -> Effect {
    if !decision.code.retries() {
        return Effect::End(End::Failed);
    }
    let grant = decision.grant;
    Effect::Rerun {
        delay: grant.and_then(|grant| grant.delay),
        not_before: grant.and_then(|grant| grant.retry_after),
    }
}

fn ended<'r>(fact: &Fact<'r, ArmadaRun>) -> Option<(usize, &'r RunRecord)> {
    match fact.kind {
        FactKind::Ended(run) => Some((fact.member, run)),
        _ => None,
    }
}

impl Armada {
    /// Judges the run of a job outside of a gang as soon as it has ended.
    fn judge_job(
        &self,
        job: &mut JobState,
        moment: &Moment<'_, ArmadaRun>,
        scratch: &mut Scratch,
        answer: &mut Evaluation<Decision>,
    ) {
        let Some((member, run)) = moment.facts.iter().find_map(ended) else { return };
        if let Some(end) = undecided_end(run.own.outcome) {
            // Counted although no rule decides: a later failure of the job has one more attempt before it.
            self.evaluator.observe(job, run.own.outcome, run.node.as_deref());
            answer.verdicts.push(Verdict { member, effect: Effect::End(end), decision: None });
            answer.end = Some(end);
            return;
        }
        let decision = match moment.matched {
            Some(matched) => {
                self.evaluator.decide_matched(job, run.ended(), moment.now, matched.rule)
            }
            None => self.evaluator.decide(job, run.ended(), moment.now, scratch),
        };
        let effect = effect(&decision);
        if let Effect::End(end) = effect {
            answer.end = Some(end);
        }
        answer.verdicts.push(Verdict { member, effect, decision: Some(decision) });
    }

    /// Judges a generation of a gang when its last member has ended (semantics.md, section 9).
    // Out of line: most units are single jobs.
    #[inline(never)]
    fn judge_generation(
        &self,
        gang: &mut [JobState],
        moment: &Moment<'_, ArmadaRun>,
        scratch: &mut Scratch,
        answer: &mut Evaluation<Decision>,
    ) {
        let waiting = moment.facts.iter().any(|fact| matches!(fact.kind, FactKind::Live));
        let ends: Vec<(usize, &RunRecord)> = moment.facts.iter().filter_map(ended).collect();
        if waiting || ends.is_empty() {
            return;
        }
        // All ends are counted before any is decided about: members of one generation have the same counts.
        for (member, run) in &ends {
            self.evaluator.observe(&mut gang[*member], run.own.outcome, run.node.as_deref());
        }
        // A cancelled job of a gang cancels all of it, so that no failure is decided about.
        let cancelled = ends.iter().any(|(_, run)| run.own.outcome == Outcome::Cancelled);
        if cancelled || ends.iter().all(|(_, run)| run.own.outcome == Outcome::Succeeded) {
            answer.end = Some(if cancelled { End::Cancelled } else { End::Succeeded });
            answer.verdicts.extend(ends.iter().map(|(member, run)| {
                let end = if run.own.outcome == Outcome::Succeeded {
                    End::Succeeded
                } else {
                    End::Cancelled
                };
                Verdict { member: *member, effect: Effect::End(end), decision: None }
            }));
            return;
        }
        let mut rulings: Vec<Option<Decision>> = Vec::with_capacity(ends.len());
        // None is charged yet: each decides on the counts before this generation.
        for (member, run) in &ends {
            let failure = self.evaluator.failure(run.ended());
            rulings.push(match undecided_end(run.own.outcome) {
                Some(_) => None,
                None => Some(self.evaluator.rule_on(&gang[*member], &failure, moment.now, scratch)),
            });
        }
        // One final failure ends all members (semantics.md, section 9), so that no retry may be charged before this is
        // known.
        if rulings.iter().flatten().any(|ruling| !ruling.code.retries()) {
            Self::end_gang(gang, &ends, &rulings, answer);
        } else {
            self.rerun_gang(gang, &ends, rulings, moment.now, answer);
        }
    }

    /// Ends a gang of which one member failed finally: members with the decision Retry fail with it, without
    /// a charge.
    fn end_gang(
        gang: &[JobState],
        ends: &[(usize, &RunRecord)],
        rulings: &[Option<Decision>],
        answer: &mut Evaluation<Decision>,
    ) {
        answer.end = Some(End::Failed);
        for ((member, run), ruling) in ends.iter().zip(rulings) {
            let end = undecided_end(run.own.outcome).unwrap_or(End::Failed);
            let decision = ruling.map(|ruling| Self::overruled(&gang[*member], ruling));
            answer.verdicts.push(Verdict { member: *member, effect: Effect::End(end), decision });
        }
    }

    /// Changes a Retry that the end of the gang turned into Fail. It keeps its rule, and the counts before
    /// the decision.
    fn overruled(job: &JobState, decision: Decision) -> Decision {
        if !decision.code.retries() {
            return decision;
        }
        // Other retries, such as that of a returned lease, were not in the counts.
        let granted = u32::from(decision.code == DecisionCode::Retry);
        Decision {
            code: DecisionCode::FailGang,
            used: decision.used.map(|used| Use { count: used.count - granted, ..used }),
            total_retries: decision.total_retries - granted,
            grant: None,
            memory_bytes: job.grown_memory(),
            ..decision
        }
    }

    /// Runs every member again; only those that failed are charged. All wait for the end of the generation
    /// and the longest delay.
    fn rerun_gang(
        &self,
        gang: &mut [JobState],
        ends: &[(usize, &RunRecord)],
        rulings: Vec<Option<Decision>>,
        now: Option<Time>,
        answer: &mut Evaluation<Decision>,
    ) {
        let delays = rulings.iter().flatten().filter_map(|ruling| ruling.grant?.delay);
        let longest = delays.max().unwrap_or(GoDuration::ZERO);
        // Without the time of one end, the end of the generation is not known.
        let ended = ends.iter().map(|(_, run)| run.finished_at).collect::<Option<Vec<_>>>();
        let shared = ended.and_then(|times| times.into_iter().max()).map(|end| end.plus(longest));
        for ((member, run), ruling) in ends.iter().zip(rulings) {
            let job = &mut gang[*member];
            let mut decision = match ruling {
                Some(ruling) => {
                    self.evaluator.charge(job, &ruling, run.own.outcome);
                    ruling
                }
                None => self.gang_rerun(job, run, now),
            };
            if let Some(grant) = &mut decision.grant {
                grant.retry_after = shared;
            }
            let effect = effect(&decision);
            answer.verdicts.push(Verdict { member: *member, effect, decision: Some(decision) });
        }
    }

    fn gang_rerun(&self, job: &JobState, run: &RunRecord, now: Option<Time>) -> Decision {
        let switches = self.evaluator.settings().at(now);
        Decision {
            code: DecisionCode::GangRerun,
            grant: Some(Grant { delay: None, retry_after: None, avoids_nodes: false }),
            ..self.evaluator.undecided(job, run.run_index, switches)
        }
    }
}

/// Warns of gangs with fewer jobs than their cardinality (semantics.md, section 9): of at most 20 one by one, in the order of
/// queue, job set and id.
pub fn incomplete_gangs(jobs: &[Job]) -> Findings {
    const NAMED: usize = 20;
    let mut gangs: BTreeMap<(&str, &str, String), (u32, u32)> = BTreeMap::new();
    for job in jobs {
        let Some(gang) = job.unit_fields.gang() else { continue };
        let key = (&*job.queue, job.unit_fields.job_set(), gang.id);
        gangs.entry(key).or_insert((0, gang.cardinality)).0 += 1;
    }
    gangs.retain(|_, (jobs, cardinality)| jobs < cardinality);
    let named = gangs.iter().take(NAMED).map(|((queue, _, id), (jobs, cardinality))| {
        let of_queue =
            if queue.is_empty() { String::new() } else { format!(" of queue `{queue}`") };
        let message =
            format!("gang `{id}`{of_queue} has {jobs} of its {cardinality} jobs in this history");
        (message, "the generation is decided from the members in the history")
    });
    let mut findings = Findings::new();
    let others = gangs.len().saturating_sub(NAMED);
    let others = (others > 0).then(|| {
        let one = "other gang has fewer jobs in this history than its cardinality";
        let many = "other gangs have fewer jobs in this history than their cardinality";
        (plural(others, one, many), "if the history was cut by jobs or by lines, cut it by gangs")
    });
    for (message, help) in named.chain(others) {
        let mut finding = Diagnostic::without_place(Code::SmallGang, message);
        finding.severity = Severity::Warning;
        findings.push(finding.help(help));
    }
    findings
}
