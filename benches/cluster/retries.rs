//! Jobs of which some fail, and the policy that retries them.

use armada_retry::engine::Bindings;
use armada_retry::{Evaluator, SchedulerSettings, Source, V1, read_policies};
use cluster::failure::{
    Distribution, DurationDistribution, FailureCause, FailureReport, JobFailures, Probability,
    Trigger,
};
use cluster::spec::Workload;
use std::sync::Arc;
use systems::armada::Armada;

/// Three retries with backoff, each on another node than the run before.
pub const POLICY: &str = "
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: retry}
spec:
  retryLimit: 3
  defaultAction: Retry
  backoff: {initialDelay: 30s}
  antiAffinity: {mode: node}
";

/// The part of the runs that fails.
const FAILING: f64 = 0.02;

/// Lets runs fail after ten minutes on average, with an exit code.
pub fn fail(workload: &mut Workload) {
    let minutes =
        DurationDistribution::from_milliseconds(Distribution::Exponential { mean: 600_000.0 });
    let trigger =
        Trigger::PerAttempt { probability: Probability::Fixed(FAILING), first: None, at: minutes };
    let report = FailureReport { exit_code: Some(1), ..FailureReport::default() };
    let cause = FailureCause { name: "error".to_owned(), trigger, stickiness: None, report };
    let failures = Arc::new(JobFailures { causes: vec![cause], ..JobFailures::default() });
    for template in &mut workload.templates {
        template.failures = Arc::clone(&failures);
    }
}

/// The engine with the policy for all queues.
pub fn engine() -> Armada {
    let (documents, findings) = read_policies(&[Source::new("policy.yaml", POLICY)]);
    assert!(!findings.has_errors(), "{findings:?}");
    let policies = documents.policies.into_iter().map(|document| document.policy).collect();
    let evaluator = Evaluator::new(&V1, policies, SchedulerSettings::default(), &[]);
    Armada::new(
        evaluator,
        Bindings { forced: Some(vec!["retry".to_owned()]), ..Bindings::default() },
    )
}
