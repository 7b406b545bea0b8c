//! Converts an Iris profile to a `v1` policy.

use super::outcomes::{FINAL, rule_on_conditions, rule_on_expired_leases};
use crate::convert::{Conversion, Notes, note_fleet_limit};
use crate::iris::{IrisProfile, Outcome, Policy, Profile, Rules};
use armada_retry::policy::{Action, Backoff, Form, PolicyName, RetryPolicy, Rule};
use document::units::GoDuration;

const POLICY_PATH: &str = "spec.policy";
const FAILURE_PATH: &str = "spec.policy.max_retries_failure";
const PREEMPTION_PATH: &str = "spec.policy.max_retries_preemption";
const TASK_FAILURES_PATH: &str = "spec.policy.max_task_failures";
const REPLICAS_PATH: &str = "spec.policy.replicas";
const COSCHEDULED_PATH: &str = "spec.policy.coscheduled";

/// Converts the job of a checked profile to a `v1` policy; `None` if its name cannot be made a policy's name.
pub fn to_v1(profile: &IrisProfile) -> Option<Conversion<RetryPolicy>> {
    let name = PolicyName::new(&profile.name)?;
    let (rules, mut notes) = (&profile.rules, Notes::default());
    let budgets = Budgets::of(rules, &mut notes);
    note_tasks(rules, &mut notes);
    if budgets.can_retry() {
        notes.carried(POLICY_PATH, "Iris never waits: as `backoff: {initialDelay: 0s}`");
    }
    let policy = RetryPolicy {
        name,
        form: Form::V1,
        // 0 is written as the action Fail instead.
        retry_limit: Some(budgets.failures).filter(|limit| *limit > 0),
        default_action: Some(action(budgets.failures)),
        backoff: Backoff {
            initial_delay: budgets.can_retry().then_some(GoDuration::ZERO),
            ..Backoff::default()
        },
        anti_affinity: None,
        rules: budgets.rules(rules.profile, &mut notes),
    };
    Some(Conversion { result: policy, notes: notes.into_vec() })
}

/// The retries of a task: after failed attempts, and after lost ones.
#[derive(Debug, Clone, Copy)]
struct Budgets {
    failures: u32,
    losses: u32,
}

impl Budgets {
    fn of(rules: &Rules, notes: &mut Notes) -> Self {
        let Policy { max_retries_preemption, max_task_failures, .. } = rules.policy;
        if max_task_failures < 0 {
            let what = "below 0 it ends the job with its first event: as `defaultAction: Fail`";
            notes.carried(TASK_FAILURES_PATH, what);
            return Self { failures: 0, losses: 0 };
        }
        let own = Self {
            failures: failure_budget(rules, notes),
            // A negative limit grants nothing, as 0.
            losses: u32::try_from(max_retries_preemption).unwrap_or(0),
        };
        own.note_losses(rules.profile, notes);
        let place = if own.losses > 0 { PREEMPTION_PATH } else { FAILURE_PATH };
        note_fleet_limit(own.failures.saturating_add(own.losses), place, notes);
        own
    }

    fn can_retry(self) -> bool {
        self.failures > 0 || self.losses > 0
    }

    fn note_losses(self, text: Profile, notes: &mut Notes) {
        let limit = self.losses;
        if limit == 0 {
            let what = if self.failures == 0 {
                "as `defaultAction: Fail`"
            } else {
                "as rules that Fail, before the default action"
            };
            return notes.carried(PREEMPTION_PATH, what);
        }
        let conditions = super::outcomes::names(preemption_outcomes(text)).replace(", ", " and ");
        notes.carried(
            PREEMPTION_PATH,
            format!("as a rule on {conditions} with `retryLimit: {limit}`"),
        );
        let what = format!(
            "a lost worker is an expired lease in Armada, which has a rule and a count of its own in v1: it \
             has {limit} retries beside {limit} for other lost attempts"
        );
        notes.approximated(PREEMPTION_PATH, what);
    }

