//! The comment of the GitHub Action on a pull request: the replay of the base's policies and those of the change, posted
//! to a server that answers as GitHub's API does, and the script for GitLab of docs/guides/ci.md.

use super::actions::{action, action_on, has, in_repository, output, repository, run};
use super::sandbox::{Sandbox, root};
use serde_json::{Value, json};
use std::fs::read_to_string;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

const MARKER: &str = "<!-- armadactl report: policies -->";

/// The comments of a pull request or a merge request, and the requests.
#[derive(Default)]
struct State {
    comments: Vec<Value>,
    /// Method and path of each request.
    requests: Vec<String>,
    /// The status of requests that write, if they fail.
    refused: Option<u16>,
    /// The login of the token's user, if it has one.
    login: Option<&'static str>,
}

/// A server with the comments of pull request 7 of `o/r`, or the notes of merge request 7 of project 5.
struct Forge {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl Forge {
    fn start(state: State) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(Mutex::new(state));
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &shared);
            }
        });
        Self { address, state }
    }

    fn requests(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().expect("the state").requests)
    }

    fn bodies(&self) -> Vec<String> {
        let state = self.state.lock().expect("the state");
        let body = |comment: &Value| comment["body"].as_str().expect("a body").to_owned();
        state.comments.iter().map(body).collect()
    }
}

/// Reads a request and answers it.
fn answer(mut stream: TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    let (mut first, mut length, mut token) = (String::new(), 0, String::new());
    reader.read_line(&mut first).expect("a request");
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("a header");
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().expect("a length"),
            "authorization" | "private-token" => token = value.trim_start_matches("Bearer ").into(),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let mut words = first.split(' ');
    let (method, path) = (words.next().expect("a method"), words.next().expect("a path"));
    let mut state = state.lock().expect("the state");
    state.requests.push(format!("{method} {path}"));
    let (status, body) = match token.as_str() {
        "secret" => state.respond(method, path, &body),
        _ => (401, json!({"message": "Bad credentials"})),
    };
    let body = body.to_string();
    let head =
        format!("HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {}", body.len());
    stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).expect("an answer");
}

impl State {
    fn respond(&mut self, method: &str, path: &str, body: &[u8]) -> (u16, Value) {
        let refusal = json!({"message": "Resource not accessible by integration"});
        let path =
            path.replace("/projects/5/merge_requests/7/notes", "/repos/o/r/issues/7/comments");
        match (method, path.split('?').next().unwrap_or_default()) {
            ("GET", "/user") => match self.login {
                Some(login) => (200, json!({"login": login})),
                None => (403, refusal),
            },
            ("GET", "/repos/o/r/issues/7/comments") => {
                let parameter = |name: &str| -> usize {
                    let found = path.split(['?', '&']).find_map(|it| it.strip_prefix(name));
                    found.expect("a parameter").parse().expect("a number")
                };
                let (size, page) = (parameter("per_page="), parameter("page="));
                let comments = self.comments.iter().skip((page - 1) * size).take(size);
                (200, comments.cloned().collect())
            }
            _ if self.refused.is_some() => (self.refused.unwrap_or_default(), refusal),
            ("POST", "/repos/o/r/issues/7/comments") => {
                let body: Value = serde_json::from_slice(body).expect("JSON");
                let comment = comment(&body["body"], "github-actions[bot]", self.comments.len());
                self.comments.push(comment.clone());
                (201, comment)
            }
            ("PATCH" | "PUT", path) => {
                let id: usize =
                    path.rsplit('/').next().and_then(|id| id.parse().ok()).expect("an id");
                let body: Value = serde_json::from_slice(body).expect("JSON");
                self.comments[id]["body"] = body["body"].clone();
                (200, self.comments[id].clone())
            }
            _ => (404, json!({"message": "Not Found"})),
        }
    }
}

fn comment(body: &Value, login: &str, id: usize) -> Value {
    let kind = if login.ends_with("[bot]") { "Bot" } else { "User" };
    json!({"id": id, "body": body, "user": {"login": login, "type": kind}})
}

