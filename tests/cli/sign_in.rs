//! `login`, `logout`, `whoami`, and the tokens of the other commands. `tools/sign_in` does the same with real providers.
//!
//! Holds cli.md Commands.

use super::provider::{CA, CLIENT_SECRET, METHODS, PASSWORD, POD_TOKEN, Provider};
use super::sandbox::{Run, Sandbox, snapshot};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Output};

/// Long enough for a test.
const LONG: u64 = 3_600;
/// Too short for a token to be sent: each command renews it.
const SHORT: u64 = 5;

/// A home directory whose context uses this block.
fn home(provider: &Provider, block: &str, fields: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    set_config(&sandbox, &provider.config(block, fields));
    sandbox
}

fn set_config(sandbox: &Sandbox, text: &str) {
    sandbox.file(".armadactl.yaml", text);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let path = sandbox.path().join(".armadactl.yaml");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
}

/// The files of the cache, with their content.
fn cached(sandbox: &Sandbox) -> Vec<(PathBuf, Value)> {
    let Ok(entries) = std::fs::read_dir(sandbox.path().join(".cache/armadactl/tokens")) else {
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let paths = paths.filter(|path| path.extension().is_some_and(|it| it == "json"));
    paths
        .map(|path| (path.clone(), serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()))
        .collect()
}

/// Changes fields of the one file of the cache.
fn change(sandbox: &Sandbox, fields: &[(&str, Value)]) {
    let (path, mut entry) = cached(sandbox).remove(0);
    for (key, value) in fields {
        entry[*key] = value.clone();
    }
    std::fs::write(path, entry.to_string()).unwrap();
}

/// Lets the token in the cache expire.
fn expire(sandbox: &Sandbox) {
    change(sandbox, &[("expires", json!("2001-01-01T00:00:00Z"))]);
}

/// A `login` that waits for a person.
struct Login {
    child: Child,
    printed: String,
    /// The address to open.
    address: String,
}

impl Login {
    fn start(sandbox: &Sandbox, flags: &str) -> Self {
        let mut command = sandbox.command();
        command.args(["login", "--no-browser"]).args(flags.split_whitespace());
        let mut child = command.spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut printed = String::new();
        let address = loop {
            let start = printed.len();
            assert!(stderr.read_line(&mut printed).unwrap() > 0, "{printed}");
            if let Some(address) = printed[start..].strip_prefix("    http") {
                break format!("http{}", address.trim());
            }
        };
        child.stderr = Some(stderr.into_inner());
        Self { child, printed, address }
    }

    /// The end of the command, and all that it printed.
    fn end(self, code: i32) -> String {
        let Output { status, stdout, stderr } = self.child.wait_with_output().unwrap();
        let text = [self.printed.as_bytes(), &stdout, &stderr].concat();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(status.code(), Some(code), "{text}");
        text
    }
}

/// Opens an address as a browser does. Returns the status and the page that it ends on, and that page's address.
fn browse(address: &str) -> (u16, String, String) {
    let mut address = address.to_owned();
    loop {
        let (host, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let status = text.split(' ').nth(1).unwrap().parse().unwrap();
        match text.lines().find_map(|line| line.strip_prefix("Location: ")) {
            Some(next) => next.clone_into(&mut address),
            None => return (status, text, address),
        }
    }
}

/// Signs in with the browser of this machine.
fn sign_in(sandbox: &Sandbox) -> String {
    let login = Login::start(sandbox, "");
    let (status, page, _) = browse(&login.address);
    assert!(status == 200 && page.contains("You are signed in"), "{page}");
    login.end(0)
}

/// The credentials that each block needs.
const BLOCKS: [(&str, &str); 3] = [
    ("openIdPasswordAuth", "username: alice, password: hush-password"),
    ("openIdClientCredentialsAuth", "clientSecret: hush-secret"),
    ("openIdKubernetesAuth", "scopes: [a]"),
];

fn run(sandbox: &Sandbox, line: &str) -> Run {
    sandbox.run_with(line, |command| _ = command.env("K8S_SERVICEACCOUNT_TOKEN", POD_TOKEN))
}

#[test]
fn without_a_sign_in_nothing_is_sent_to_the_server() {
    for block in ["openIdAuth", "openIdDeviceAuth"] {
        let provider = Provider::start(LONG);
        let sandbox = home(&provider, block, "scopes: []");
        for line in ["get rp", "whoami", "delete rp a"] {
            let run = sandbox.run(line).exits(4);
            assert!(run.stderr.contains("run `armadactl login --context dev`"), "{run}");
        }
        assert_eq!(provider.paths(), [""; 0]);
        assert!(sandbox.run("logout").exits(0).stdout.starts_with("not signed in at http"));
        assert!(!sandbox.path().join(".cache").exists());
    }
}

#[test]
fn a_browser_brings_a_token_that_is_used_and_renewed() {
    let provider = Provider::start(LONG);
    let sandbox = home(&provider, "openIdAuth", "scopes: [groups]");
    let printed = sign_in(&sandbox);
    assert!(
        printed.contains(&format!("signed in at {} as alice until", provider.url())),
        "{printed}"
    );
    assert!(printed.contains(", then renewed without you"), "{printed}");
    sandbox.run("get rp").exits(0);
    let who = sandbox.run("whoami -o json").exits(0).json();
    assert_eq!((&who["user"], &who["auth"]), (&json!("alice"), &json!("openIdAuth")));
    assert_eq!(who["renewable"], json!(true));
    assert_eq!(provider.state().grants, ["authorization_code"]);

    // A token that has expired is renewed, and its refresh token with it.
    let first = cached(&sandbox).remove(0).1["refreshToken"].clone();
    expire(&sandbox);
    sandbox.run("get rp").exits(0);
    sandbox.run("get rp").exits(0);
    assert_eq!(provider.state().grants, ["authorization_code", "refresh_token"]);
    let second = cached(&sandbox).remove(0).1["refreshToken"].clone();
    assert_ne!(first, second);

    // Without a refresh token a person has to sign in again, and is told so.
    change(&sandbox, &[("refreshToken", first)]);
    expire(&sandbox);
    let run = sandbox.run("get rp").exits(4);
    assert!(run.stderr.contains("the sign-in at http"), "{run}");
}

#[cfg(unix)]
#[test]
fn only_the_user_can_read_the_cache() {
    use std::os::unix::fs::PermissionsExt;
    let provider = Provider::start(LONG);
    let sandbox = home(&provider, "openIdAuth", "scopes: []");
    sign_in(&sandbox);
    let (path, _) = cached(&sandbox).remove(0);
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(path.as_path()), mode(path.parent().unwrap())), (0o600, 0o700));
    sandbox.run("get rp").exits(0);
    // What others could have read or written is not sent.
    for open in [0o640, 0o604, 0o620] {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(open)).unwrap();
        sandbox.run("get rp").exits(4);
    }
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    sandbox.run("get rp").exits(0);
}

