//! Failures that a set survives, and others.

use super::*;

#[test]
fn a_set_without_a_policy_fails_with_its_first_job() {
    let engine = engine("", "");
    let out = replay(
        &engine,
        &[(("js-w-0", 0), &[(5, "DeadlineExceeded")]), (("js-d-0", 0), &[(9, "ok")])],
    );
    assert_eq!(codes_of(&out), ["js-w-0 fail_no_policy"]);
    assert_eq!(out.system_outcome.as_deref(), Some("FailedJobs"));
}

#[test]
fn a_pods_failure_fails_its_job_and_then_restarts_the_set() {
    let engine = engine(
        "{maxRestarts: 1, rules: [{action: FailJobSet, onJobFailureMessagePatterns: [exit code 42]}]}",
        "",
    );
    let history: History<'_> = &[
        (("js-w-0", 0), &[(5, "exit 1"), (9, "exit 42")]),
        (("js-w-0", 1), &[(7, "stop"), (8, "ok")]),
        (("js-d-0", 0), &[(3, "ok"), (20, "ok")]),
    ];
    let out = replay(&engine, history);
    let expected = [
        "js-w-0 fail_backoff_limit",
        "js-w-0 restart_jobset",
        "js-w-0 fail_job",
        "js-w-0 fail_rule",
    ];
    assert_eq!(codes_of(&out), expected);
    assert_eq!(out.system_outcome.as_deref(), Some("FailJobSetFailurePolicyAction"));
    let last = &out.decisions[3];
    let message = "Container main for pod default/js-pod failed with exit code 42 matching FailJob rule at index 0";
    assert_eq!(last.system.text("failureMessage"), Some(message));
    assert_eq!((last.policy.as_deref(), last.rule_index), (Some("js"), Some(0)));
    assert_eq!(out.decisions[2].policy.as_deref(), Some("js/w"));
}

#[test]
fn the_rule_that_matched_is_told_where_a_limit_ends_the_job() {
    let rule = "{action: Count, onExitCodes: {operator: In, values: [7]}}";
    let manifest = SET.replace("rules: [", &format!("rules: [{rule},"));
    let engine = engine_of(&manifest, FeatureGates::named(""));
    for (how, rule, action) in [
        ("exit 7", Some(0), "FailJob"),
        ("exit 42", Some(1), "FailJob"),
        ("exit 1", None, "FailJob"),
    ] {
        let out = replay(&engine, &[(("js-w-0", 0), &[(5, how)])]);
        let first = &out.decisions[0];
        assert_eq!((first.rule_index, first.action.as_str()), (rule, action), "{how}");
        assert_eq!(first.system.text("level"), Some("job"), "{how}");
    }
}

#[test]
fn a_job_has_its_own_budget_first_and_a_new_one_after_a_restart() {
    let engine = engine("{maxRestarts: 1}", "");
    let history: History<'_> = &[
        (("js-d-0", 0), &[(5, "exit 1"), (50, "exit 1"), (60, "exit 1"), (90, "ok")]),
        (("js-w-0", 0), &[(7, "ok"), (70, "ok")]),
    ];
    let out = replay(&engine, history);
    let expected =
        ["js-d-0 retry", "js-d-0 fail_backoff_limit", "js-d-0 restart_jobset", "js-d-0 retry"];
    assert_eq!(codes_of(&out), expected);
    // The delay starts again: one failure, ten seconds.
    assert_eq!(out.decisions[3].delay_seconds, Some(10.0));
    assert_eq!(out.system_outcome.as_deref(), Some("Completed"));
}

#[test]
fn failures_of_one_second_are_one_restart_of_the_set() {
    let engine = engine("{maxRestarts: 1}", "");
    let history: History<'_> = &[
        (("js-w-1", 0), &[(5, "BackoffLimitExceeded"), (9, "ok")]),
        (("js-w-0", 0), &[(5, "BackoffLimitExceeded"), (9, "ok")]),
    ];
    let out = replay(&engine, history);
    assert_eq!(codes_of(&out), ["js-w-0 restart_jobset"]);
    assert!(out.decisions[0].reason.contains("another failed Job"), "{}", out.decisions[0].reason);
    assert_eq!(out.system_outcome.as_deref(), Some("Completed"));
}

