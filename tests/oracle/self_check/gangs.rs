//! Section 9: gangs under `v1`.
//!
//! Holds semantics.md 9.

use serde_json::{Value, json};

use super::super::{Input, simulate};
use super::{ask, column, policy};

/// All of this file.
pub fn check() {
    rerun();
    longest_delay();
    one_fails();
    stopped();
    cancelled();
    known_by();
    no_job_set();
    missing_generation();
}

fn at(outcome: &str, category: &str, finished: &str) -> Value {
    json!({"outcome": outcome, "category": category, "finishedAt": finished})
}

fn member(id: &str, runs: Value) -> Value {
    json!({"jobId": id, "queue": "q", "jobSet": "s", "gang": {"id": "g", "cardinality": 3}, "runs": runs})
}

fn gang(members: Value) -> Input {
    let rule = json!({"action": "Retry", "onFailureCategory": ["ok"], "retryLimit": 1, "backoff": {"initialDelay": "10s"}});
    ask(vec![policy("p", json!({"rules": [rule]}))], members)
}

fn decisions(report: &Value) -> Vec<Vec<Value>> {
    (0..report["jobs"].as_array().map_or(0, Vec::len))
        .map(|job| column(report, job, "decision"))
        .collect()
}

fn outcomes(report: &Value) -> Vec<&str> {
    let jobs = report["jobs"].as_array().expect("jobs").iter();
    jobs.filter_map(|job| job["outcome"].as_str()).collect()
}

/// "otherwise every member reruns, also those that succeeded [`gang_rerun` ..] or were `Stopped`, only failed members are
/// charged, and retryAfter of all is that end plus the longest delay".
fn rerun() {
    let report = simulate(&gang(json!([
        member("a", json!([at("Failed", "ok", "1m"), at("Succeeded", "", "5m")])),
        member("b", json!([at("Succeeded", "", "2m"), at("Succeeded", "", "5m")])),
        member("c", json!([at("Stopped", "", "90s"), at("Succeeded", "", "5m")])),
    ])));
    assert_eq!(decisions(&report), [["retry"], ["gang_rerun"], ["gang_rerun"]]);
    for job in 0..3 {
        assert_eq!(column(&report, job, "retryAfter"), ["1970-01-01T00:02:10Z"], "{report:#}");
    }
    assert_eq!(column(&report, 1, "delaySeconds"), [Value::Null]);
    assert_eq!(column(&report, 1, "nextPodName"), ["armada-b-0-1"]);
    assert_eq!(column(&report, 1, "totalRetries"), [0]);
    assert_eq!(outcomes(&report), ["Succeeded"; 3]);
    assert_eq!(report["summary"]["retries"], 1, "`gang_rerun` not");
    assert_eq!(report["summary"]["byDecision"], json!({"retry": 1, "gang_rerun": 2}));
}

/// "retryAfter of all is that end plus the longest delay", each member's `delaySeconds` its own.
fn longest_delay() {
    let mut input = gang(json!([
        member("a", json!([at("Failed", "ok", "1m")])),
        member("b", json!([at("Failed", "other", "2m")])),
    ]));
    let second = json!({"action": "Retry", "onFailureCategory": ["other"], "backoff": {"initialDelay": "4s"}});
    let rules = input.policies[0]["spec"]["rules"].as_array_mut().expect("rules");
    rules.push(second);
    let report = simulate(&input);
    assert_eq!(column(&report, 0, "delaySeconds"), [10.0]);
    assert_eq!(column(&report, 1, "delaySeconds"), [4.0]);
    assert_eq!(column(&report, 1, "retryAfter"), ["1970-01-01T00:02:10Z"]);
}

/// "If one is Fail, the gang ends: those that said Retry become Fail [`fail_gang`], uncharged"; section 5: it "keeps what
/// its member's own Retry named, with the counts as they were before it".
fn one_fails() {
    let report = simulate(&gang(json!([
        member("a", json!([at("Failed", "ok", "1m"), at("Failed", "ok", "5m")])),
        member("b", json!([at("Failed", "bad", "2m")])),
        member("c", json!([at("LeaseReturned", "", "2m")])),
    ])));
    assert_eq!(decisions(&report), [["fail_gang"], ["fail_default"], ["fail_gang"]]);
    assert_eq!(column(&report, 0, "count"), [0]);
    assert_eq!(column(&report, 0, "totalRetries"), [0]);
    assert_eq!(column(&report, 0, "limitSource"), ["rule"]);
    assert_eq!(column(&report, 0, "retryAfter"), [Value::Null]);
    assert_eq!(column(&report, 2, "policy"), [Value::Null]);
    assert_eq!(report["jobs"][0]["notReached"], 1);
    assert_eq!(report["summary"]["failures"], 2, "lease returns are none");
    let row = json!({"policy": "p", "ruleIndex": 0, "matched": 1, "retried": 0, "exhausted": 0});
    assert_eq!(report["summary"]["byRule"][0], row);
}

