//! The real binary and servers that do what servers do, asked by `version --server`.
//!
//! Holds cli.md Exit codes.

use super::quirks::{Fake, Piece, Script, answer, chunked};
use super::sandbox::{Run, Sandbox};
use std::time::{Duration, Instant};

fn ask(fake: &Fake, more: &str) -> Run {
    let url = fake.url();
    Sandbox::new().run(&format!("version --server --armada-rest-url {url}/api {more}"))
}

fn json(body: &str) -> Script {
    answer(200, &["Content-Type: application/json"], body)
}

/// A list without queues, which ends a stream and is JSON for every other call too.
pub const END: &str = r#"{"result":{"Event":{"end":{}}}}"#;
const FULL: &str = r#"{"definitions":{"apiRetryRule":{"properties":{"onExitCodes":{}}}}}"#;

/// What a person sees, without what differs from run to run.
fn shown(run: &Run, fake: &Fake) -> String {
    run.to_string()
        .replace(&fake.url(), "http://SERVER")
        .replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

#[test]
fn a_server_says_which_form_it_takes() {
    let fake = Fake::new(vec![answer(204, &[], ""), json(END), json(FULL)]);
    let run = ask(&fake, "").exits(0);
    let expected = "server http://SERVER/api: healthy, takes the full form of policies\n";
    assert!(shown(&run, &fake).contains(expected), "{run}");
    let lines: Vec<String> =
        fake.requests().iter().map(|r| r.lines().next().unwrap().to_owned()).collect();
    let calls = ["/api/health", "/api/v1/batched/queues?num=1", "/api/swagger.json"];
    assert_eq!(lines, calls.map(|path| format!("GET {path} HTTP/1.1")));
    let fake = Fake::new(vec![answer(204, &[], ""), json(END), answer(404, &[], "Not Found")]);
    let run = ask(&fake, "-o json").exits(0);
    assert_eq!(run.json()["server"]["form"], "deployed");
    assert_eq!(run.json()["server"]["healthy"], true);
}

#[test]
fn troubles_have_their_exit_codes_and_their_words() {
    let page = "<html>\x1b[2Jbad gateway</html>";
    let error = r#"{"error":"no \u001b[31mway","code":16,"message":"no way"}"#;
    for (script, code, part) in [
        (answer(401, &[], error), 4, "not authenticated (401): no [31mway"),
        (answer(403, &[], error), 4, "not permitted (403)"),
        (
            answer(404, &[], "Not Found"),
            7,
            "the base path of `http://SERVER/api` is probably wrong",
        ),
        (answer(500, &[], "\x1b]0;title\x07broken"), 7, "the server failed (500): ]0;titlebroken"),
        (answer(502, &["Content-Type: text/html"], page), 7, "the answer is a web page of a proxy"),
        (answer(200, &["Content-Type: text/html"], page), 7, "answered with a web page"),
        (
            answer(307, &["Location: http://192.0.2.1/"], ""),
            7,
            "redirects to `http://192.0.2.1`, which may be a sign-in page (307)",
        ),
        (answer(429, &["Retry-After: 999"], ""), 7, "too many requests to the server (429)"),
        (vec![Piece::Bytes(b"SSH-2.0-OpenSSH\r\n".into())], 7, "is not HTTP"),
        (chunked(&["{}"], false), 7, "was cut off"),
    ] {
        let fake = Fake::new(vec![script]);
        let run = ask(&fake, "").exits(code);
        let text = shown(&run, &fake);
        assert!(text.contains(part), "{part}:\n{text}");
        assert!(!run.stderr.contains(['\u{1b}', '\u{7}']), "{run}");
        assert_eq!(run.stdout, "");
    }
}

#[test]
fn a_server_that_recovers_is_waited_for() {
    let busy = || answer(503, &[], "busy");
    let fake = Fake::new(vec![busy(), busy(), json("{}"), json(END), json(FULL)]);
    let run = ask(&fake, "-v").exits(0);
    assert_eq!(fake.requests().len(), 5);
    assert_eq!(run.stderr.matches("< 503").count(), 2, "{run}");
    assert_eq!(run.stderr.matches("again in").count(), 2, "{run}");
}

#[test]
fn a_server_that_says_nothing_is_given_up() {
    let fake = Fake::new(vec![vec![Piece::Silence(20_000)]]);
    let begun = Instant::now();
    let run = ask(&fake, "--request-timeout 300ms").exits(7);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert!(run.stderr.contains("did not answer in time"), "{run}");
    assert!(run.stderr.contains("--request-timeout"), "{run}");
}

#[cfg(unix)]
#[test]
fn a_file_without_an_end_is_refused() {
    let sandbox = Sandbox::new();
    let server = "--armada-rest-url http://127.0.0.1:1";
    for (line, code, limit) in [
        (format!("version --server {server} --ca-file /dev/zero"), 3, "8 MiB"),
        (format!("version --server {server} --config /dev/zero"), 3, "8 MiB"),
        ("serve --db :memory: --auth-token-file /dev/zero".to_owned(), 3, "8 KiB"),
    ] {
        let run = sandbox.run(&line).exits(code);
        assert!(run.stderr.contains(&format!("it is larger than {limit}")), "{run}");
    }
}

#[test]
fn a_huge_answer_is_not_held() {
    let huge = "x".repeat(17 << 20);
    let fake = Fake::new(vec![json(&huge)]);
    let run = ask(&fake, "").exits(7);
    assert!(run.stderr.contains("larger than 16 MiB"), "{run}");
}

#[test]
fn an_error_is_json_where_json_was_asked_for() {
    let run = Sandbox::new().run("version --server --armada-rest-url http://127.0.0.1:1 -o json");
    let run = run.exits(7);
    assert_eq!(run.json()["exitCode"], 7, "{run}");
    assert!(run.json()["message"].as_str().unwrap().contains("refused the connection"));
}

/// A sandbox whose config file has this block, and a server in use.
fn with_auth(fake: &Fake, block: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let url = fake.url();
    sandbox.file(
        ".armadactl.yaml",
        format!("currentContext: a\ncontexts:\n  a:\n    armadaRestUrl: {url}\n    {block}\n"),
    );
    sandbox
}

#[test]
fn a_password_is_sent_and_never_shown() {
    let fake = Fake::new(vec![json(END)]);
    let sandbox = with_auth(&fake, "basicAuth: {username: me, password: hush}");
    let run = sandbox.run("version --server -v").exits(0);
    assert!(fake.requests()[0].contains("authorization: Basic bWU6aHVzaA==\r\n"));
    assert!(run.stderr.contains("(basicAuth)"), "{run}");
    for secret in ["hush", "bWU6"] {
        assert!(!run.to_string().contains(secret), "{run}");
    }
}

#[cfg(unix)]
#[test]
fn a_program_is_run_once_for_its_token() {
    let fake = Fake::new(vec![json(END)]);
    let script = "execAuth: {cmd: sh, args: [-c, 'echo run >> runs; echo said >&2; echo \" t-$X \"'], env: [{name: X, value: hush}]}";
    let sandbox = with_auth(&fake, script);
    let run = sandbox.run("version --server -v").exits(0);
    assert!(fake.requests().iter().all(|r| r.contains("authorization: Bearer t-hush\r\n")));
    assert_eq!(fake.requests().len(), 3);
    assert_eq!(std::fs::read_to_string(sandbox.path().join("runs")).unwrap(), "run\n");
    assert!(run.stderr.contains("said\n"), "{run}");
    assert!(!run.to_string().contains("hush"), "{run}");
    let failing = with_auth(&fake, "execAuth: {cmd: 'false'}").run("version --server").exits(3);
    assert!(failing.stderr.contains("`execAuth`: `false` failed"), "{failing}");
}

#[test]
fn an_incomplete_block_is_named_and_nothing_is_sent() {
    let fake = Fake::new(vec![json("{}")]);
    for block in [
        "basicAuth: {password: hush}",
        "openIdAuth: {providerUrl: x}",
        "openIdDeviceAuth: {providerUrl: 'https://idp'}",
        "openIdPasswordAuth: {clientId: x}",
        "openIdClientCredentialsAuth: {clientSecret: hush}",
        "openIdKubernetesAuth: {scopes: [x]}",
        "execAuth: {command: x}",
    ] {
        let run = with_auth(&fake, block).run("version --server").exits(3);
        let name = block.split(':').next().unwrap();
        assert!(run.stderr.contains(&format!("`{name}` has ")), "{run}");
        assert!(!run.stderr.contains("hush"), "{run}");
    }
    assert!(fake.requests().is_empty());
}

#[test]
fn a_password_does_not_go_out_unencrypted() {
    let sandbox = Sandbox::new();
    let text = "armadaRestUrl: http://192.0.2.1:9\nbasicAuth: {username: me, password: hush}\n";
    sandbox.file(".armadactl.yaml", text);
    let run = sandbox.run("version --server").exits(2);
    assert!(run.stderr.contains("unencrypted"), "{run}");
    assert!(run.stderr.contains("--allow-insecure-auth"), "{run}");
    assert!(!run.stderr.contains("hush"), "{run}");
}

#[test]
fn loopback_never_goes_through_a_proxy() {
    let (fake, proxy) = (Fake::new(vec![json(END)]), Fake::new(vec![json(END)]));
    let line = format!("version --server --armada-rest-url {}", fake.url());
    let through = |line: &str| {
        Sandbox::new().run_with(line, |command| {
            command.env("http_proxy", proxy.url()).env("HTTP_PROXY", proxy.url());
        })
    };
    through(&line).exits(0);
    assert!(proxy.requests().is_empty());
    through("version --server --armada-rest-url http://armada.invalid").exits(0);
    assert!(proxy.requests()[0].starts_with("GET http://armada.invalid/health HTTP/1.1"));
}

#[test]
fn certificates_are_read_and_missed() {
    let sandbox = Sandbox::new();
    sandbox.file("ca.pem", "nothing of the kind");
    let line = "version --server --armada-rest-url https://127.0.0.1:1 --ca-file";
    for file in ["ca.pem", "missing.pem"] {
        let run = sandbox.run(&format!("{line} {file}")).exits(3);
        assert!(run.stderr.contains(&format!("cannot use the certificates in `{file}`")), "{run}");
    }
}

#[test]
fn without_server_nothing_is_asked_and_no_file_is_read() {
    let sandbox = Sandbox::new();
    sandbox.file(".armadactl.yaml", "{ this is no config");
    for line in ["version", "explain RP001", "completion bash", "help"] {
        sandbox.run(line).exits(0);
    }
    let run = sandbox.run("version --server").exits(3);
    assert!(run.stderr.contains(".armadactl.yaml:1:"), "{run}");
}

/// `/health` lets anyone in: a server is not called healthy before it has let the caller in.
#[test]
fn a_server_that_does_not_let_the_caller_in_is_not_called_healthy() {
    let error = |code: u16| format!(r#"{{"error":"no","code":{code},"message":"no"}}"#);
    for (status, code, part) in
        [(401, 16, "not authenticated (401): no"), (403, 7, "not permitted (403): no")]
    {
        let fake = Fake::new(vec![answer(204, &[], ""), answer(status, &[], &error(code))]);
        let run = ask(&fake, "").exits(4);
        assert!(run.stderr.contains(part), "{run}");
        assert_eq!(run.stdout, "");
        let fake = Fake::new(vec![answer(204, &[], ""), answer(status, &[], &error(code))]);
        assert_eq!(ask(&fake, "-o json").exits(4).json()["exitCode"], 4);
    }
    let sandbox = Sandbox::new();
    sandbox.file("token", "secret");
    let server = super::http::Serving::start(&sandbox, "--auth-token-file token");
    let line = format!("version --server --armada-rest-url http://{}", server.address);
    let run = sandbox.run(&line).exits(4);
    assert!(run.stderr.contains("not authenticated"), "{run}");
}

/// A port that speaks TLS answers plain HTTP in words, as Go, nginx and Apache do, or with an alert.
/// Some TLS ports answer plain HTTP with a reset, as a proxy may do.
#[test]
fn a_reset_before_any_answer_may_be_an_https_port() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            // The rest of the request is not read, so that the close is a reset.
            let _ = stream.peek(&mut [0]);
        }
    });
    let line = format!("get queue q --armada-rest-url http://{address}");
    let run = Sandbox::new().run(&line).exits(7);
    assert!(
        run.stderr.contains(&format!("or speak https; then use https: `https://{address}`")),
        "{run}"
    );
    // An answer that has begun is HTTP.
    let fake = Fake::new(vec![vec![Piece::Bytes(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{".into(),
    )]]);
    let run = Sandbox::new().run(&format!("get queue q --armada-rest-url {}", fake.url())).exits(7);
    assert!(!run.stderr.contains("https"), "{run}");
}