#[test]
fn jobs_restart_one_by_one_out_of_one_budget() {
    let engine = engine("{maxRestarts: 1, rules: [{action: RestartJob}]}", "RestartJob=true");
    let history: History<'_> = &[
        (("js-w-1", 0), &[(5, "BackoffLimitExceeded"), (9, "ok")]),
        (("js-w-0", 0), &[(5, "BackoffLimitExceeded"), (9, "ok")]),
    ];
    let out = replay(&engine, history);
    assert_eq!(codes_of(&out), ["js-w-0 restart_job", "js-w-1 fail_max_restarts"]);
    let restarts = out.decisions[1].system.get("jobRestarts").unwrap();
    assert_eq!(restarts.as_object().unwrap().keys().collect::<Vec<_>>(), ["js-w-0"]);
    assert_eq!(out.system_outcome.as_deref(), Some("ReachedMaxRestarts"));
}

#[test]
fn what_the_controller_cannot_do_is_told_once_and_leaves_the_set_as_it_is() {
    let engine = engine("{maxRestarts: 3, rules: [{action: RestartJob}]}", "RestartJob=true");
    let history: History<'_> =
        &[(("js-w-7", 0), &[(5, "BackoffLimitExceeded")]), (("js-d-0", 0), &[(9, "ok")])];
    let out = replay(&engine, history);
    assert_eq!(codes_of(&out), ["js-w-7 reconcile_error"]);
    assert_eq!(out.system_outcome, None);
}

#[test]
fn a_failure_beats_a_success_of_the_same_second() {
    let engine = engine("{maxRestarts: 0}", "");
    let history: History<'_> =
        &[(("js-d-0", 0), &[(5, "ok")]), (("js-w-0", 0), &[(5, "FailedIndexes")])];
    let out = replay(&engine, history);
    assert_eq!(codes_of(&out), ["js-w-0 fail_max_restarts"]);
}

#[test]
fn a_job_of_a_strange_name_is_restarted_by_default_only() {
    let engine = engine("{maxRestarts: 1, rules: [{action: FailJobSet}]}", "");
    let out = replay(&engine, &[(("other", 0), &[(5, "FailedIndexes"), (9, "ok")])]);
    assert_eq!(codes_of(&out), ["other restart_jobset"]);
    assert_eq!(out.decisions[0].rule_index, None);
}

#[test]
fn a_second_run_that_is_not_on_record_leaves_the_set_open() {
    let engine = engine("{maxRestarts: 1}", "");
    let out = replay(&engine, &[(("js-w-0", 0), &[(5, "FailedIndexes")])]);
    assert_eq!(out.system_outcome, None);
    assert_eq!(out.outcome.as_str(), "Unresolved");
}

/// The counts of a failed Job are those of a Job outside of a set.
#[test]
fn a_failed_job_tells_of_the_limit_it_failed_by() {
    let per_index = "completionMode: Indexed, completions: 2, backoffLimitPerIndex: 0, ";
    let of = |more: &str, policy: &str| {
        let manifest = SET.replace("backoffLimit: 1,", &format!("{per_index}{more}"));
        let engine = engine_of(&format!("{manifest}{policy}"), FeatureGates::default());
        let history: History<'_> = &[(("js-d-0", 0), &[(5, "exit 1")])];
        replay(&engine, history).decisions.remove(0)
    };
    let most = of("maxFailedIndexes: 0,", "");
    assert_eq!(most.decision, "fail_max_failed_indexes");
    assert_eq!((most.count, most.limit), (Some(1), Some(0)));
    assert_eq!(most.limit_source.as_deref(), Some("maxFailedIndexes"));
    assert_eq!(most.system.count("failedIndexes"), Some(1));
    let all = of("", "");
    assert_eq!((all.decision.as_str(), all.count, all.limit), ("fail_indexes", None, None));
}

#[test]
fn a_message_tells_of_the_namespace_of_the_set() {
    let manifest = SET.replace("metadata: {name: js}", "metadata: {name: js, namespace: team}");
    let policy = "  failurePolicy: {rules: [{action: FailJobSet, onJobFailureMessagePatterns: ['pod team/js-pod failed']}]}\n";
    let engine = engine_of(&format!("{manifest}{policy}"), FeatureGates::default());
    let out = replay(&engine, &[(("js-w-0", 0), &[(5, "exit 42")])]);
    assert_eq!(codes_of(&out), ["js-w-0 fail_job", "js-w-0 fail_rule"]);
}

/// A reason with a fixed message is recorded with it.
#[test]
fn a_reason_without_a_message_has_its_own_sentence() {
    let policy = "{rules: [{action: FailJobSet, onJobFailureMessagePatterns: ['^Job has failed indexes$']}]}";
    let out = replay(&engine(policy, ""), &[(("js-w-0", 0), &[(5, "FailedIndexes")])]);
    assert_eq!(codes_of(&out), ["js-w-0 fail_rule"]);
}