#[test]
fn a_token_is_for_one_provider_client_user_and_set_of_scopes() {
    let provider = Provider::start(LONG);
    let sandbox = home(&provider, "openIdAuth", "scopes: []");
    sign_in(&sandbox);
    for fields in ["scopes: [more]", "scopes: [], clientId: other"] {
        set_config(
            &sandbox,
            &provider.config("openIdAuth", fields).replace("clientId: tool, scopes: [], ", ""),
        );
        sandbox.run("get rp").exits(4);
    }
    // A file of another key is not used, whatever its name.
    set_config(&sandbox, &provider.config("openIdAuth", "scopes: []"));
    change(&sandbox, &[("provider", json!("https://elsewhere.example"))]);
    sandbox.run("get rp").exits(4);
    std::fs::write(&cached(&sandbox)[0].0, "{").unwrap();
    sandbox.run("get rp").exits(4);
}

#[test]
fn nobody_else_can_end_a_login() {
    let provider = Provider::start(LONG);
    let sandbox = home(&provider, "openIdAuth", "scopes: []");
    let login = Login::start(&sandbox, "");
    let port = login.address.split("localhost%3A").nth(1).unwrap().split('%').next().unwrap();
    for query in ["", "?code=x&state=y", "?error=access_denied", "?state=&error=e"] {
        let (status, page, _) = browse(&format!("http://127.0.0.1:{port}/auth/callback{query}"));
        assert!(status == 400 && !page.contains("signed in."), "{page}");
    }
    assert_eq!(browse(&format!("http://127.0.0.1:{port}/")).0, 404);
    assert_eq!(browse(&login.address).0, 200);
    login.end(0);
    assert_eq!(provider.state().grants, ["authorization_code"]);
}

