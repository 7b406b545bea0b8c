//! Writes whose answer is lost. A proxy passes requests to a real server (`serve`) and loses answers; what a
//! command reports is then compared with what the server has.
//!
//! Holds cli.md Exit codes.

use super::http::Serving;
use super::quirks::{Fake, Piece, Script};
use super::resources::items;
use super::sandbox::{Run, Sandbox, at_once};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What a proxy does with a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Passes it on, and cuts the answer after this share of its bytes, in percent.
    Cut(usize),
    /// Passes it on, cuts the answer, and answers no request from then on.
    CutAndGone,
    /// Passes it on, answers 503 instead of the server, and no request from then on.
    UnavailableAndGone,
    /// Closes the connection without passing it on.
    NotPassed,
    /// Answers 503 without passing it on.
    Unavailable,
    /// Answers nothing for longer than the client waits, and does not pass it on.
    Silent,
}

/// Sends a request to a server and returns the bytes of its answer.
fn forward(address: SocketAddr, request: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let request = request.replacen("\r\n", "\r\nConnection: close\r\n", 1);
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

fn proxy(address: SocketAddr, fault: Fault) -> Fake {
    let gone = AtomicUsize::new(0);
    Fake::routed(move |request| -> Script {
        let unavailable = b"HTTP/1.1 503 X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        if gone.load(Ordering::SeqCst) > 0 {
            return Vec::new();
        }
        if request.starts_with("GET ") {
            return vec![Piece::Bytes(forward(address, request))];
        }
        if matches!(fault, Fault::CutAndGone | Fault::UnavailableAndGone) {
            gone.store(1, Ordering::SeqCst);
        }
        match fault {
            Fault::NotPassed => Vec::new(),
            Fault::Unavailable => vec![Piece::Bytes(unavailable.to_vec())],
            Fault::Silent => vec![Piece::Silence(20_000)],
            Fault::Cut(percent) => {
                let answer = forward(address, request);
                vec![Piece::Bytes(answer[..answer.len() * percent / 100].to_vec())]
            }
            Fault::CutAndGone => {
                forward(address, request);
                Vec::new()
            }
            Fault::UnavailableAndGone => {
                forward(address, request);
                vec![Piece::Bytes(unavailable.to_vec())]
            }
        }
    })
}

const COMMANDS: [&str; 17] = [
    "create -f new.yaml",
    "create -f queue.yaml",
    "create queue r --priority-factor 2 --owners ann",
    "update -f changed.yaml",
    "update queue q --priority-factor 3",
    "apply -f new.yaml",
    "apply -f changed.yaml",
    "apply -f changed.yaml --prune free* --yes",
    "delete retrypolicy free",
    "delete retrypolicy used --detach",
    "delete queue q",
    "attach retrypolicy free --queue q",
    "detach retrypolicy used --queue q",
    "cordon queue q",
    "uncordon queue c",
    "delete -f queues.yaml",
    "edit retrypolicy used",
];

fn policy_file(name: &str, limit: u32) -> String {
    format!(
        "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: {name}\nretryLimit: {limit}\ndefaultAction: Retry\n"
    )
}

fn queue_file(name: &str) -> String {
    format!("apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: {name}\npriorityFactor: 1\n")
}

