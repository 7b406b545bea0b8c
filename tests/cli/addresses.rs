//! Which server a command reaches: the first address of flags, environment and context, and no other.
//!
//! `crates/client/src/config/tests.rs` compares all combinations with an independent order. Here real commands run, and
//! each address has a server of its own that records what it receives.
//!
//! Holds cli.md Global flags.

use super::client::END;
use super::quirks::{Fake, Script, answer};
use super::sandbox::{Run, Sandbox, at_once};
use std::sync::Mutex;

/// The sources of an address, the one that counts first.
const SOURCES: [&str; 7] = [
    "--armada-rest-url",
    "--armadaUrl",
    "ARMADACTL_ARMADA_REST_URL",
    "ARMADACTL_ARMADAURL",
    "ARMADAURL",
    "armadaRestUrl",
    "armadaUrl",
];

/// Commands that write, and commands that only read.
const COMMANDS: [&str; 7] = [
    "delete retrypolicy p --detach",
    "delete queue q",
    "apply -f q.yaml --prune * --yes --detach",
    "attach retrypolicy p --queue q",
    "get queue q",
    "diff -f q.yaml",
    "version --server",
];

/// What a source holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `http://HOST:PORT` of its server.
    Http,
    /// `HOST:PORT` of its server: the form of a gRPC address.
    Grpc,
    /// `HOST:PORT` of the context's own `armadaUrl`.
    Own,
}

use Form::{Grpc, Http, Own};