#[test]
fn an_https_port_asked_in_plain_http_is_named() {
    let go = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
    let nginx = "<html><head><title>400 The plain HTTP request was sent to HTTPS port</title>";
    let apache = "<html>Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />";
    // A fatal alert of TLS 1.2: protocol_version.
    let alert = [0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x46];
    for (script, part) in [
        (vec![Piece::Bytes(go.into())], "speaks https, not http"),
        (answer(400, &["Content-Type: text/html"], nginx), "speaks https, not http"),
        (answer(400, &["Content-Type: text/html"], apache), "speaks https, not http"),
        (vec![Piece::Bytes(alert.to_vec())], "is not HTTP"),
    ] {
        let fake = Fake::new(vec![script]);
        let run = ask(&fake, "").exits(7);
        assert!(run.stderr.contains(part), "{run}");
        let address = fake.url().replace("http://", "https://");
        assert!(run.stderr.contains(&format!("use https: `{address}/api`")), "{run}");
    }
}

const TOO_LARGE: &str = r#"{"error":"grpc: received message larger than max (4194505 vs. 4194304)","code":8,"message":"x"}"#;

/// It never gets better, so it is asked once, and what is named is got one by one.
#[test]
fn a_list_that_is_too_large_is_not_asked_for_again() {
    let fake = Fake::new(vec![answer(429, &[], TOO_LARGE)]);
    let url = fake.url();
    let run = Sandbox::new().run(&format!("get retrypolicy --armada-rest-url {url}")).exits(7);
    assert_eq!(fake.requests().len(), 1, "{run}");
    assert!(run.stderr.contains("the list is too large (429): grpc: received"), "{run}");
    assert!(run.stderr.contains("get them by name"), "{run}");
    let busy = Fake::new(vec![answer(429, &["Retry-After: 0"], "")]);
    let url = busy.url();
    Sandbox::new().run(&format!("get retrypolicy --armada-rest-url {url}")).exits(7);
    assert_eq!(busy.requests().len(), 4, "any other 429 may pass");

    let missing = r#"{"error":"none","code":5,"message":"none"}"#;
    let fake = Fake::routed(move |request| {
        if request.starts_with("GET /v1/retry-policies") {
            answer(429, &[], TOO_LARGE)
        } else {
            answer(404, &["Content-Type: application/json"], missing)
        }
    });
    let sandbox = Sandbox::new();
    let policy = |name: u32| {
        format!(
            "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: p{name}\ndefaultAction: Fail\n"
        )
    };
    let many: Vec<String> = (0..9).map(policy).collect();
    sandbox.file("many.yaml", many.join("---\n"));
    let line = format!("apply -f many.yaml --dry-run server --armada-rest-url {}", fake.url());
    let run = sandbox.run(&line).exits(0);
    assert!(run.stderr.contains("9 created"), "{run}");
}