/// A server with policies and queues, and files for the commands.
fn setting() -> (Sandbox, Serving) {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    let post = |path: &str, body: &str| assert_eq!(server.call("POST", path, body).status, 200);
    for name in ["used", "free"] {
        let body = format!(r#"{{"name":"{name}","retryLimit":1,"defaultAction":"Retry"}}"#);
        post("/v1/retry-policy", &body);
    }
    post(
        "/v1/queue",
        r#"{"name":"q","priorityFactor":1,"retryPolicies":["used"],"labels":{"a":"b"}}"#,
    );
    post("/v1/queue", r#"{"name":"c","priorityFactor":1,"cordoned":true}"#);
    sandbox.file("new.yaml", policy_file("new", 2));
    sandbox.file("changed.yaml", policy_file("used", 7));
    sandbox.file("queue.yaml", queue_file("r"));
    sandbox.file("queues.yaml", queue_file("c"));
    sandbox.file("editor.sh", "sed -i 's/retryLimit: 1/retryLimit: 4/' \"$1\"\n");
    (sandbox, server)
}

fn run(sandbox: &Sandbox, address: &str, line: &str) -> Run {
    sandbox.run_with(&format!("{line} --armada-rest-url {address} -o json"), |command| {
        command.env("EDITOR", "sh editor.sh").env("TMPDIR", sandbox.path());
    })
}

/// All policies and queues of a server.
fn state(server: &Serving) -> [String; 2] {
    ["/v1/retry-policies", "/v1/batched/queues"].map(|path| server.get(path).body)
}

/// The names and actions of a report, which fits its schema.
fn rows(run: &Run) -> Vec<(String, String)> {
    let row = |item: String| {
        let mut words = item.split(' ');
        let name = words.next().unwrap().split('/').next_back().unwrap().to_owned();
        (name, words.next().unwrap().to_owned())
    };
    items(run).into_iter().map(row).collect()
}

fn actions(run: &Run) -> Vec<String> {
    rows(run).into_iter().map(|(_, action)| action).collect()
}

/// The state after each command on a server without faults.
fn expected(line: &str) -> [String; 2] {
    let (sandbox, server) = setting();
    run(&sandbox, &format!("http://{}", server.address), line).exits(0);
    state(&server)
}

/// Runs each command through a proxy with this fault.
fn each(fault: Fault, check: impl Fn(&str, &Run, [String; 2], [String; 2]) + Sync) {
    at_once(COMMANDS, |line| {
        let (sandbox, server) = setting();
        let before = state(&server);
        let proxy = proxy(server.address, fault);
        let run = run(&sandbox, &proxy.url(), line);
        assert!(!run.stderr.contains("https"), "{fault:?} {run}");
        check(line, &run, before, state(&server));
    });
}

/// One read after a lost answer shows that the write was done.
#[test]
fn a_write_whose_answer_is_cut_is_reported_as_done() {
    for percent in [0, 60, 99] {
        each(Fault::Cut(percent), |line, run, _, after| {
            assert_eq!(run.code, 0, "{percent} {run}");
            assert!(
                actions(run).iter().all(|action| action != "failed" && action != "unknown"),
                "{percent} {run}"
            );
            assert_eq!(after, expected(line), "{percent} {run}");
        });
    }
}

/// If the read fails too, nothing is certain: neither `failed` nor `created`.
#[test]
fn a_write_that_no_read_can_confirm_is_unknown() {
    for fault in [Fault::CutAndGone, Fault::UnavailableAndGone] {
        each(fault, |_, run, _, _| {
            assert_eq!(run.code, 7, "{fault:?} {run}");
            let actions = actions(run);
            assert_eq!(actions[0], "unknown", "{fault:?} {run}");
            assert!(
                actions[1..].iter().all(|action| action == "notDone" || action == "failed"),
                "{run}"
            );
            assert_eq!(run.json()["summary"]["unknown"], 1, "{run}");
            assert!(run.stderr.contains("the server may have done it nevertheless"), "{run}");
            let advice = ["run the command again", "check with `armadactl get"];
            assert!(advice.iter().any(|part| run.stderr.contains(part)), "{run}");
        });
    }
}

/// A write that never reached the server has failed, and two reads show it.
#[test]
fn a_write_that_did_not_arrive_has_failed() {
    for fault in [Fault::NotPassed, Fault::Unavailable] {
        each(fault, |_, run, before, after| {
            assert_eq!(run.code, 7, "{fault:?} {run}");
            let actions = actions(run);
            assert_eq!(actions[0], "failed", "{fault:?} {run}");
            assert!(!actions.iter().any(|action| action == "unknown"), "{fault:?} {run}");
            assert_eq!(after, before, "{fault:?} {run}");
        });
    }
}

/// After a timeout the server may carry the write out later, so that no read proves that it will not.
#[test]
fn a_write_that_timed_out_is_unknown() {
    let (sandbox, server) = setting();
    for line in ["create -f new.yaml", "cordon queue q"] {
        let proxy = proxy(server.address, Fault::Silent);
        let run = run(&sandbox, &proxy.url(), &format!("{line} --request-timeout 700ms")).exits(7);
        assert_eq!(actions(&run), ["unknown"], "{run}");
    }
}

/// A server that refuses connections has not received the write: that is certain without a read.
#[test]
fn a_write_without_a_connection_has_failed() {
    // A few at once: more would make the machine slow, and their counts uncertain.
    at_once(COMMANDS.chunks(3), |lines| lines.iter().for_each(|line| is_refused(line)));
}

fn is_refused(line: &str) {
    let (sandbox, server) = setting();
    // The reads of a dry run are those before the write, and some commands read once more.
    let count_reads = || {
        let counter = proxy(server.address, Fault::NotPassed);
        run(&sandbox, &counter.url(), line);
        let is_write = |request: &String| !request.starts_with("GET ");
        counter.requests().iter().position(is_write).unwrap()
    };
    // On a loaded machine a count was too high once, so that the write was passed on.
    let reads = count_reads().min(count_reads());
    let before = state(&server);
    let address = closing_proxy(server.address, reads);
    let run = run(&sandbox, &format!("http://{address}"), line).exits(7);
    assert_eq!(actions(&run)[0], "failed", "{run}");
    assert!(run.stderr.contains("refused the connection"), "{run}");
    assert_eq!(state(&server), before, "{run}");
}

/// A proxy that passes this many requests on, one a connection, and then refuses connections.
fn closing_proxy(server: SocketAddr, count: usize) -> SocketAddr {
    // On an address of its own: no other test gets the port once it is free.
    let listener = TcpListener::bind("127.0.0.2:0").or_else(|_| TcpListener::bind("127.0.0.1:0"));
    let listener = listener.unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for index in 0..count {
            let (mut stream, _) = listener.accept().unwrap();
            let mut request = [0; 8192];
            let length = stream.read(&mut request).unwrap();
            let request = String::from_utf8_lossy(&request[..length]).into_owned();
            let answer = forward(server, &request);
            if index + 1 == count {
                // The last answer ends after the listener, so that the write finds none.
                drop(listener);
                // A client on a loaded machine may have opened its next connection already: it sees its reset by then.
                std::thread::sleep(Duration::from_millis(100));
                stream.write_all(&answer).unwrap();
                return;
            }
            stream.write_all(&answer).unwrap();
        }
    });
    address
}

