//! A scheduler that embeds the evaluator: policies, a job, and a decision about each failed run.
//!
//! `cargo run --example embed`

#![expect(clippy::print_stdout, reason = "an example talks to whoever runs it")]

use armada_retry::{
    Container, EndedRun, Evaluator, JobFields, JobState, SchedulerSettings, Scratch, Source, Time,
    V1,
};
use std::error::Error;
use std::sync::Arc;

const POLICY: &str = "
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: training}
spec:
  retryLimit: 5
  backoff: {initialDelay: 30s}
  rules:
  - action: Retry
    retryLimit: 2
    onConditions: [OOMKilled]
    antiAffinity: {mode: node}
";

fn main() -> Result<(), Box<dyn Error>> {
    // Once: read the policies and compile them. The evaluator is shared by all threads.
    let (documents, findings) = armada_retry::read_policies(&[Source::new("policy.yaml", POLICY)]);
    if findings.has_errors() {
        return Err(armada_retry::render_short(&findings.sorted()).into());
    }
    let policies = documents.policies.iter().map(|found| Arc::clone(&found.policy)).collect();
    let evaluator = Evaluator::new(&V1, policies, SchedulerSettings::default(), &[]);

    // Once a job: the policies that apply to it, and its state between runs.
    let mut state = JobState::new(&JobFields::default(), evaluator.route(&[0]));

    // Once a thread: working memory, so that decisions do not allocate.
    let mut scratch = Scratch::default();

    // After each failed run: a decision.
    for run_index in 0..3 {
        let finished_at = Time::parse("2026-10-01T10:00:00Z").ok();
        let main = Container {
            name: "main".into(),
            exit_code: Some(137),
            reason: "OOMKilled".into(),
            ..Container::default()
        };
        let run = EndedRun {
            run_index,
            finished_at,
            node: Some("gpu-17"),
            containers: &[main],
            ..EndedRun::default()
        };
        let decision = evaluator.decide(&mut state, run, finished_at, &mut scratch);
        println!("{}: {}", decision.action().as_str(), evaluator.reason(&decision));
        if let (Some(grant), Some(pod)) = (decision.grant, decision.next_pod_name("01k6fz8q")) {
            let after = grant.retry_after.map(|time| time.to_string()).unwrap_or_default();
            println!("  {pod} after {after}, avoiding {:?}", state.avoided(&decision));
        }
    }
    Ok(())
}
