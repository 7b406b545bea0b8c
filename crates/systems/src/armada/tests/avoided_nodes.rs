//! The work of a replay in which retries avoid every node tried grows with the runs of a job, not with their square.

use crate::armada::Armada;
use armada_retry::engine::{Bindings, Evaluator, V1BETA1};
use armada_retry::policy::{self, SchedulerSettings};
use document::diag::Source;
use document::steps;
use replay::history::{ArmadaRun, Member};
use replay::simulate::Summary;
use replay::simulate::testing::{read_lines, replay_here};

const POLICY: &str = "apiVersion: armadaproject.io/v1beta1
kind: RetryPolicy
name: spread
retryLimit: 100000
defaultAction: Fail
rules:
- {action: Retry, onCategory: gpu, mutate: {affinity: {avoidSameNode: true}}}
";

fn engine() -> Armada {
    let (documents, findings) = policy::read(&[Source::new("policy.yaml", POLICY)]);
    assert!(!findings.has_errors(), "{findings:?}");
    let policies = documents.policies.into_iter().map(|document| document.policy).collect();
    let settings = SchedulerSettings {
        enabled: true,
        global_max_retries: Some(100_000),
        ..SchedulerSettings::default()
    };
    let bindings = Bindings { forced: Some(vec!["spread".to_owned()]), ..Bindings::default() };
    Armada::new(Evaluator::new(&V1BETA1, policies, settings, &[]), bindings)
}

/// A job whose runs fail on these nodes, one after another.
fn job(nodes: impl Iterator<Item = usize>) -> Vec<Member<ArmadaRun>> {
    let line = |(run, node): (usize, usize)| {
        format!(
            "{{\"jobId\":\"j\",\"runIndex\":{run},\"queue\":\"q\",\"node\":\"n{node}\",\"outcome\":\"Failed\",\
             \"category\":\"gpu\"}}\n"
        )
    };
    let (members, findings) =
        read_lines::<Armada>(&nodes.enumerate().map(line).collect::<String>());
    assert!(findings.is_empty(), "{findings:?}");
    members
}

fn replay_job(nodes: impl Iterator<Item = usize>) -> Summary {
    let members = job(nodes);
    steps::take();
    replay_here(&engine(), &members[0])
}

#[test]
fn twice_the_runs_take_about_twice_the_steps() {
    let steps = |runs: usize| {
        let replayed = replay_job(0..runs);
        assert_eq!(replayed.contradictions.runs(), 0);
        steps::take()
    };
    let (small, large) = (steps(500), steps(1_000));
    // At least the first nodes are compared one by one.
    assert!((100..500 * 10).contains(&small), "{small} steps");
    // Names with the same bits of a hash are compared too, which is rare.
    assert!(large <= small * 2 + 200, "{small} steps, then {large}");
}

#[test]
fn a_run_on_any_node_tried_before_contradicts_its_grant() {
    for nodes in [2, 16, 17, 18, 300] {
        for again in [0, nodes / 2, nodes - 1] {
            let replayed = replay_job((0..nodes).chain([again]));
            let examples = replayed.contradictions.examples();
            let texts: Vec<String> = examples.into_iter().map(|it| it.text).collect();
            let expected = format!("ran on n{again}, which it had to avoid");
            assert_eq!(texts, [expected], "{nodes} nodes");
        }
    }
}