#[test]
fn a_refusal_in_the_browser_ends_the_login() {
    let provider = Provider::start(LONG);
    let sandbox = home(&provider, "openIdAuth", "scopes: []");
    let login = Login::start(&sandbox, "");
    let field = |name: &str| {
        let rest = login.address.split(&format!("{name}=")).nth(1).unwrap();
        rest.split('&').next().unwrap().replace("%3A", ":").replace("%2F", "/")
    };
    let address = format!(
        "{}?error=access_denied&error_description=no%1b%5B31m+way&state={}",
        field("redirect_uri").replace("localhost", "127.0.0.1"),
        field("state")
    );
    assert!(browse(&address).1.contains("The sign-in failed"));
    let text = login.end(4);
    assert!(text.contains("refused (access_denied): no[31m way"), "{text}");
    assert!(cached(&sandbox).is_empty());
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let provider = Provider::start(LONG);
    let sandbox = home(&provider, "openIdAuth", &format!("localPort: {port}"));
    let run = sandbox.run("login --no-browser").exits(3);
    assert!(run.stderr.contains(&format!("cannot listen on port {port}")), "{run}");
    drop(taken);
    // Another program at the other address of `localhost` would receive the code.
    if std::net::TcpListener::bind(("::1", port)).is_ok_and(|_taken| {
        sandbox.run("login --no-browser").exits(3);
        true
    }) {
        set_config(&sandbox, &provider.config("openIdAuth", "localPort: 0"));
        Login::start(&sandbox, "").child.kill().unwrap();
    }
}

#[test]
fn a_code_is_entered_on_another_machine() {
    let provider = Provider::start(LONG);
    let sandbox = home(&provider, "openIdDeviceAuth", "scopes: [offline_access]");
    let pending = (400, json!({"error": "authorization_pending"}));
    provider.state().refusals = vec![pending, (503, json!({}))];
    let login = Login::start(&sandbox, "");
    assert!(login.printed.contains("Enter the code WDJB-MJHT at this"), "{}", login.printed);
    assert_eq!(login.address, format!("{}/enter", provider.url()));
    assert!(login.end(0).contains("signed in at"));
    assert_eq!(provider.state().grants.len(), 3);
    sandbox.run("get rp").exits(0);
    for (error, part) in [
        ("access_denied", "refused in the browser"),
        ("expired_token", "the code is not valid any more"),
    ] {
        provider.state().refusals = vec![(400, json!({"error": error}))];
        let text = Login::start(&sandbox, "").end(4);
        assert!(text.contains(part), "{text}");
    }
    // The token of before is still there.
    sandbox.run("get rp").exits(0);
}

#[test]
fn other_ways_need_no_person() {
    for (block, fields) in &BLOCKS[..2] {
        let provider = Provider::start(LONG);
        let sandbox = home(&provider, block, fields);
        sandbox.run("get rp").exits(0);
        sandbox.run("get rp").exits(0);
        assert_eq!(provider.state().grants.len(), 1, "{block}: the token is used again");
        assert!(sandbox.run("whoami").exits(0).stdout.starts_with("alice at http"));
        let login = sandbox.run("login").exits(0);
        assert!(login.stdout.contains(", then renewed without you"), "{login}");
        sandbox.run("logout").exits(0);
        assert!(cached(&sandbox).is_empty());
        assert_eq!(provider.state().revoked.len(), 1, "{block}");
    }
}

#[test]
fn the_token_of_a_pod_is_not_kept_for_another() {
    let provider = Provider::start(LONG);
    let sandbox = home(&provider, BLOCKS[2].0, BLOCKS[2].1);
    run(&sandbox, "get rp").exits(0);
    assert!(cached(&sandbox).is_empty());
    let other = sandbox.run_with("get rp", |it| _ = it.env("K8S_SERVICEACCOUNT_TOKEN", "other"));
    assert!(other.exits(4).stderr.contains("refused (invalid_grant)"));
    assert!(run(&sandbox, "login").exits(0).stdout.contains("which needs no sign-in"));
}

