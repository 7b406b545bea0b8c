//! From a profile of Airflow's to a `v1` policy.

use crate::policy::{Action, Backoff, Form, PolicyName, RetryPolicy};
use crate::systems::airflow::delay::base;
use crate::systems::airflow::{AirflowManifest, AirflowPolicy, TimeDelta};
use crate::systems::conversion::{Conversion, Notes, within_fleet};

const RETRIES: &str = "spec.policy.retries";
const DELAY: &str = "spec.policy.retry_delay_seconds";
const BACKOFF: &str = "spec.policy.retry_exponential_backoff";
const CAP: &str = "spec.policy.max_retry_delay_seconds";
const CEILING: &str = "spec.policy.core.max_task_retry_delay";

/// The task of a checked profile as a `v1` policy; `None` if no name can be made of its own.
pub fn to_v1(manifest: &AirflowManifest) -> Option<Conversion<RetryPolicy>> {
    let name = PolicyName::new(&manifest.name)?;
    let task = &manifest.policy;
    let mut notes = Notes::default();
    let retries = task.retries;
    let (retry_limit, action, backoff) = if retries == 0 {
        notes.carried(RETRIES, "as `defaultAction: Fail`");
        (None, Action::Fail, Backoff::default())
    } else {
        notes.carried(RETRIES, format!("as `retryLimit: {retries}` and `defaultAction: Retry`"));
        within_fleet(retries, RETRIES, &mut notes);
        (Some(retries), Action::Retry, waits(task, &mut notes))
    };
    let policy = RetryPolicy {
        name,
        form: Form::V1,
        retry_limit,
        default_action: Some(action),
        backoff,
        anti_affinity: None,
        rules: Vec::new(),
    };
    Some(Conversion { result: policy, notes: notes.into_vec() })
}

/// How a task's retries wait.
fn waits(task: &AirflowPolicy, notes: &mut Notes) -> Backoff {
    let Some(multiplier) = task.profile.multiplier(task.backoff) else {
        notes.carried(DELAY, format!("as `backoff`: {} each time", task.retry_delay));
        unbounded(task, notes);
        return alike(task.retry_delay);
    };
    let most = longest(task);
    // A growth of nothing is a number whatever the multiplier.
    let first = base(task.retry_delay, multiplier, 0)
        .map_or(most, |base| TimeDelta::from_whole_seconds(base.get()));
    if multiplier > 1.0 && first >= most {
        notes.carried(BACKOFF, format!("as `backoff`: each wait is the longest there is, {most}"));
        return alike(most);
    }
    if task.retry_delay.is_zero() && last(task, multiplier) {
        notes.carried(DELAY, format!("as `backoff`: what grows from 0 is {first} each time"));
        return alike(first.min(most));
    }
    let what = format!(
        "`backoff` has no jitter: each wait is the shortest that Airflow may take, whose own are up to twice as \
         long, and {most} at most"
    );
    notes.approximated(BACKOFF, what);
    if multiplier < 1.0 {
        let what = format!("waits of v1 never get shorter: they stay at {first}");
        notes.approximated(BACKOFF, what);
    }
    Backoff {
        initial_delay: Some(first.min(most).to_duration()),
        max_delay: Some(most.to_duration()),
        multiplier: Some(multiplier.max(1.0)),
    }
}

/// Waits of one length.
fn alike(wait: TimeDelta) -> Backoff {
    let wait = Some(wait.to_duration());
    Backoff { initial_delay: wait, max_delay: wait, multiplier: Some(1.0) }
}

/// The longest wait of those that grow.
fn longest(task: &AirflowPolicy) -> TimeDelta {
    let ceiling = TimeDelta::from_whole_seconds(task.max_task_retry_delay);
    task.max_retry_delay.filter(|cap| !cap.is_zero()).map_or(ceiling, |cap| cap.min(ceiling))
}

/// Whether the last wait is computed as the others are: a power that is no number any more gives
/// the ceiling.
fn last(task: &AirflowPolicy, multiplier: f64) -> bool {
    let growths = i32::try_from(task.retries.saturating_sub(1)).unwrap_or(i32::MAX);
    base(task.retry_delay, multiplier, growths).is_some()
}

/// What does nothing, since delays do not grow.
fn unbounded(task: &AirflowPolicy, notes: &mut Notes) {
    let what = "left out: it bounds only delays that grow";
    if task.max_retry_delay.is_some() {
        notes.carried(CAP, what);
    }
    if task.max_task_retry_delay != AirflowPolicy::default().max_task_retry_delay {
        notes.carried(CEILING, what);
    }
}
