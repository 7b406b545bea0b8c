//! An independent reading of what a retry policy means: a second, naive simulator to hold the real one against.
//!
//! It is written from the specification alone (section numbers are those of `semantics.md`), shares no code with
//! the crate, prefers the obvious to the fast, and takes and gives plain JSON. Questions are valid ones: what a
//! command refuses is for other tests.
//!
//! # Readings
//!
//! Where the text leaves room, this is what is taken here. A disagreement at one of these places is a question to
//! the text, not yet a fault on either side.
//!
//! Profiles:
//! - A `v1` document under `v1beta1` keeps what absent means in its own form: `defaultAction` is Fail, `retryLimit` falls
//!   through to the global one.
//! - `avoidSameNode` under `v1` asks for what that profile can do: it avoids the last failed run's node.
//! - In `v1beta1` a granted retry has the delay 0, so retryAfter is the time of failure.
//! - In `v1beta1` `totalRetries` is max(0, failures − 1) on legacy decisions too, and so less than after the last Retry.
//! - In `v1beta1` members of a gang are replayed each alone; `Stopped` ends its job Failed, undecided.
//!
//! Settings and policies:
//! - `spec.queues` is a list of `name` and `retryPolicies`.
//! - What a job of a history does not say of itself, its first run may say for it.
//! - `effectivePolicies` are shown as resolved even where the legacy path was taken.
//! - A run without any time is decided under the settings of the latest known time of its unit (at first: none).
//! - A generation of a gang is decided, for all members, under the settings at its end.
//! - The pod's name follows `enabled` at the instant of the decision, not when the pod was made.
//!
//! Matching:
//! - An absent exit code is no failure of a container by itself; neither is an absent reason.
//! - An expired lease without a category is `internal`, `lease-expired` whatever its subcategory says.
//!
//! Decisions:
//! - A global stop of a run that a Fail rule would have decided shows that rule's count, 0.
//! - `exhausted` counts the three `fail_*_limit` codes.
//! - `memoryBytes` shows the new size on the retry that grants it, and on every later decision.
//! - Confirmed termination without `finishedAt` cannot be measured, and counts as not recorded.
//! - A next run is one contradiction, even if it is both early and on an avoided node; without `startedAt` it is not early.
//!
//! Gangs:
//! - With the engine disabled, or without a policy, section 9 holds, its members deciding by the legacy path.
//! - A generation with `Stopped` members and no failed one reruns.
//! - A member that was to rerun and has no further record stays Unresolved, however its gang ends.
//! - `delaySeconds` is the member's own; the shared retryAfter is null where any member's end is not known, and on
//!   `legacy_retry`.
//! - A retry refused by the gang has bumped no memory.

mod backoff;
pub mod classifier;
mod compare;
mod coverage;
mod decide;
mod decision;
pub mod generate;
pub mod history;
pub mod job_controller;
mod json;
pub mod matching;
pub mod policy;
mod quantity;
mod replay;
mod report;
mod resolve;
mod retry;
mod self_check;
mod settings;
mod shrink;
mod time;
mod valid;

use std::fmt;

use serde_json::Value;

pub use compare::differences;
pub use coverage::{Coverage, Fields};
pub use generate::{Draw, case};
pub use self_check::self_check;
pub use shrink::shrink;
pub use valid::problems;

use history::Job;
use policy::Policy;
use replay::{Fate, Member};
use report::Replayed;
use settings::Settings;

/// Which profile evaluates (section 1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Engine {
    V1,
    V1beta1,
}

/// One question: what would these policies have made of this history?
#[derive(Clone, Debug)]
pub struct Input {
    /// RetryPolicy documents, all of one form.
    pub policies: Vec<Value>,
    /// A `kind: FailureHistory` document.
    pub history: Value,
    /// A scheduler config document.
    pub scheduler: Option<Value>,
    pub engine: Engine,
    /// `--queue-policies`.
    pub queue_policies: Option<Vec<String>>,
    /// `--missing-policy skip`.
    pub missing_policy_skip: bool,
}

/// What stays the same for a whole simulation.
struct World {
    engine: Engine,
    policies: Vec<Policy>,
    settings: Settings,
}

impl World {
    fn new(input: &Input) -> Self {
        Self {
            engine: input.engine,
            policies: input.policies.iter().map(Policy::read).collect(),
            settings: Settings::read(input, history::start(&input.history)),
        }
    }

    fn policy(&self, name: &str) -> Option<&Policy> {
        self.policies.iter().find(|policy| policy.name == name)
    }
}

/// The `SimulationReport` of the command line's contract, without `reason`.
pub fn simulate(input: &Input) -> Value {
    let world = World::new(input);
    let jobs = history::jobs(&input.history);
    let effective: Vec<_> = jobs.iter().map(|job| resolve::effective(&world, input, job)).collect();
    let mut fates: Vec<Option<Fate>> = jobs.iter().map(|_| None).collect();
    for unit in units(&jobs, input.engine) {
        let policies = |of: usize| effective[of].iter().filter_map(|name| world.policy(name));
        let member = |&of: &usize| Member { job: &jobs[of], policies: policies(of).collect() };
        let members: Vec<Member> = unit.iter().map(member).collect();
        for (of, fate) in unit.iter().zip(replay::replay(&world, &members)) {
            fates[*of] = Some(fate);
        }
    }
    let fates = fates.into_iter().map(|fate| fate.expect("every job is in a unit"));
    let all = jobs.iter().zip(effective).zip(fates);
    let replayed: Vec<_> =
        all.map(|((job, effective), fate)| Replayed { job, effective, fate }).collect();
    report::report(&world, &replayed)
}

/// Section 9: a gang "is known by (queue, jobSet, gangId)"; any other job is a unit of its own, and in
/// `v1beta1` every job is.
fn units(jobs: &[Job], engine: Engine) -> Vec<Vec<usize>> {
    let key = |job: &Job| {
        let gang = job.gang.as_ref().filter(|_| engine == Engine::V1);
        gang.map(|gang| (job.queue.clone(), job.set.clone(), gang.id.clone()))
    };
    let mut units: Vec<Vec<usize>> = Vec::new();
    for (index, job) in jobs.iter().enumerate() {
        let mut known = units.iter_mut();
        let same = known.find(|unit| key(job).is_some() && key(&jobs[unit[0]]) == key(job));
        match same {
            Some(unit) => unit.push(index),
            None => units.push(vec![index]),
        }
    }
    units
}

impl fmt::Display for Input {
    /// Everything needed to ask the question again by hand.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.to_json())
    }
}