#[test]
fn a_client_is_authenticated_as_the_provider_wants() {
    let provider = Provider::start(LONG);
    let sandbox = home(&provider, BLOCKS[1].0, BLOCKS[1].1);
    provider.state().published = [(METHODS, json!(["client_secret_post"]))].into();
    sandbox.run("get rp").exits(0);
    sandbox.run("logout").exits(0);
    provider.state().published.clear();
    sandbox.run("get rp").exits(0);
}

#[test]
fn completion_renews_nothing() {
    let provider = Provider::start(LONG);
    let sandbox = home(&provider, "openIdAuth", "scopes: []");
    sign_in(&sandbox);
    let complete = || {
        let words = ["__complete", "--", "get", "rp", ""];
        let run = sandbox.run_with("", |command| _ = command.args(words));
        assert_eq!((run.code, run.stderr.as_str()), (0, ""), "{run}");
        provider.state().credentials.len()
    };
    assert_eq!(complete(), 1, "a valid token is used");
    expire(&sandbox);
    assert_eq!(complete(), 1);
    assert_eq!(provider.state().grants, ["authorization_code"]);
    sandbox.run("get rp").exits(0);
}

#[test]
fn the_user_is_that_of_the_token_that_the_server_accepts() {
    let provider = Provider::start(LONG);
    let sandbox = home(&provider, "openIdAuth", "scopes: []");
    sign_in(&sandbox);
    change(&sandbox, &[("subject", json!("bob")), ("accessToken", json!("refused"))]);
    assert!(sandbox.run("whoami").exits(0).stdout.starts_with("alice at http"));
}

#[test]
fn a_logout_removes_and_revokes_all_of_a_client() {
    let provider = Provider::start(LONG);
    let sandbox = home(&provider, "openIdAuth", "scopes: []");
    sign_in(&sandbox);
    set_config(&sandbox, &provider.config("openIdAuth", "scopes: [more]"));
    sign_in(&sandbox);
    assert_eq!(cached(&sandbox).len(), 2);
    // Others could read one: it has to be revoked all the more.
    #[cfg(unix)]
    {
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        std::fs::set_permissions(&cached(&sandbox)[0].0, open).unwrap();
    }
    provider.state().refuses_revocation = true;
    let refused = sandbox.run("logout").exits(0);
    assert!(refused.stderr.contains("warning: the token was not revoked"), "{refused}");
    assert!(!refused.to_string().contains("hush"), "{refused}");
    assert!(cached(&sandbox).is_empty());
    provider.state().refuses_revocation = false;
    sign_in(&sandbox);
    assert_eq!(sandbox.run("logout").exits(0).stderr, "");
    assert_eq!(provider.state().revoked.len(), 1);
    sign_in(&sandbox);
    provider.state().published = [("revocation_endpoint", Value::Null)].into();
    let not_offered = sandbox.run("logout").exits(0);
    assert!(not_offered.stderr.contains("does not revoke tokens"), "{not_offered}");
}

#[test]
fn a_token_that_the_server_refuses_is_replaced_once() {
    let provider = Provider::start(LONG);
    let sandbox = home(&provider, "openIdPasswordAuth", BLOCKS[0].1);
    sandbox.run("get rp").exits(0);
    provider.state().forget_access_tokens();
    sandbox.run("get rp").exits(0);
    assert_eq!(provider.state().grants, ["password", "refresh_token"]);
    // Without a refresh token the credentials are sent again.
    provider.state().forget_access_tokens();
    provider.state().forget_refresh_tokens();
    sandbox.run("get rp").exits(0);
    assert_eq!(provider.state().grants[2..], ["refresh_token", "password"]);
    // A server that refuses every token is asked twice.
    provider.state().lifetime = 0;
    provider.state().credentials.clear();
    set_config(&sandbox, &provider.config("openIdClientCredentialsAuth", BLOCKS[1].1));
    let run = sandbox.run("get rp").exits(4);
    assert!(
        run.stderr.contains("not authenticated (401): Invalid credentials Bearer REDACTED"),
        "{run}"
    );
    assert_eq!(provider.state().credentials.len(), 2);
}

#[test]
fn one_of_many_processes_renews_a_token() {
    let provider = Provider::start(LONG);
    let sandbox = home(&provider, "openIdAuth", "scopes: []");
    sign_in(&sandbox);
    expire(&sandbox);
    let children: Vec<Child> =
        (0..8).map(|_| sandbox.command().args(["get", "rp"]).spawn().unwrap()).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(provider.state().grants, ["authorization_code", "refresh_token"]);
}