/// Runs the Action's script that comments; returns what it prints.
#[track_caller]
fn post(sandbox: &Sandbox, forge: &Forge, changes: &[(&str, &str)]) -> String {
    let script = root().join(".github/action/comment");
    let mut command = in_repository(sandbox, "bash", &[script.to_str().expect("UTF-8")]);
    command
        .env("INPUT_COMMENT", "policies")
        .env("INPUT_TOKEN", "secret")
        .env("INPUT_MARKDOWN", "comment.md")
        .env("GITHUB_EVENT_NAME", "pull_request")
        .env("GITHUB_EVENT_PATH", "event.json")
        .env("GITHUB_REPOSITORY", "o/r")
        .env("GITHUB_API_URL", format!("http://{}", forge.address))
        .env("RUNNER_TEMP", sandbox.path());
    for (name, value) in changes {
        command.env(name, value);
    }
    run(&mut command, 0)
}

/// A repository with a comment to post, or `None` where a program is missing.
fn with_comment() -> Option<Sandbox> {
    let sandbox = repository().filter(|_| has("curl") && has("jq"))?;
    sandbox
        .file("event.json", r#"{"pull_request": {"number": 7}}"#)
        .file("comment.md", format!("{MARKER}\nfirst \"é\" \\ `$(x)`\n"));
    Some(sandbox)
}

#[test]
fn a_comment_is_posted_once_and_replaced() {
    let Some(sandbox) = with_comment() else { return };
    let forge = Forge::start(State::default());
    assert_eq!(post(&sandbox, &forge, &[]), "commented on pull request 7\n");
    let wanted = [
        "GET /user",
        "GET /repos/o/r/issues/7/comments?per_page=100&page=1",
        "POST /repos/o/r/issues/7/comments",
    ];
    assert_eq!(forge.requests(), wanted);
    assert_eq!(forge.bodies(), [format!("{MARKER}\nfirst \"é\" \\ `$(x)`\n")]);
    sandbox.file("comment.md", format!("{MARKER}\nsecond\n"));
    post(&sandbox, &forge, &[]);
    assert_eq!(forge.requests()[2], "PATCH /repos/o/r/issues/comments/0");
    assert_eq!(forge.bodies(), [format!("{MARKER}\nsecond\n")]);
    // A comment with another marker is another one.
    let other = MARKER.replace("policies", "gpu");
    sandbox.file("comment.md", format!("{other}\nthird\n"));
    post(&sandbox, &forge, &[]);
    assert_eq!(forge.bodies().len(), 2);
}

/// Comments of 100 on a page, of others with the same marker, and with line ends as a browser sends them.
#[test]
fn the_comment_is_found_among_many() {
    let Some(sandbox) = with_comment() else { return };
    let mut comments: Vec<Value> =
        (0..250).map(|id| comment(&json!("a comment"), "somebody", id)).collect();
    comments[3] = comment(&json!(format!("{MARKER}\nof a person")), "somebody", 3);
    comments[4] = comment(&json!(format!("see {MARKER}\n")), "github-actions[bot]", 4);
    comments[201] = comment(&json!(format!("{MARKER}\r\nours")), "github-actions[bot]", 201);
    let forge = Forge::start(State { comments: comments.clone(), ..State::default() });
    post(&sandbox, &forge, &[]);
    let requests = forge.requests();
    assert_eq!(requests[3], "GET /repos/o/r/issues/7/comments?per_page=100&page=3");
    assert_eq!(requests[4..], ["PATCH /repos/o/r/issues/comments/201"]);
    // With the token of a person, that person's comment.
    let forge = Forge::start(State { comments, login: Some("somebody"), ..State::default() });
    post(&sandbox, &forge, &[]);
    assert_eq!(forge.requests()[2..], ["PATCH /repos/o/r/issues/comments/3"]);
    // Whole pages without it.
    let comments = (0..100).map(|id| comment(&json!("a"), "somebody", id)).collect();
    let forge = Forge::start(State { comments, ..State::default() });
    post(&sandbox, &forge, &[]);
    assert_eq!(forge.requests().len(), 4);
    assert_eq!(forge.bodies().len(), 101);
}

#[test]
fn a_comment_that_cannot_be_posted_is_no_failure() {
    let Some(sandbox) = with_comment() else { return };
    let forge = Forge::start(State { refused: Some(403), ..State::default() });
    let printed = post(&sandbox, &forge, &[]);
    assert!(
        printed.starts_with("::notice::comment: the token may not write comments"),
        "{printed}"
    );
    assert!(printed.contains("pull-requests: write"), "{printed}");
    forge.requests();
    let printed = post(&sandbox, &forge, &[("INPUT_TOKEN", "other")]);
    assert!(printed.starts_with("::notice::comment: the token may not"), "{printed}");
    forge.state.lock().expect("the state").refused = Some(500);
    let printed = post(&sandbox, &forge, &[]);
    let message =
        "::warning::comment: the server answered 500 Resource not accessible by integration\n";
    assert_eq!(printed, message);
    let printed = post(&sandbox, &forge, &[("GITHUB_API_URL", "http://127.0.0.1:1")]);
    assert_eq!(printed, "::warning::comment: the server answered 000 \n");
    assert_eq!(forge.bodies().len(), 0);
}

#[test]
fn without_a_pull_request_or_a_name_there_is_no_comment() {
    let Some(sandbox) = with_comment() else { return };
    let forge = Forge::start(State::default());
    for changes in [
        ("INPUT_COMMENT", ""),
        ("GITHUB_EVENT_NAME", "push"),
        ("INPUT_MARKDOWN", ""),
        ("INPUT_MARKDOWN", "none.md"),
    ] {
        assert_eq!(post(&sandbox, &forge, &[changes]), "", "{changes:?}");
    }
    sandbox.file("event.json", "{}");
    let printed = post(&sandbox, &forge, &[]);
    assert!(printed.contains("the event names no pull request"), "{printed}");
    assert_eq!(forge.requests(), [""; 0]);
}

/// A clone of a repository whose branch `main` has policies and a history, with a merge of a change as GitHub makes it.
fn pull_request() -> Option<Sandbox> {
    let sandbox = repository()?;
    sandbox.examples(&["fleet.jsonl"]);
    let settings = "simulate:\n  policies: [policies]\n  history: [fleet.jsonl]\n  flags: [--queue-policies, infra]\n";
    sandbox.file(".armadactl-lint.yaml", settings);
    let git = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        run(&mut in_repository(&sandbox, "git", &words), 0)
    };
    git("add -A");
    git("commit -q -m base");
    git("branch -M main");
    git("checkout -q -b change");
    let path = sandbox.path().join("policies/infra.yaml");
    let text = read_to_string(&path).expect("a policy");
    sandbox.file("policies/infra.yaml", text.replace("action: Retry", "action: Fail"));
    git("commit -q -a -m change");
    git("checkout -q --detach main");
    git("merge -q --no-ff -m merge change");
    Some(sandbox)
}