/// "members that succeeded are Succeeded, `Stopped` ones Failed without a decision".
fn stopped() {
    let report = simulate(&gang(json!([
        member("a", json!([at("Stopped", "ok", "1m")])),
        member("b", json!([at("Failed", "bad", "2m")])),
        member("c", json!([at("Succeeded", "", "2m")])),
    ])));
    assert_eq!(decisions(&report), [vec![], vec![json!("fail_default")], vec![]]);
    assert_eq!(outcomes(&report), ["Failed", "Failed", "Succeeded"]);
}

/// "A Cancelled one ends the gang: nothing of that generation is decided, members that succeeded are Succeeded, all others
/// Cancelled".
fn cancelled() {
    let report = simulate(&gang(json!([
        member("a", json!([at("Cancelled", "", "1m")])),
        member("b", json!([at("Failed", "bad", "2m"), at("Failed", "bad", "3m")])),
        member("c", json!([at("Succeeded", "", "2m")])),
    ])));
    assert_eq!(decisions(&report), [Vec::<Value>::new(), vec![], vec![]]);
    assert_eq!(outcomes(&report), ["Cancelled", "Cancelled", "Succeeded"]);
    assert_eq!(report["summary"]["notReached"], 1);
}

/// A gang "is known by (queue, jobSet, gangId)", from the field or from annotations.
fn known_by() {
    let notes = json!({"armadaproject.io/gangId": "g", "armadaproject.io/gangCardinality": "3"});
    let runs = json!([at("Succeeded", "", "2m")]);
    let by_note =
        json!({"jobId": "b", "queue": "q", "jobSet": "s", "annotations": notes, "runs": runs});
    let mut elsewhere = by_note.clone();
    elsewhere["jobId"] = json!("c");
    elsewhere["jobSet"] = json!("t");
    let mut other_gang = member("d", json!([at("Succeeded", "", "2m")]));
    other_gang["gang"]["id"] = json!("h");
    let failing = member("a", json!([at("Failed", "ok", "1m")]));
    let report = simulate(&gang(json!([failing, by_note, elsewhere, other_gang])));
    assert_eq!(
        decisions(&report),
        [vec![json!("retry")], vec![json!("gang_rerun")], vec![], vec![]]
    );
    assert_eq!(outcomes(&report), ["Unresolved", "Unresolved", "Succeeded", "Succeeded"]);
}

/// Section 10: "Empty or null strings [..] mean absent", a job set's too.
fn no_job_set() {
    let mut one = member("a", json!([at("Failed", "ok", "1m")]));
    let mut other = member("b", json!([at("Succeeded", "", "1m")]));
    one["jobSet"] = json!("");
    other["jobSet"] = Value::Null;
    let report = simulate(&gang(json!([one, other])));
    assert_eq!(decisions(&report), [["retry"], ["gang_rerun"]]);
}

/// "Generation g is each member's g-th recorded run [..]; a member without one takes no part"; the counts of a rerun stand:
/// the rule's limit of 1 is reached in the second generation.
fn missing_generation() {
    let report = simulate(&gang(json!([
        member("a", json!([at("Failed", "ok", "1m"), at("Failed", "ok", "3m")])),
        member("b", json!([at("Stopped", "", "1m")])),
        member("c", json!([at("Failed", "ok", "1m"), at("Succeeded", "", "3m")])),
    ])));
    let expected = [
        vec![json!("retry"), json!("fail_rule_limit")],
        vec![json!("gang_rerun")],
        vec![json!("retry")],
    ];
    assert_eq!(decisions(&report), expected);
    assert_eq!(outcomes(&report), ["Failed", "Unresolved", "Succeeded"]);
}
