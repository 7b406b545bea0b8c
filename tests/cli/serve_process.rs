//! `serve` as a process: its file, its limits, who may call, how it stops.
//!
//! Holds cli.md Commands.

use super::http::{Answer, Serving};
use super::sandbox::{Sandbox, snapshot};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

fn policy(name: &str) -> String {
    format!(r#"{{"name":"{name}","defaultAction":"Fail"}}"#)
}

#[test]
fn what_is_stored_is_there_after_a_restart() {
    let sandbox = Sandbox::new();
    // A directory that is named and not there is a slip, not a new store.
    sandbox.run("serve --listen 127.0.0.1:0 --db a/b/serve.db").exits(3);
    sandbox.file("a/b/beside", "");
    let mut server = Serving::with_db(&sandbox, "a/b/serve.db", "");
    server.call("POST", "/v1/retry-policy", &policy("p")).is(200, "{}");
    let queue = r#"{"name":"q","priorityFactor":1,"retryPolicies":["p"]}"#;
    server.call("PUT", "/v1/queue/q", queue).is(200, "{}");
    assert_eq!(server.signal("-TERM").code(), Some(0));
    let server = Serving::with_db(&sandbox, "a/b/serve.db", "");
    server.get("/v1/queue/q").is(200, queue);
}

#[test]
fn the_default_file_is_in_the_data_directory() {
    let sandbox = Sandbox::new();
    let data = sandbox.path().join("data");
    let mut command = sandbox.command();
    command.args(["serve", "--listen", "localhost:0"]).env("XDG_DATA_HOME", &data);
    let mut child = command.spawn().unwrap();
    let mut byte = [0];
    child.stdout.as_mut().unwrap().read_exact(&mut byte).unwrap();
    let folder = data.join("armadactl");
    let made = folder.join("serve.db").exists() || cfg!(not(target_os = "linux"));
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::PermissionsExt;
        let permissions = std::fs::metadata(&folder).unwrap().permissions();
        assert_eq!(permissions.mode() & 0o777, 0o700, "only its owner can read the directory");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(made);
}

/// Kills the server while eight clients write, and counts what is gone of what was acknowledged.
#[test]
fn a_kill_loses_nothing_that_was_acknowledged() {
    let sandbox = Sandbox::new();
    // A fixed seed draws when the kill comes.
    let mut seed = 42u64;
    for round in 0..3 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let pause = Duration::from_millis(20 + (seed >> 33) % 120);
        let mut server = Serving::with_db(&sandbox, "serve.db", "-q");
        let over = AtomicBool::new(false);
        let acknowledged: Vec<String> = std::thread::scope(|scope| {
            let (over, address) = (&over, server.address);
            let writers: Vec<_> = (0..8)
                .map(|writer| {
                    scope.spawn(move || {
                        let names = (0..).map(|n| format!("r{round}-w{writer}-{n}"));
                        names
                            .take_while(|name| !over.load(Ordering::SeqCst) && write(address, name))
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            std::thread::sleep(pause);
            server.child.kill().unwrap();
            over.store(true, Ordering::SeqCst);
            writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
        });
        server.child.wait().unwrap();
        let server = Serving::with_db(&sandbox, "serve.db", "-q");
        let stored = server.get("/v1/retry-policies").body;
        for name in &acknowledged {
            assert!(stored.contains(&format!("\"{name}\"")), "{name} is gone");
        }
        assert!(!acknowledged.is_empty(), "round {round} wrote nothing in {pause:?}");
    }
}

/// Whether a policy of this name was acknowledged.
fn write(address: std::net::SocketAddr, name: &str) -> bool {
    let Ok(mut stream) = std::net::TcpStream::connect(address) else { return false };
    let body = policy(name);
    let head = format!("Host: localhost\r\nConnection: close\r\nContent-Length: {}", body.len());
    let request = format!("POST /v1/retry-policy HTTP/1.1\r\n{head}\r\n\r\n{body}");
    stream.write_all(request.as_bytes()).is_ok()
        && Answer::read(&mut stream).is_ok_and(|answer| answer.status == 200 && answer.body == "{}")
}

#[test]
fn one_server_has_a_file_at_a_time() {
    let sandbox = Sandbox::new();
    let _server = Serving::with_db(&sandbox, "serve.db", "");
    snapshot!("in_use", sandbox.run("serve --listen 127.0.0.1:0 --db serve.db").exits(3));
}

#[test]
fn files_that_are_no_store_are_left_alone() {
    let sandbox = Sandbox::new();
    let text = "this is a text, and a long one at that\n".repeat(200);
    sandbox.file("text.db", &text);
    snapshot!("not_a_database", sandbox.run("serve --listen 127.0.0.1:0 --db text.db").exits(3));
    assert_eq!(std::fs::read_to_string(sandbox.path().join("text.db")).unwrap(), text);
    let other = rusqlite::Connection::open(sandbox.path().join("other.db")).unwrap();
    other.execute_batch("CREATE TABLE mine (x)").unwrap();
    drop(other);
    let refused = sandbox.run("serve --listen 127.0.0.1:0 --db other.db").exits(3);
    assert!(refused.stderr.contains("is not a database of `armadactl serve`"), "{refused}");
    drop(Serving::with_db(&sandbox, "newer.db", ""));
    let newer = rusqlite::Connection::open(sandbox.path().join("newer.db")).unwrap();
    newer.execute_batch("PRAGMA user_version = 2").unwrap();
    drop(newer);
    snapshot!("newer", sandbox.run("serve --listen 127.0.0.1:0 --db newer.db").exits(3));
    let unwritable = sandbox.run("serve --listen 127.0.0.1:0 --db text.db/x/serve.db").exits(3);
    assert!(unwritable.stderr.contains("--db :memory:"), "{unwritable}");
}

#[test]
fn addresses() {
    let sandbox = Sandbox::new();
    snapshot!("exposed", sandbox.run("serve --listen 0.0.0.0:0 --db :memory:").exits(2));
    for bad in ["8080", ":8080", "nowhere.invalid:1", "127.0.0.1:99999"] {
        let refused = sandbox.run(&format!("serve --db :memory: --listen {bad}")).exits(2);
        assert!(refused.stderr.contains("HOST:PORT"), "{refused}");
    }
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let refused = sandbox.run(&format!("serve --db :memory: --listen {address}")).exits(3);
    assert!(refused.stderr.contains("cannot listen on") && refused.stderr.contains("port 0"));
    snapshot!("serve_output_json", sandbox.run("serve -o json").exits(2));
}

#[test]
fn a_token_opens_and_nothing_else() {
    let sandbox = Sandbox::new();
    sandbox.file("token", "s3cret\n");
    let server = Serving::start(&sandbox, "--auth-token-file token");
    server.get("/health").is(204, "");
    for path in ["/v1/retry-policies", "/swagger.json", "/nothing"] {
        let refused = server.get(path);
        assert_eq!((refused.status, refused.json()["code"].as_u64()), (401, Some(16)));
        assert_eq!(refused.header("www-authenticate"), "Bearer");
    }
    let with = |token| server.call_with("GET", "/v1/retry-policies", &[token], "");
    assert_eq!(with("Authorization: Bearer s3cre").status, 401);
    with("Authorization: bearer s3cret").is(200, "{}");
    assert!(server.log().contains("others can read `token`"), "{}", server.log());
    assert!(!server.log().contains("s3cre"));
    sandbox.file("none", "two words");
    let refused = sandbox.run("serve --db :memory: --auth-token-file none").exits(3);
    assert!(refused.stderr.contains("invalid token in"), "{refused}");
    sandbox.run("serve --db :memory: --auth-token-file missing").exits(3);
}

#[test]
fn pages_of_other_hosts_may_not_call() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    let from =
        |origin| server.call_with("POST", "/v1/retry-policy", &[origin], &policy("p")).status;
    assert_eq!(from("Origin: http://example.com"), 403);
    assert_eq!(from("Origin: http://localhost:3000"), 200);
}

#[test]
fn a_name_that_resolves_to_this_machine_is_not_enough() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "--allowed-host Build.example --allowed-host b:80");
    for (host, status) in [
        ("localhost:8080", 200),
        ("127.0.0.1", 200),
        ("[::1]:80", 200),
        ("x.localhost", 200),
        ("build.example:8080", 200),
        ("b", 200),
        ("attacker.example", 403),
        ("127.0.0.1.attacker.example:8080", 403),
        ("10.0.0.1", 403),
    ] {
        let host = format!("Host: {host}");
        let health = if status == 200 { 204 } else { status };
        assert_eq!(server.call_with("GET", "/health", &[&host], "").status, health, "{host}");
        for (method, path) in [("GET", "/v1/retry-policies"), ("DELETE", "/v1/queue/q")] {
            // The request has `Host: localhost` too: every header counts.
            let answer = server.call_with(method, path, &[&host], "");
            assert_eq!(answer.status, status, "{host}: {answer:?}");
        }
        let whole = server.call("GET", &format!("http://{}/swagger.json", &host[6..]), "");
        assert_eq!(whole.status, status, "{host}: {whole:?}");
    }
    let refused = server.call_with("GET", "/nothing", &["Host: a.example"], "");
    assert!(refused.body.contains("--allowed-host"), "{refused:?}");
    let origin = ["Host: b", "Origin: http://b:3000"];
    assert_eq!(server.call_with("GET", "/v1/retry-policies", &origin, "").status, 200);
    sandbox.file("token", "s3cret\n");
    let server = Serving::start(&sandbox, "--auth-token-file token");
    let proxied = ["Host: armada.example.com", "Authorization: Bearer s3cret"];
    assert_eq!(server.call_with("GET", "/v1/retry-policies", &proxied, "").status, 200);
    assert_eq!(server.call_with("GET", "/health", &proxied[..1], "").status, 204, "a probe");
}

#[test]
fn a_database_is_named_by_its_path_alone() {
    let sandbox = Sandbox::new();
    for name in ["file:a.db?mode=memory", "file:b.db", "c.db"] {
        let server = Serving::with_db(&sandbox, name, "");
        server.call("POST", "/v1/retry-policy", &policy("p")).is(200, "{}");
        assert!(sandbox.path().join(name).is_file(), "{name}");
        assert!(!server.log().contains("others can read"), "{}", server.log());
    }
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_a_new_database() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let mode = |path: &std::path::Path| {
        std::fs::metadata(path).map(|data| data.permissions().mode() & 0o777)
    };
    let server = Serving::with_db(&sandbox, "serve.db", "");
    server.call("POST", "/v1/retry-policy", &policy("p")).is(200, "{}");
    for name in ["serve.db", "serve.db-wal"] {
        assert_eq!(mode(&sandbox.path().join(name)).unwrap(), 0o600, "{name}");
    }
    drop(server);
    let path = sandbox.path().join("serve.db");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let server = Serving::with_db(&sandbox, "serve.db", "");
    assert!(server.log().contains("others can read `serve.db`"), "{}", server.log());
    assert_eq!(mode(&path).unwrap(), 0o644, "a mode that was there stays");
}

#[test]
fn bodies_have_a_limit() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "--max-body 1Ki");
    let long = |bytes| policy("p") + &" ".repeat(bytes);
    assert_eq!(server.call("POST", "/v1/retry-policy", &long(900)).status, 200);
    let refused = server.call("POST", "/v1/retry-policy", &long(1024));
    refused.fails(413, 8, "the body has more than 1024 bytes");
    assert_eq!(server.get("/v1/retry-policies").status, 200);
    for bad in ["--max-body 0", "--max-body many", "--max-time 5", "--max-connections 0"] {
        sandbox.run(&format!("serve --db :memory: {bad}")).exits(2);
    }
}