#[test]
fn the_action_replays_the_base_and_the_change() {
    let Some(sandbox) = pull_request() else { return };
    let head = run(&mut in_repository(&sandbox, "git", &["rev-parse", "HEAD"]), 0);
    // `lint` finds a warning in the change.
    let inputs = [("COMMANDS", "simulate lint fmt"), ("FILES", "policies"), ("COMMENT", "gpu")];
    // As on GitHub, the temporary directory is outside of the checkout.
    let temporary = Sandbox::new();
    let runner = temporary.path().to_str().expect("UTF-8");
    let github = [
        ("GITHUB_EVENT_NAME", "pull_request"),
        ("GITHUB_BASE_REF", "main"),
        ("GITHUB_SHA", head.trim()),
        ("RUNNER_TEMP", runner),
    ];
    let (printed, outputs, summary) = action_on(&sandbox, &inputs, &github, 1);
    assert!(!printed.contains("::warning::"), "{printed}");
    let comment = read_to_string(output(&outputs, "markdown")).expect("a comment");
    assert!(
        comment.starts_with("<!-- armadactl report: gpu -->\n<!-- armadactl:simulate -->\n### ")
    );
    assert!(
        comment.contains(" | <code>on record</code> | <code>base</code> | <code>pr</code> |\n"),
        "{comment}"
    );
    for row in [
        "\n- <code>base</code>: base/policies/infra.yaml, SHA-256 ",
        "\n- <code>pr</code>: policies/infra.yaml, SHA-256 ",
    ] {
        assert!(comment.contains(row), "{comment}");
    }
    let command = "<code>armadactl simulate --variant base=base/policies";
    assert!(comment.contains(command), "{comment}");
    let places: Vec<usize> = ["simulate", "lint", "fmt"]
        .iter()
        .map(|name| {
            let section = comment.find(&format!("<!-- armadactl:{name} -->"));
            section.or(comment.find(&format!("### armadactl {name}: passed"))).expect("a section")
        })
        .collect();
    assert!(places.is_sorted(), "{comment}");
    assert_eq!(summary, comment.split_once('\n').expect("lines").1);
    assert!(!comment.contains(sandbox.path().to_str().expect("UTF-8")), "{comment}");
    assert!(!comment.contains(runner), "{comment}");
}