/// A server with a policy `p` and a queue `q`, which keeps what is written to the queue.
fn server() -> Fake {
    let json = |body: &str| -> Script { answer(200, &["Content-Type: application/json"], body) };
    let queue = Mutex::new(r#"{"name":"q","priorityFactor":1}"#.to_owned());
    Fake::routed(move |request| {
        let policy = r#"{"name":"p","retryLimit":1,"defaultAction":"Fail"}"#;
        let mut queue = queue.lock().unwrap();
        match request.lines().next().unwrap_or_default() {
            line if line.starts_with("GET /v1/retry-policies") => {
                json(&format!(r#"{{"retryPolicies":[{policy}]}}"#))
            }
            line if line.starts_with("GET /v1/retry-policy/") => json(policy),
            line if line.starts_with("GET /v1/queue/") => json(&queue),
            line if line.starts_with("GET /v1/batched") => {
                json(&format!("{{\"result\":{{\"Event\":{{\"queue\":{queue}}}}}}}\n{END}\n"))
            }
            line if line.starts_with("PUT /v1/queue/") => {
                request.split_once("\r\n\r\n").unwrap().1.clone_into(&mut queue);
                json("{}")
            }
            _ => json("{}"),
        }
    })
}

/// Seven servers, and the addresses of one case.
struct Servers {
    fakes: Vec<Fake>,
    seen: Vec<usize>,
}

impl Servers {
    fn new() -> Self {
        Self { fakes: SOURCES.iter().map(|_| server()).collect(), seen: vec![0; SOURCES.len()] }
    }

    fn address(&self, source: usize, form: Form) -> String {
        let url = self.fakes[if form == Own { SOURCES.len() - 1 } else { source }].url();
        if form == Http { url } else { url.replace("http://", "") }
    }

    /// Runs a command with these addresses.
    fn run(&self, command: &str, addresses: &[(usize, Form)]) -> Run {
        let sandbox = Sandbox::new();
        let queue = "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: q\n";
        sandbox.file("q.yaml", format!("{queue}priorityFactor: 2\n"));
        sandbox.file(
            "runs.jsonl",
            "{\"jobId\": \"j\", \"runIndex\": 0, \"outcome\": \"Failed\", \"queue\": \"q\"}\n",
        );
        let (mut flags, mut variables, mut context) = (String::new(), Vec::new(), String::new());
        for (source, form) in addresses {
            let (name, value) = (SOURCES[*source], self.address(*source, *form));
            match source {
                0 | 1 => flags += &format!(" {name} {value}"),
                2..=4 => variables.push((name, value)),
                _ => context += &format!("    {name}: {value}\n"),
            }
        }
        if !context.is_empty() {
            let file = format!("currentContext: a\ncontexts:\n  a:\n{context}");
            sandbox.file(".armadactl.yaml", file);
        }
        let line = match command.split_once(" FLAGS ") {
            Some((start, end)) => format!("{start} {flags} {end}"),
            None => format!("{command} {flags}"),
        };
        sandbox.run_with(&line, |command| _ = command.envs(variables))
    }

    /// The servers that received a request since the last call.
    fn reached(&mut self) -> Vec<&'static str> {
        let now: Vec<usize> = self.fakes.iter().map(|fake| fake.requests().len()).collect();
        let before = std::mem::replace(&mut self.seen, now);
        let reached = (0..SOURCES.len()).filter(|source| self.seen[*source] > before[*source]);
        reached.map(|source| SOURCES[source]).collect()
    }
}

/// The source whose server a command reaches; `None` for an address that cannot be used.
fn expected(addresses: &[(usize, Form)]) -> Option<&'static str> {
    let is_own = |form: Form| form == Own && addresses.contains(&(SOURCES.len() - 1, Grpc));
    let first = addresses.iter().find(|(source, form)| {
        let is_of_context = *source == SOURCES.len() - 1 && *form == Grpc;
        !is_own(*form) && !is_of_context
    })?;
    (first.1 == Http).then_some(SOURCES[first.0])
}

/// Each source in each form above each other source, in each kind of context.
fn cases() -> Vec<Vec<(usize, Form)>> {
    let forms = |source: usize| match source {
        0 | 2 | 5 => vec![Http],
        6 => vec![Http, Grpc],
        _ => vec![Http, Grpc, Own],
    };
    let contexts =
        [vec![], vec![(5, Http)], vec![(6, Grpc)], vec![(5, Http), (6, Grpc)], vec![(6, Http)]];
    let mut cases = Vec::new();
    for context in &contexts {
        for first in 0..5 {
            for form in forms(first) {
                cases.push([vec![(first, form)], context.clone()].concat());
                for second in first + 1..5 {
                    for other in forms(second) {
                        let pair = vec![(first, form), (second, other)];
                        cases.push([pair, context.clone()].concat());
                    }
                }
            }
        }
        // Without a context and an address, a command would reach whatever listens on port 8080.
        cases.extend((!context.is_empty()).then(|| context.clone()));
    }
    cases
}

#[test]
fn a_request_goes_to_the_first_address_and_to_no_other_server() {
    let cases = cases();
    assert_eq!(cases.len(), 5 * (11 + 46) + 4);
    // Most of the time is the wait before the second read of a changed queue.
    at_once(cases.chunks(cases.len().div_ceil(16)), |part| {
        let mut servers = Servers::new();
        for (index, addresses) in part.iter().enumerate() {
            check(&mut servers, COMMANDS[index % COMMANDS.len()], addresses);
        }
    });
}

fn check(servers: &mut Servers, command: &str, addresses: &[(usize, Form)]) {
    let run = servers.run(command, addresses);
    let expected = expected(addresses);
    assert_eq!(servers.reached(), Vec::from_iter(expected), "{addresses:?}\n{run}");
    if expected.is_some() {
        assert!(run.code < 2, "{addresses:?}\n{run}");
        return;
    }
    assert_eq!(run.code, 2, "{addresses:?}\n{run}");
    for part in ["armadaRestUrl", "http://HOST:8080", "https://HOST/api"] {
        assert!(run.stderr.contains(part), "{addresses:?}\n{run}");
    }
}

/// Every command that sends requests refuses an address of Armada's gRPC API, and names it.
#[test]
fn every_command_refuses_a_grpc_address_before_any_request() {
    let mut servers = Servers::new();
    let more = [
        "create queue r",
        "update queue q --cordon",
        "detach retrypolicy p --queue q",
        "cordon queue q",
        "uncordon queue q",
        "edit retrypolicy p",
        "get retrypolicy",
        "simulate --live --history runs.jsonl",
    ];
    for command in COMMANDS.into_iter().chain(more) {
        for source in [1, 3, 4] {
            let run = servers.run(command, &[(source, Grpc), (5, Http), (6, Grpc)]);
            assert_eq!((run.code, servers.reached()), (2, Vec::new()), "{run}");
            let name = format!("given as `{}`, is a gRPC address", SOURCES[source]);
            assert!(run.stderr.contains(&name), "{run}");
            let end = format!("Without `{}`, the address is the `armadaRestUrl`", SOURCES[source]);
            assert!(run.stderr.contains(&end), "{run}");
        }
    }
}

/// Completion offers names of the same server, and none where a command would be refused.
#[test]
fn completions_come_from_the_same_server() {
    let mut servers = Servers::new();
    for (addresses, reached) in [
        (vec![(1, Http), (5, Http)], vec!["--armadaUrl"]),
        (vec![(4, Http), (5, Http)], vec!["ARMADAURL"]),
        (vec![(4, Grpc), (5, Http)], vec![]),
        (vec![(4, Own), (5, Http), (6, Grpc)], vec!["armadaRestUrl"]),
    ] {
        let run = servers.run("__complete -- get FLAGS queue q", &addresses);
        assert_eq!(servers.reached(), reached, "{run}");
        assert_eq!(run.stdout, if reached.is_empty() { "" } else { "q\n" }, "{run}");
    }
}