#[test]
fn no_secret_is_printed_even_if_the_provider_repeats_it() {
    for (block, fields) in BLOCKS {
        let provider = Provider::start(SHORT);
        let sandbox = home(&provider, block, fields);
        let mut texts = vec![
            run(&sandbox, "get rp -v").exits(0).to_string(),
            run(&sandbox, "get rp -v").exits(0).to_string(),
            run(&sandbox, "whoami -v -o json").exits(0).to_string(),
            run(&sandbox, "login -v").exits(0).to_string(),
            run(&sandbox, "config view").exits(0).to_string(),
        ];
        provider.state().forget_refresh_tokens();
        let wrong =
            fields.replace("hush-password", "hush-wrong").replace("hush-secret", "hush-wrong");
        set_config(&sandbox, &provider.config(block, &wrong));
        let refused = sandbox.run_with("get rp -v -o json", |command| {
            command.env("K8S_SERVICEACCOUNT_TOKEN", "hush-wrong");
        });
        let refused = refused.exits(4).to_string();
        assert!(refused.contains("refused (invalid_grant)"), "{refused}");
        texts.push(refused);
        texts.push(run(&sandbox, "logout -v").exits(0).to_string());
        let state = provider.state();
        let secrets = state.secrets.iter().map(String::as_str);
        for secret in secrets.chain([PASSWORD, CLIENT_SECRET, POD_TOKEN, "hush-wrong"]) {
            assert!(!texts.concat().contains(secret), "{secret} in {}", texts.concat());
        }
    }
}

#[test]
fn a_refresh_token_is_not_kept_if_the_file_says_so() {
    let provider = Provider::start(LONG);
    for fields in ["cacheRefreshToken: false", "scopes: []\n    cacheRefreshToken: false, x: "] {
        let sandbox = Sandbox::new();
        let config = provider.config("openIdAuth", fields);
        set_config(
            &sandbox,
            &config.replace(", x: }", "").replace("scopes: []\n", "scopes: []}\n"),
        );
        let printed = sign_in(&sandbox);
        assert_eq!(cached(&sandbox)[0].1["refreshToken"], Value::Null, "{printed}");
        assert_eq!(sandbox.run("whoami -o json").exits(0).json()["renewable"], json!(false));
    }
}

