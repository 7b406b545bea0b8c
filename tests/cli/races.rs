//! Writers that meet: on servers without versions, in the middle of a deletion, and with signals.
//!
//! Holds cli.md Exit codes.

use super::attach::{ask, json, puts};
use super::bulk::sandbox;
use super::quirks::{Fake, Script, answer};
use super::resources::items;
use super::sandbox::{Sandbox, at_once};
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A server without versions: the queue `q`, and what happens to it before each request.
fn unversioned(
    meddle: impl Fn(usize, &str, &mut Option<String>) -> Option<Script> + Send + Sync + 'static,
) -> Fake {
    let queue = std::sync::Mutex::new((0, Some(r#"{"name":"q","priorityFactor":1}"#.to_owned())));
    Fake::routed(move |request| {
        if !request.contains(" /v1/queue/q ") {
            return json(r#"{"name":"p"}"#);
        }
        let (count, queue) = &mut *queue.lock().unwrap();
        *count += 1;
        let script = meddle(*count, request, queue);
        if let Some(script) = script {
            return script;
        }
        if request.starts_with("PUT ") {
            *queue = Some(request.split_once("\r\n\r\n").unwrap().1.to_owned());
            return json("{}");
        }
        queue.as_deref().map_or_else(missing, json)
    })
}

fn missing() -> Script {
    answer(404, &[], r#"{"error":"could not find queue","code":5}"#)
}

// Requests for the queue: 1 whether it is there, 2 read, 3 written, 4 first look, 5 second look.

#[test]
fn a_change_that_is_lost_is_made_again() {
    for look in [4, 5] {
        let fake = unversioned(move |count, _, queue| {
            if count == look {
                *queue =
                    Some(r#"{"name":"q","priorityFactor":1,"retryPolicies":["x"]}"#.to_owned());
            }
            None
        });
        let run = ask(&fake, "attach rp p --queue q -o json").exits(0);
        let puts = puts(&fake);
        assert_eq!(puts.len(), 2, "{run}");
        assert!(puts[1].contains(r#""retryPolicies":["x","p"]"#), "{puts:?}");
        let item = run.json()["items"][0].clone();
        assert_eq!((&item["before"], &item["after"]), (&json!(["x"]), &json!(["x", "p"])));
    }
}

#[test]
fn a_change_that_is_lost_again_and_again_is_told() {
    let fake = unversioned(|count, request, queue| {
        // Another writer has the last word each time, and never the same one.
        if request.starts_with("GET ") {
            *queue = Some(format!(r#"{{"name":"q","priorityFactor":{count}}}"#));
        }
        None
    });
    let run = ask(&fake, "cordon queue q").exits(6);
    assert_eq!(puts(&fake).len(), 12);
    assert!(
        run.stderr.contains("the queue `q` was written 12 times, but the change was gone"),
        "{run}"
    );
}

#[test]
fn a_look_that_fails_is_told() {
    for look in [4, 5] {
        let fake = unversioned(move |count, _, _| (count >= look).then(|| answer(500, &[], "")));
        let run = ask(&fake, "attach rp p --queue q").exits(7);
        let words = "the queue `q` was written, but the change could not be confirmed";
        assert!(run.stderr.contains(words), "{run}");
        assert_eq!(puts(&fake).len(), 1);
    }
}

#[test]
fn a_queue_that_is_deleted_meanwhile_is_not_made_again() {
    for look in [4, 5] {
        let fake = unversioned(move |count, _, queue| {
            if count == look {
                *queue = None;
            }
            None
        });
        let run = ask(&fake, "attach rp p --queue q").exits(5);
        assert!(run.stderr.contains("the queue `q` no longer exists"), "{run}");
        assert_eq!(puts(&fake).len(), 1);
    }
}

/// What a queue was read as is stale after a wait: it is read again before it is written again.
#[test]
fn a_busy_server_is_not_sent_the_same_queue_again() {
    let fake = unversioned(|count, _, queue| {
        if count == 3 {
            *queue = Some(r#"{"name":"q","priorityFactor":1,"labels":{"a":"b"}}"#.to_owned());
            return Some(answer(503, &[], ""));
        }
        None
    });
    ask(&fake, "cordon queue q").exits(0);
    let puts = puts(&fake);
    assert_eq!(puts.len(), 2);
    assert!(puts[1].contains(r#""labels":{"a":"b"}"#), "{puts:?}");
}

/// Tags that a proxy adds are no versions: nothing is sent under them, and the second look is taken.
#[test]
fn a_weak_tag_is_no_version() {
    let queue = r#"{"name":"q","priorityFactor":1,"cordoned":true}"#;
    let weak = |body: &str| answer(200, &["ETag: W/\"1\""], body);
    let before = weak(r#"{"name":"q","priorityFactor":1}"#);
    let fake = Fake::new(vec![
        before.clone(),
        before,
        json("{}"),
        weak(queue),
        weak(queue),
        answer(500, &[], ""),
    ]);
    ask(&fake, "cordon queue q").exits(0);
    assert!(fake.requests().iter().all(|request| !request.contains("if-match")));
    assert_eq!(fake.requests().len(), 5);
}

/// What is under way ends early and is reported, and nothing new begins.
#[cfg(unix)]
#[test]
fn a_signal_in_the_wait_is_told() {
    for signal in ["-INT", "-TERM"] {
        let fake = unversioned(|count, _, queue| {
            // The second look takes long, so that the signal comes before its end.
            let slow = super::quirks::Piece::Silence(1500);
            (count == 5).then(|| [vec![slow], json(queue.as_deref().unwrap())].concat())
        });
        let sandbox = Sandbox::new();
        let mut command = sandbox.command();
        let url = fake.url();
        let child = command
            .args(["attach", "rp", "p", "--queue", "q", "-o", "json", "--armada-rest-url", &url])
            .spawn()
            .unwrap();
        while puts(&fake).is_empty() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let id = child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &id]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{stderr}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["items"][0]["action"], "configured", "{report}");
        assert!(stderr.contains("interrupted: what is `not done` was not started"), "{stderr}");
    }
}

/// A policy that a queue gets between the check and the deletion: the deletion takes it away again,
/// and which queue lost it is said. Some servers leave the name on the queue.
#[test]
fn a_queue_that_gets_a_policy_while_it_is_deleted_is_named() {
    let queue = "{\"result\":{\"Event\":{\"queue\":{\"name\":\"q\",\"priorityFactor\":1,\"retryPolicies\":[\"p0\"]}}}}\n";
    let end = "{\"result\":{\"Event\":{\"end\":{}}}}\n";
    // The lists in which the queue has the policy: 1 is the check, 2 is read meanwhile, 3 afterwards.
    for (with, lists, words) in [
        (
            [2, 2],
            3,
            "`p0` was attached to the queue `q` while it was being deleted: the queue has lost it",
        ),
        (
            [2, 3],
            3,
            "`p0` was attached to the queue `q` while it was being deleted: the queue still names it",
        ),
        ([3, 3], 3, "the queue still names it"),
        ([1, 3], 1, "`p0` is used by the queue `q`"),
        ([0, 0], 3, ""),
    ] {
        let count = AtomicUsize::new(0);
        let fake = Fake::routed(move |request| {
            if !request.starts_with("GET /v1/batched/queues ") {
                return json(r#"{"name":"p0","defaultAction":"Fail"}"#);
            }
            let number = count.fetch_add(1, Ordering::SeqCst) + 1;
            let has_it = (with[0]..=with[1]).contains(&number);
            json(&format!("{}{end}", if has_it { queue } else { "" }))
        });
        let line = format!("delete rp p0 -o json --armada-rest-url {}", fake.url());
        let run = Sandbox::new().run(&line).exits(if words.is_empty() { 0 } else { 6 });
        assert!(run.stderr.contains(words), "{with:?}: {run}");
        let requests = fake.requests();
        let of = |line: &str| requests.iter().filter(|request| request.starts_with(line)).count();
        let deleted = with[0] != 1;
        assert_eq!(of("DELETE "), usize::from(deleted), "{run}");
        assert_eq!(of("GET /v1/batched/queues "), lists, "{run}");
        let action = if deleted { "RetryPolicy/p0 deleted" } else { "RetryPolicy/p0 failed" };
        assert_eq!(items(&run), [action]);
    }
}

/// A list that fails once the policy is gone is no success: what it would have shown is unknown.
#[test]
fn a_look_that_fails_after_a_deletion_is_told() {
    let count = AtomicUsize::new(0);
    let fake = Fake::routed(move |request| {
        if !request.starts_with("GET /v1/batched/queues ") {
            return json(r#"{"name":"p0","defaultAction":"Fail"}"#);
        }
        match count.fetch_add(1, Ordering::SeqCst) {
            0 | 1 => json("{\"result\":{\"Event\":{\"end\":{}}}}\n"),
            _ => answer(500, &[], ""),
        }
    });
    let line = format!("delete rp p0 --armada-rest-url {}", fake.url());
    let run = Sandbox::new().run(&line).exits(7);
    assert!(run.stderr.contains("were deleted, but the check for queues"), "{run}");
    assert!(run.stdout.contains("deleted"), "{run}");
}

/// The check of the deletion that `apply --prune` does is the same.
#[test]
fn pruning_names_a_queue_that_gets_a_policy_meanwhile() {
    let queue = "{\"result\":{\"Event\":{\"queue\":{\"name\":\"q\",\"priorityFactor\":1,\"retryPolicies\":[\"old\"]}}}}\n{\"result\":{\"Event\":{\"end\":{}}}}\n";
    let count = AtomicUsize::new(0);
    let fake = Fake::routed(move |request| {
        if request.starts_with("GET /v1/retry-policies ") {
            return json(r#"{"retryPolicies":[{"name":"old"}]}"#);
        }
        if !request.starts_with("GET /v1/batched/queues ") {
            let held = r#"{"name":"p0","defaultAction":"Fail","rules":[{"action":"Retry","onCategory":"c0"}]}"#;
            return json(held);
        }
        let meanwhile = count.fetch_add(1, Ordering::SeqCst) == 1;
        json(if meanwhile { queue } else { "{\"result\":{\"Event\":{\"end\":{}}}}\n" })
    });
    let url = fake.url();
    let line = format!("apply -f many.yaml --prune old --yes --armada-rest-url {url}");
    let run = sandbox(1).run(&line).exits(6);
    assert!(run.stderr.contains("the queue has lost it"), "{run}");
}

/// With `--detach` the queues are read again too: an attach between the detaching and the deletion
/// leaves a queue without the policy, or with the name of one that does not exist.
#[test]
fn a_queue_that_gets_a_policy_after_it_was_detached_is_named() {
    let queue = "{\"result\":{\"Event\":{\"queue\":{\"name\":\"q\",\"priorityFactor\":1,\"retryPolicies\":[\"p0\"]}}}}\n";
    let end = "{\"result\":{\"Event\":{\"end\":{}}}}\n";
    // The lists in which the queue has the policy: 1 is the check, 2 is read meanwhile, 3 afterwards.
    let cases = [
        (&[1, 2][..], "the queue has lost it"),
        (&[1, 3], "the queue still names it"),
        (&[3], "the queue still names it"),
        (&[1], ""),
        (&[], ""),
    ];
    at_once(cases, |(with, words)| {
        for command in ["delete rp p0 --detach", "apply -f none.yaml --prune p0 --yes --detach"] {
            let count = AtomicUsize::new(0);
            let held = std::sync::Mutex::new(String::from(
                r#"{"name":"q","priorityFactor":1,"retryPolicies":["p0"]}"#,
            ));
            let fake = Fake::routed(move |request| {
                if request.starts_with("GET /v1/retry-policies ") {
                    return json(r#"{"retryPolicies":[{"name":"p0"}]}"#);
                }
                if request.starts_with("GET /v1/batched/queues ") {
                    let number = count.fetch_add(1, Ordering::SeqCst) + 1;
                    let has_it = with.contains(&number);
                    return json(&format!("{}{end}", if has_it { queue } else { "" }));
                }
                if request.starts_with("PUT /v1/queue/q ") {
                    *held.lock().unwrap() = request.split_once("\r\n\r\n").unwrap().1.to_owned();
                    return json("{}");
                }
                if request.contains(" /v1/queue/q ") {
                    return json(&held.lock().unwrap());
                }
                if request.starts_with("GET /v1/queue/") {
                    return json(r#"{"name":"none","priorityFactor":1}"#);
                }
                json(r#"{"name":"p0","defaultAction":"Fail"}"#)
            });
            let sandbox = Sandbox::new();
            let file = "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: none\npriorityFactor: 1\n";
            sandbox.file("none.yaml", file);
            let run = sandbox.run(&format!("{command} --armada-rest-url {}", fake.url()));
            let run = run.exits(if words.is_empty() { 0 } else { 6 });
            assert!(run.stderr.contains(words), "{with:?}: {run}");
            let requests = fake.requests();
            let of = |line: &str| requests.iter().filter(|r| r.starts_with(line)).count();
            assert_eq!(of("DELETE "), 1, "{run}");
            assert_eq!(of("GET /v1/batched/queues "), 3, "{run}");
        }
    });
}

/// What was written before the list of policies failed is reported, with the reason.
#[test]
fn pruning_that_cannot_read_reports_what_was_written() {
    at_once([(403, 4), (429, 7), (500, 7)], |(status, code)| {
        let fake = Fake::routed(move |request| {
            if request.starts_with("GET /v1/retry-policies ") {
                return answer(status, &[], r#"{"error":"no list","code":7,"message":"no list"}"#);
            }
            if request.starts_with("GET /v1/retry-policy/") {
                let held = r#"{"name":"p0","defaultAction":"Fail","rules":[{"action":"Retry","onCategory":"c0"}]}"#;
                return json(held);
            }
            json("{}")
        });
        let line = format!(
            "apply -f many.yaml --prune old --yes -o json --armada-rest-url {}",
            fake.url()
        );
        let run = sandbox(1).run(&line).exits(code);
        assert_eq!(items(&run), ["RetryPolicy/p0 unchanged"], "{run}");
        assert!(run.stderr.contains("error: "), "{run}");
    });
}