/// A server that is killed in the middle of an apply of 60: every row agrees with the database.
#[cfg(unix)]
#[test]
fn a_server_that_is_killed_leaves_no_false_row() {
    for kill_at in [1, 15, 40] {
        let sandbox = Sandbox::new();
        let server = Serving::with_db(&sandbox, "serve.db", "");
        let (address, pid) = (server.address, server.child.id().to_string());
        let writes = AtomicUsize::new(0);
        let proxy = Fake::routed(move |request| {
            let is_write = !request.starts_with("GET ");
            let number = if is_write { writes.fetch_add(1, Ordering::SeqCst) + 1 } else { 0 };
            let Ok(mut stream) = TcpStream::connect(address) else { return Vec::new() };
            let request = request.replacen("\r\n", "\r\nConnection: close\r\n", 1);
            let mut answer = Vec::new();
            let sent = stream.write_all(request.as_bytes());
            if number == kill_at {
                let mut kill = std::process::Command::new("kill");
                kill.args(["-9", &pid]).status().unwrap();
            }
            let _ = sent.and_then(|()| stream.read_to_end(&mut answer));
            vec![Piece::Bytes(answer)]
        });
        let many: Vec<String> = (0..60).map(|n| policy_file(&format!("p{n:02}"), n)).collect();
        sandbox.file("many.yaml", many.join("---\n"));
        let run = run(&sandbox, &proxy.url(), "apply -f many.yaml").exits(7);
        drop(server);
        let server = Serving::with_db(&sandbox, "serve.db", "");
        let live = server.get("/v1/retry-policies").body;
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for (name, action) in rows(&run) {
            let is_there = live.contains(&format!("\"{name}\""));
            match action.as_str() {
                "created" => assert!(is_there, "{name} {run}"),
                "notDone" | "failed" => assert!(!is_there, "{name} {run}"),
                other => assert_eq!(other, "unknown", "{run}"),
            }
            *counts.entry(action).or_default() += 1;
        }
        assert_eq!(counts.values().sum::<usize>(), 60, "{counts:?}");
        assert!(counts["unknown"] >= 1 && counts["unknown"] <= 16, "{counts:?}");
        let again = format!("apply -f many.yaml --armada-rest-url http://{}", server.address);
        let again = sandbox.run(&again).exits(0);
        assert!(!again.stdout.contains("failed"), "{again}");
        let list: Value = server.get("/v1/retry-policies").json();
        assert_eq!(list["retryPolicies"].as_array().unwrap().len(), 60);
    }
}

/// Bulk work through a proxy that cuts every answer: all is done, and all is reported as done.
#[test]
fn an_apply_whose_answers_are_all_cut_is_reported_as_done() {
    let (sandbox, server) = setting();
    let many: Vec<String> = (0..60).map(|n| policy_file(&format!("p{n:02}"), n)).collect();
    sandbox.file("many.yaml", many.join("---\n"));
    let proxy = proxy(server.address, Fault::Cut(0));
    let run = run(&sandbox, &proxy.url(), "apply -f many.yaml").exits(0);
    assert_eq!(actions(&run), ["created"; 60], "{run}");
}