#[test]
fn slow_clients_are_cut() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "--max-time 600ms");
    let mut head = server.connect();
    head.write_all(b"GET /v1/retry-policies HT").unwrap();
    let mut body = server.connect();
    body.write_all(b"POST /v1/queue HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")
        .unwrap();
    let started = Instant::now();
    assert_eq!(Answer::read(&mut body).unwrap().status, 408);
    let mut rest = Vec::new();
    head.read_to_end(&mut rest).unwrap();
    assert!(started.elapsed() < Duration::from_secs(10));
    server.get("/v1/retry-policies").is(200, "{}");
}

#[test]
fn connections_have_a_limit() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "--max-connections 2 --max-time 1s");
    // Two that begin a request and do not end it hold both places until their time is over.
    let idle = [server.connect(), server.connect()];
    for mut stream in &idle {
        stream.write_all(b"G").unwrap();
    }
    // The server takes notice of their bytes at some time after they were sent.
    std::thread::sleep(Duration::from_millis(50));
    let started = Instant::now();
    server.get("/v1/retry-policies").is(200, "{}");
    assert!(started.elapsed() > Duration::from_millis(200), "it had to wait");
    drop(idle);
}

#[test]
fn it_stops_in_order() {
    for signal in ["-TERM", "-INT"] {
        let sandbox = Sandbox::new();
        let mut server = Serving::start(&sandbox, "--max-time 20s");
        let body = policy("p");
        let mut on_its_way = server.connect();
        let head = format!(
            "POST /v1/retry-policy HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        on_its_way.write_all(head.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        let pid = server.child.id().to_string();
        std::process::Command::new("kill").args([signal, &pid]).status().unwrap();
        std::thread::sleep(Duration::from_millis(200));
        assert!(std::net::TcpStream::connect(server.address).is_err(), "it takes no more");
        on_its_way.write_all(body.as_bytes()).unwrap();
        Answer::read(&mut on_its_way).unwrap().is(200, "{}");
        assert_eq!(server.child.wait().unwrap().code(), Some(0), "{signal}");
    }
}

#[test]
fn every_request_is_a_line() {
    let sandbox = Sandbox::new();
    let mut server = Serving::start(&sandbox, "");
    server.call("POST", "/v1/retry-policy", &policy("p"));
    server.get("/v1/queue/a%1b%5B31m");
    server.get("/v1/queue/x?secret=1");
    server.signal("-TERM");
    let log = server.log();
    assert!(log.contains("not for production"), "{log}");
    assert!(log.contains("POST /v1/retry-policy 200 "), "{log}");
    assert!(log.contains("GET /v1/queue/a%1b%5B31m 404 "), "{log}");
    assert!(!log.contains('\u{1b}') && !log.contains("secret"), "{log}");
    let mut quiet = Serving::start(&sandbox, "-q");
    quiet.get("/health");
    quiet.signal("-TERM");
    assert_eq!(quiet.log(), "");
}

#[test]
fn nonsense_is_answered_or_cut() {
    let sandbox = Sandbox::new();
    let server = Serving::start(&sandbox, "");
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01"[..],
        b"GET / HTTP/9\r\n\r\n",
        b"POST /v1/queue HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/queue HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        &[b"GET /".to_vec(), vec![b'a'; 200_000]].concat(),
    ] {
        let mut stream = server.connect();
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer);
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 4"), "{text}");
    }
    server.get("/v1/retry-policies").is(200, "{}");
}