#[test]
fn a_missing_permission_is_named() {
    let refused = r#"{"error":"USER lacks permission","code":7,"message":"x"}"#;
    let held = r#"{"name":"q","priorityFactor":1}"#;
    for (line, permission) in [
        ("cordon queue q", "`create_queue` (`cordon_queue` is enough for Armada's own"),
        ("update queue q --cordon", "cordoning a queue need the permission `create_queue`"),
        ("delete queue q", "it needs the permission `delete_queue`"),
        ("delete retrypolicy q", "it needs the permission `delete_retry_policy`"),
    ] {
        let fake = Fake::routed(move |request| {
            if request.starts_with("GET /v1/batched/queues") {
                json(END)
            } else if request.starts_with("GET") {
                json(held)
            } else {
                answer(403, &[], refused)
            }
        });
        let run = Sandbox::new().run(&format!("{line} --armada-rest-url {}", fake.url())).exits(4);
        assert!(run.stderr.contains(permission), "{run}");
    }
    let page = Sandbox::new().run("cordon --help").exits(0);
    assert!(page.stdout.contains("create_queue"), "{page}");
}

/// Names, labels and messages of a server turn no text around and steer no terminal.
#[test]
fn marks_of_a_direction_in_a_server_s_words_are_escaped() {
    let marks = [
        '\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{200e}', '\u{200f}', '\u{61c}', '\u{9b}',
    ];
    for mark in marks {
        let fake = Fake::routed(move |request| {
            let queue = format!(
                r#"{{"name":"q{mark}","priorityFactor":1,"labels":{{"k{mark}":"v{mark}"}}}}"#
            );
            if request.starts_with("GET /v1/batched/queues") {
                json(&format!("{{\"result\":{{\"Event\":{{\"queue\":{queue}}}}}}}\n{END}\n"))
            } else if request.starts_with("GET /v1/queue") {
                json(&queue)
            } else {
                let error = format!(r#"{{"error":"no{mark}","code":3,"message":"no"}}"#);
                answer(400, &[], &error)
            }
        });
        let sandbox = Sandbox::new();
        sandbox.file(
            "q.yaml",
            "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: q\nlabels: {k: v}\n",
        );
        for (line, code) in [
            ("get queues", 0),
            ("get queues -o wide", 0),
            ("get queues -o name", 0),
            ("diff -f q.yaml", 1),
            ("apply -f q.yaml", 6),
            ("get retrypolicy p", 6),
        ] {
            let run = sandbox.run(&format!("{line} --armada-rest-url {}", fake.url())).exits(code);
            assert!(!run.stdout.contains(mark) && !run.stderr.contains(mark), "{run}");
        }
    }
}