/// By the branch of the base if the checkout is not GitHub's merge, and without both nothing is compared.
#[test]
fn the_base_is_what_the_checkout_has() {
    let Some(sandbox) = pull_request() else { return };
    let git = |words: &[&str]| run(&mut in_repository(&sandbox, "git", words), 0);
    git(&["checkout", "-q", "change"]);
    let inputs = [("COMMANDS", "simulate"), ("FILES", "policies")];
    let github = [("GITHUB_BASE_REF", "main"), ("GITHUB_SHA", "0")];
    let (printed, outputs, _) = action_on(&sandbox, &inputs, &github, 0);
    assert!(
        printed.contains("::warning::simulate: the checkout lacks the base branch"),
        "{printed}"
    );
    let comment = read_to_string(output(&outputs, "markdown")).expect("a comment");
    assert!(!comment.contains("| <code>base</code> |"), "{comment}");
    git(&["update-ref", "refs/remotes/origin/main", "main"]);
    let (printed, outputs, _) = action_on(&sandbox, &inputs, &github, 0);
    assert!(!printed.contains("::warning::"), "{printed}");
    let comment = read_to_string(output(&outputs, "markdown")).expect("a comment");
    assert!(comment.contains("| <code>base</code> | <code>pr</code> |"), "{comment}");
    let (printed, ..) = action(&sandbox, &inputs, 0);
    assert!(printed.contains("::notice::simulate: only a pull request has a base"), "{printed}");
    let (printed, ..) = action(&sandbox, &[("COMMENT", "a b"), ("FILES", ".")], 2);
    assert!(printed.contains("not a b"), "{printed}");
}

/// The job for GitLab on the page, which posts a note and replaces it.
#[test]
fn the_job_for_gitlab_posts_a_note() {
    let Some(sandbox) = pull_request().filter(|_| has("curl") && has("jq")) else { return };
    let page = read_to_string(root().join("docs/guides/ci.md")).expect("the page");
    let job = page.split("```yaml\n").find(|it| it.starts_with("retry-policies:")).expect("a job");
    let job: Value =
        serde_yaml::from_str(job.split("```").next().unwrap_or_default()).expect("YAML");
    let lines = job["retry-policies"]["script"].as_array().expect("a script");
    let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
    let forge = Forge::start(State::default());
    let script = || {
        let _ = std::fs::remove_file(sandbox.path().join("comment.md"));
        let _ = std::fs::remove_dir_all(sandbox.path().join("base"));
        let mut command =
            in_repository(&sandbox, "bash", &["-euo", "pipefail", "-c", &lines.join("\n")]);
        command
            .env("CI_MERGE_REQUEST_DIFF_BASE_SHA", "main")
            .env("CI_API_V4_URL", format!("http://{}", forge.address))
            .env("CI_PROJECT_ID", "5")
            .env("CI_MERGE_REQUEST_IID", "7")
            .env("COMMENT_TOKEN", "secret");
        // `lint` finds a warning, and the note is posted all the same.
        run(&mut command, 1);
    };
    script();
    let bodies = forge.bodies();
    assert!(bodies[0].starts_with(&format!("{MARKER}\n")), "{bodies:?}");
    assert!(bodies[0].contains("| <code>base</code> | <code>pr</code> |"), "{bodies:?}");
    script();
    assert_eq!(forge.bodies(), bodies);
    assert_eq!(
        forge.requests().last().map(String::as_str),
        Some("PUT /projects/5/merge_requests/7/notes/0")
    );
}