    /// Returns rules that distinguish lost attempts, failures and final outcomes; outcomes of equal effect
    /// share a rule.
    fn rules(self, text: Profile, notes: &mut Notes) -> Vec<Rule> {
        let mut rules = Vec::new();
        let mut ended: Vec<Outcome> = Vec::new();
        if self.losses > 0 {
            rules.push(rule_on_conditions(
                preemption_outcomes(text),
                Action::Retry,
                Some(self.losses),
            ));
            rules.push(rule_on_expired_leases(Action::Retry, Some(self.losses)));
        } else if self.failures > 0 {
            ended.extend(preemption_outcomes(text));
            rules.push(rule_on_expired_leases(Action::Fail, None));
        }
        if self.failures > 0 {
            if text == Profile::Seed {
                ended.push(Outcome::WorkerReportedKilled);
            }
            ended.extend(FINAL);
            rules.push(rule_on_conditions(&ended, Action::Fail, None));
            let what = match text {
                Profile::Seed => "a timeout, a reported kill and a task that finds no worker",
                Profile::Upstream => "a timeout and a task that finds no worker",
            };
            let what = format!("{what}, which are final, as a rule that Fails");
            notes.carried(POLICY_PATH, what);
        }
        rules
    }
}

fn action(retries: u32) -> Action {
    if retries > 0 { Action::Retry } else { Action::Fail }
}

/// Returns the outcomes with a condition that charge the budget for lost attempts.
fn preemption_outcomes(text: Profile) -> &'static [Outcome] {
    match text {
        Profile::Seed => &[Outcome::Preempted],
        Profile::Upstream => &[Outcome::Preempted, Outcome::WorkerReportedKilled],
    }
}

/// Returns the number of failed attempts of a task that its job survives.
fn failure_budget(rules: &Rules, notes: &mut Notes) -> u32 {
    let Policy { max_retries_failure, max_task_failures, .. } = rules.policy;
    let own = u32::try_from(max_retries_failure).unwrap_or(0);
    let borne = u32::try_from(max_task_failures).unwrap_or(0);
    if rules.profile == Profile::Upstream && borne < own {
        let what = format!(
            "not reached: max_task_failures ends the job earlier, at failed attempt {}",
            u64::from(borne) + 1
        );
        notes.carried(FAILURE_PATH, what);
        notes.carried(TASK_FAILURES_PATH, limit_text(borne));
        return borne;
    }
    notes.carried(FAILURE_PATH, limit_text(own));
    own
}

fn limit_text(limit: u32) -> String {
    match limit {
        0 => "as `defaultAction: Fail`".to_owned(),
        _ => format!("as `retryLimit: {limit}` and `defaultAction: Retry`"),
    }
}

/// Notes how the tasks of a job depend on each other.
fn note_tasks(rules: &Rules, notes: &mut Notes) {
    let Policy { replicas, coscheduled, max_task_failures, max_retries_failure, .. } = rules.policy;
    if replicas == 1 {
        if rules.profile == Profile::Upstream
            && max_task_failures > 0
            && max_task_failures >= max_retries_failure
        {
            let what = "no effect: max_retries_failure is used up earlier or at the same time";
            notes.carried(TASK_FAILURES_PATH, what);
        }
        if coscheduled {
            notes.carried(COSCHEDULED_PATH, "no effect: a job of one task has no gang");
        }
        if rules.profile == Profile::Seed && max_task_failures > 0 {
            let what = "in the seed a job stays RUNNING after it tolerated a task that failed permanently; \
                        an Armada job has ended then";
            notes.approximated(TASK_FAILURES_PATH, what);
        }
        return;
    }
    if coscheduled {
        note_gang(rules.profile, notes);
    } else {
        let what = format!(
            "as {replicas} jobs under one policy, each with the budgets of a task: the end of an Iris job \
             kills its other tasks, and an Armada job ends alone"
        );
        notes
            .approximated(REPLICAS_PATH, what)
            .help("submit them as a gang if one failure has to end them all");
    }
    let what = "Armada does not count failures over several jobs: each job has its own count";
    notes.lost(TASK_FAILURES_PATH, what);
}

fn note_gang(text: Profile, notes: &mut Notes) {
    let iris = match text {
        Profile::Seed => "the seed requeues only the lost task, not its siblings",
        Profile::Upstream => "Iris at once requeues siblings that have a worker",
    };
    let what = format!(
        "as jobs in a gang, which reruns as a whole, succeeded jobs included, once its last run has ended; \
         {iris}"
    );
    notes
        .approximated(COSCHEDULED_PATH, what)
        .help("submit the jobs with the annotations armadaproject.io/gangId and gangCardinality");
    notes.carried(REPLICAS_PATH, "as the gang's `gangCardinality`");
}