#[test]
fn a_provider_that_is_not_one() {
    let provider = Provider::start(LONG);
    let sandbox = home(&provider, "openIdPasswordAuth", BLOCKS[0].1);
    let is = |published: &[(&'static str, Value)], code: i32, part: &str| {
        provider.state().published = published.iter().cloned().collect();
        let run = sandbox.run("get rp").exits(code);
        assert!(run.stderr.contains(part), "{part}: {run}");
    };
    is(
        &[("issuer", json!("https://elsewhere.example"))],
        7,
        "the provider is `https://elsewhere.example`",
    );
    is(&[("token_endpoint", json!("http://elsewhere.example/token"))], 2, "unencrypted");
    is(&[("token_endpoint", json!("file:///etc/passwd"))], 7, "invalid address");
    is(&[("token_endpoint", json!(5))], 7, "is not that of a provider");
    is(&[], 0, "");
    assert_eq!(provider.state().grants.len(), 1);
    // Each of these answers the token endpoint of a fresh sign-in.
    for (status, body, code, part) in [
        (200, json!({}), 7, "its answer has no token"),
        (200, json!({"access_token": "a b"}), 7, "its token has characters"),
        (200, json!({"access_token": "a", "token_type": "mac"}), 7, "not of the type Bearer"),
        (200, json!({"access_token": "x".repeat(2 << 20)}), 7, "larger than 1 MiB"),
        (401, json!({"error": "invalid_client"}), 4, "check `clientId`"),
        (400, json!({"error": "unauthorized_client"}), 4, "does not allow `openIdPasswordAuth`"),
        (503, json!({"error": "temporarily_unavailable"}), 7, "try again later"),
        (502, json!("<html>"), 7, "answered 502"),
        (404, json!("<html>"), 7, "check `providerUrl`"),
    ] {
        provider.state().refusals = vec![(status, body)];
        let run = sandbox.run("login").exits(code);
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
    // A name of a host is the same in any case.
    let same = provider.url().replace("127.0.0.1", "LOCALHOST");
    provider.state().published = [("issuer", json!(format!("{same}/")))].into();
    let own = provider.config("openIdPasswordAuth", BLOCKS[0].1);
    set_config(&sandbox, &own.replace(&provider.url(), &same));
    sandbox.run("login").exits(0);
    provider.state().published = [("device_authorization_endpoint", Value::Null)].into();
    set_config(&sandbox, &provider.config("openIdDeviceAuth", "scopes: []"));
    let run = sandbox.run("login").exits(2);
    assert!(run.stderr.contains("offers no sign-in by device code"), "{run}");
}

#[test]
fn a_provider_that_cannot_be_reached() {
    let provider = Provider::start(LONG);
    let config = provider.config("openIdPasswordAuth", BLOCKS[0].1);
    let sandbox = Sandbox::new();
    for (address, code, part) in [
        ("http://127.0.0.1:1", 7, "http://127.0.0.1:1 refused the connection"),
        ("http://elsewhere.example", 2, "unencrypted"),
        ("https://elsewhere.invalid", 7, "cannot resolve the host"),
        ("elsewhere.example", 3, "`providerUrl` that is not an address"),
    ] {
        let own = format!("providerUrl: {}", provider.url());
        set_config(&sandbox, &config.replace(&own, &format!("providerUrl: {address}")));
        let run = sandbox.run("get rp").exits(code);
        assert!(run.stderr.contains(part), "{part}: {run}");
    }
    assert!(provider.paths().is_empty());
}

#[test]
fn a_cache_that_cannot_be_written() {
    let provider = Provider::start(LONG);
    let sandbox = home(&provider, "openIdClientCredentialsAuth", BLOCKS[1].1);
    sandbox.file("file", "");
    let cache = sandbox.path().join("file");
    let unwritable = |line: &str| sandbox.run_with(line, |it| _ = it.env("XDG_CACHE_HOME", &cache));
    // A script in a container without a home works.
    unwritable("get rp").exits(0);
    assert!(unwritable("get rp -v").exits(0).stderr.contains("cannot lock the token"));
    #[cfg(target_os = "linux")]
    {
        let full = sandbox.run_with("get rp -v", |it| _ = it.env("XDG_CACHE_HOME", "/proc"));
        assert!(full.exits(0).stderr.contains("cannot lock the token"));
    }
    // Nobody should sign in for a token that is lost.
    set_config(&sandbox, &provider.config("openIdAuth", "scopes: []"));
    let run = unwritable("login --no-browser").exits(3);
    assert!(
        run.stderr.contains("cannot lock the token") && !run.stderr.contains("Sign in at"),
        "{run}"
    );
}

#[test]
fn a_context_that_needs_no_sign_in() {
    let provider = Provider::start(LONG);
    let sandbox = Sandbox::new();
    let url = provider.url();
    let context = |block: &str| {
        format!("currentContext: dev\ncontexts: {{dev: {{armadaRestUrl: '{url}'{block}}}}}\n")
    };
    set_config(&sandbox, &context(", basicAuth: {username: me, password: hush}"));
    for line in ["login", "logout"] {
        let run = sandbox.run(line).exits(0);
        assert_eq!(run.stdout, "the context has `basicAuth`, which needs no sign-in\n");
    }
    set_config(&sandbox, &context(""));
    let run = sandbox.run("login").exits(3);
    assert!(run.stderr.contains("nothing to sign in to"), "{run}");
    snapshot!("login_output_json", sandbox.run("login -o json").exits(2));
}

#[test]
fn what_a_block_has_in_vain_is_named() {
    let provider = Provider::start(LONG);
    let fields = "username: alice, password: hush-password, clientsecrets: x}, execAuth: {cmd: x";
    let sandbox = Sandbox::new();
    let config =
        provider.config("openIdPasswordAuth", fields).replace("}, execAuth", "}\n    execAuth");
    set_config(&sandbox, &config);
    let run = sandbox.run("get rp").exits(0);
    assert_eq!(
        run.stderr.lines().take(2).collect::<Vec<_>>(),
        [
            "warning: not read: the key `clientsecrets` of `openIdPasswordAuth`",
            "warning: not read: `execAuth`, since `openIdPasswordAuth` is used"
        ]
    );
}

/// A kubeconfig whose user has these fields.
fn kubeconfig(server: &str, user: &str) -> String {
    format!(
        "current-context: c\ncontexts: [{{name: c, context: {{cluster: k, user: u, namespace: jobs}}}}]\nclusters: [{{name: k, cluster: {{server: '{server}', certificate-authority-data: {}}}}}]\nusers: [{{name: u, user: {user}}}]\n",
        STANDARD.encode(CA)
    )
}

#[cfg(unix)]
#[test]
fn a_cluster_gives_a_token_for_a_service_account() {
    let provider = Provider::start(LONG);
    let sandbox = Sandbox::new();
    let url = provider.url();
    set_config(
        &sandbox,
        &format!("armadaRestUrl: {url}\nkubernetesNativeAuth: {{enabled: true, expiry: 900}}\n"),
    );
    let with = |line: &str, account: Option<&str>| {
        sandbox.run_with(line, |command| {
            command.env("KUBECONFIG", "missing:kube/config");
            command.envs(account.map(|name| ("SERVICE_ACCOUNT", name)));
        })
    };
    let program = "#!/bin/sh\ntest \"$KIND\" = x || exit 1\ncase \"$KUBERNETES_EXEC_INFO\" in *ExecCredential*) ;; *) exit 1 ;; esac\nprintf '{\"kind\":\"ExecCredential\",\"status\":{\"token\":\"%s\"}}' \"$1\"\n";
    sandbox.file("kube/program", program).file("kube/token", format!("{POD_TOKEN}\n"));
    let path = sandbox.path().join("kube/program");
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let exec = format!(
        "{{exec: {{apiVersion: client.authentication.k8s.io/v1, command: ./program, args: [{POD_TOKEN}], env: [{{name: KIND, value: x}}]}}}}"
    );
    for user in [format!("{{token: {POD_TOKEN}}}"), "{tokenFile: token}".to_owned(), exec] {
        sandbox.file("kube/config", kubeconfig(&url, &user));
        let run = with("get rp -v", Some("ci")).exits(0);
        assert!(
            run.stderr.contains("POST http")
                && run.stderr.contains("/namespaces/jobs/serviceaccounts/ci/token")
        );
        assert!(!run.to_string().contains("hush"), "{run}");
        let who = with("whoami -o json", Some("ci")).exits(0).json();
        assert_eq!((&who["user"], &who["auth"]), (&json!("alice"), &json!("kubernetesNativeAuth")));
    }
    let bodies: Vec<String> = provider.state().credentials.clone();
    assert!(bodies.iter().all(|header| header.starts_with("KubernetesAuth ")), "{bodies:?}");

    let missing = with("get rp", None).exits(3);
    assert!(missing.stderr.contains("`SERVICE_ACCOUNT`"), "{missing}");
    sandbox.file("kube/config", kubeconfig(&url, "{token: hush-wrong}"));
    let refused = with("get rp", Some("ci")).exits(4);
    assert!(refused.stderr.contains("answered 403: forbidden"), "{refused}");
    sandbox.file("kube/config", kubeconfig(&url, "{client-certificate: x, client-key: hush}"));
    let certificate = with("get rp", Some("ci")).exits(2);
    for (user, part) in [
        ("{token: hush, as: admin}", "the user's `as`"),
        ("{exec: {command: x, interactiveMode: Always}}", "needs a terminal"),
        ("{}", "a user with nothing"),
    ] {
        sandbox.file("kube/config", kubeconfig(&url, user));
        let run = with("get rp", Some("ci")).exits(2);
        assert!(run.stderr.contains(part), "{run}");
    }
    assert!(
        certificate.stderr.contains("a user with client-certificate, client-key"),
        "{certificate}"
    );
    sandbox.file("kube/config", kubeconfig("http://elsewhere.example", "{token: hush}"));
    assert!(with("get rp", Some("ci")).exits(2).stderr.contains("unencrypted"));
    sandbox.file("kube/config", "token: hush\n: [");
    let broken = with("get rp", Some("ci")).exits(3);
    assert!(!broken.to_string().contains("hush"), "{broken}");
    let none = sandbox.run("get rp").exits(3);
    assert!(none.stderr.contains("needs a pod, or a kubeconfig"), "{none}");
}
