//! A client with good and bad servers over real connections.

use super::quirks::{Fake, Piece, Script, answer, chunked};
use super::{Client, ClientError, ClientErrorKind, Effect, Fields, WireForm};
use crate::config::{Auth, BaseUrl, Connection, InsecureAuth};
use serde_json::json;
use std::future::Future;
use std::time::{Duration, Instant};

fn connection(url: &str) -> Connection {
    Connection {
        base: BaseUrl::parse(url, "in a test").unwrap(),
        auth: Auth::Anonymous,
        context: None,
        timeout: Duration::from_millis(600),
        ca_file: None,
        insecure_auth: InsecureAuth::Refused,
        cache_directory: None,
        renewal: crate::config::Renewal::Allowed,
        warnings: Vec::new(),
    }
}

fn client(fake: &Fake) -> Client {
    Client::new(&connection(&fake.url()), None).unwrap()
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn ok(body: &str) -> Script {
    answer(200, &["Content-Type: application/json"], body)
}

/// All queues of a list, and the error at which it ends.
fn listed(client: &Client) -> (Vec<String>, Option<ClientError>) {
    run(async {
        let mut names = Vec::new();
        let mut queues = match client.queues().await {
            Ok(queues) => queues,
            Err(error) => return (names, Some(error)),
        };
        loop {
            match queues.next().await {
                Ok(Some(queue)) => names.push(queue.get("name").unwrap().to_owned()),
                Ok(None) => return (names, None),
                Err(error) => {
                    assert!(queues.next().await.unwrap().is_none(), "it is over");
                    return (names, Some(error));
                }
            }
        }
    })
}

const QUEUE: &str = "{\"result\":{\"Event\":{\"queue\":{\"name\":\"a\"}}}}\n";
const END: &str = "{\"result\":{\"Event\":{\"end\":{}}}}\n";

#[test]
fn what_the_server_holds_comes_as_it_is() {
    let text = r#"{"name":"q", "weight":1e400,"new":{"x":12345678901234567890}}"#;
    let fake = Fake::new(vec![answer(200, &["ETag: \"v7\""], text)]);
    let live = run(client(&fake).queue("q")).unwrap().unwrap();
    assert_eq!((live.fields.text(), live.etag.as_deref()), (text, Some("\"v7\"")));
    assert!(fake.requests()[0].starts_with("GET /v1/queue/q HTTP/1.1\r\n"));
}

#[test]
fn a_body_goes_out_as_it_is_under_its_version() {
    let fake = Fake::new(vec![ok("{}")]);
    let body = Fields::parse(r#"{"name":"a b","w": 1.0, "h":1e400}"#).unwrap();
    run(client(&fake).put_queue("a b", &body, Some("\"v7\""))).unwrap();
    let request = fake.requests().remove(0);
    assert!(request.starts_with("PUT /v1/queue/a%20b HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("if-match: \"v7\"\r\n"), "{request}");
    assert!(request.ends_with(&format!("\r\n\r\n{}", body.text())), "{request}");
}

#[test]
fn what_is_not_there_is_none_only_if_armada_says_so() {
    let missing = r#"{"error":"could not find","code":5,"message":"could not find"}"#;
    let fake = Fake::new(vec![answer(404, &[], missing), answer(404, &[], "Not Found")]);
    let client = client(&fake);
    assert_eq!(run(client.policy("p")).unwrap(), None);
    assert_eq!(run(client.policy("p")).unwrap_err().kind, ClientErrorKind::Server);
}

#[test]
fn a_read_is_tried_again_and_a_creation_is_not() {
    let busy = || answer(503, &[], "busy");
    let fake = Fake::new(vec![busy(), busy(), ok(r#"{"retryPolicies":[{"name":"p"}]}"#)]);
    let policies = run(client(&fake).policies()).unwrap();
    assert_eq!((policies.len(), fake.requests().len()), (1, 3));
    assert_eq!(policies[0].value("name"), Some(json!("p")));
    let fake = Fake::new(vec![busy(), ok("{}")]);
    let error = run(client(&fake).create_policy(&Fields::parse(r#"{"name":"p"}"#).unwrap()));
    assert_eq!((error.unwrap_err().kind, fake.requests().len()), (ClientErrorKind::Server, 1));
    let fake = Fake::new(vec![busy()]);
    assert!(run(client(&fake).delete_queue("q")).is_err());
    assert_eq!(fake.requests().len(), 4);
}

#[test]
fn a_server_that_wants_too_much_time_is_not_asked_again() {
    let fake = Fake::new(vec![answer(429, &["Retry-After: 3600"], ""), ok("{}")]);
    let error = run(client(&fake).policies()).unwrap_err();
    assert_eq!((error.kind, fake.requests().len()), (ClientErrorKind::Busy, 1));
    let fake = Fake::new(vec![answer(429, &["Retry-After: 1"], ""), ok("{}")]);
    let begun = Instant::now();
    assert!(run(client(&fake).policies()).unwrap().is_empty());
    assert!(begun.elapsed() >= Duration::from_secs(1));
}

#[test]
fn slow_answers_are_given_up() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n";
    let slow = vec![Piece::Silence(3000)];
    let slow_body =
        vec![Piece::Bytes(head.into()), Piece::Bytes(b"{".into()), Piece::Silence(3000)];
    for script in [slow, slow_body] {
        let fake = Fake::new(vec![script]);
        let begun = Instant::now();
        let error = run(client(&fake).policies()).unwrap_err();
        assert_eq!(error.kind, ClientErrorKind::TimedOut, "{error}");
        assert!(error.help.unwrap().contains("--request-timeout"));
        assert!(begun.elapsed() < Duration::from_millis(2500));
    }
}

#[test]
fn a_list_may_take_long_but_not_between_two_pieces() {
    let mut script = chunked(&[QUEUE, QUEUE, QUEUE, END], true);
    for at in [2, 4, 6] {
        script.insert(at, Piece::Silence(350));
    }
    let fake = Fake::new(vec![script]);
    let (names, error) = listed(&client(&fake));
    assert!(error.is_none(), "{error:?}");
    assert_eq!(names, ["\"a\""; 3]);
    let mut stuck = chunked(&[QUEUE, END], true);
    stuck.insert(2, Piece::Silence(3000));
    let (names, error) = listed(&client(&Fake::new(vec![stuck])));
    assert_eq!((names.len(), error.unwrap().kind), (1, ClientErrorKind::TimedOut));
    let (_, error) = listed(&client(&Fake::new(vec![vec![Piece::Silence(3000)]])));
    assert_eq!(error.unwrap().kind, ClientErrorKind::TimedOut);
}

/// An answer that takes a minute, a few bytes at a time.
fn drip(head: &str, piece: &str) -> Script {
    let pieces = (0..1200).flat_map(|_| [Piece::Silence(50), Piece::Bytes(piece.into())]);
    [Piece::Bytes(head.into())].into_iter().chain(pieces).collect()
}

/// A client with a short request timeout, for a server that answers slowly.
fn impatient(head: &str, piece: &str) -> Client {
    let fake = Fake::new(vec![drip(head, piece)]);
    let timeout = Duration::from_millis(300);
    Client::new(&Connection { timeout, ..connection(&fake.url()) }, None).unwrap()
}

const LONG: &str =
    "HTTP/1.1 200 OK\r\nContent-Length: 99999\r\nContent-Type: application/json\r\n\r\n";

#[test]
fn an_answer_that_drips_is_given_up() {
    let failed = LONG.replace("200 OK", "400 X");
    let page = LONG.replace("application/json", "text/html");
    let cases = [(LONG, " "), (&failed, " "), (&page, "<"), (&LONG[..17], "X: y\r\n"), ("", "H")];
    let begun = Instant::now();
    std::thread::scope(|scope| {
        for (head, piece) in cases {
            scope.spawn(move || {
                let client = impatient(head, piece);
                for error in [
                    listed(&client).1.unwrap(),
                    run(client.queue("q")).unwrap_err(),
                    run(client.policies()).unwrap_err(),
                    run(client.delete_queue("q")).unwrap_err(),
                ] {
                    assert_eq!(error.kind, ClientErrorKind::TimedOut, "{head:?}: {error}");
                }
            });
        }
    });
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

#[test]
fn queues_that_drip_without_end_are_given_up() {
    let (names, error) = listed(&impatient(LONG, QUEUE));
    assert_eq!(error.unwrap().kind, ClientErrorKind::TimedOut);
    assert!((1..600).contains(&names.len()), "{}", names.len());
}

#[test]
fn a_list_without_its_end_is_not_taken_for_whole() {
    let half = &QUEUE[..20];
    let error_line = r#"{"error":{"grpc_code":14,"http_code":503,"message":"gone"}}"#;
    for (chunks, whole, part) in [
        (vec![QUEUE], true, "was cut off before its end"),
        (vec![], true, "was cut off before its end"),
        (vec![QUEUE], false, "was cut off"),
        (vec![QUEUE, half], true, "a line of the list is broken"),
        (vec![QUEUE, "<html>\n", END], true, "a line of the list is broken"),
        (vec![QUEUE, error_line], true, "in the middle of the list: gone"),
    ] {
        let (names, error) = listed(&client(&Fake::new(vec![chunked(&chunks, whole)])));
        let error = error.unwrap();
        assert_eq!(error.kind, ClientErrorKind::Server, "{error}");
        assert!(error.message.contains(part), "{error}");
        assert_eq!(names.len(), usize::from(!chunks.is_empty()), "{part}");
    }
}

#[test]
fn a_list_is_cut_anywhere() {
    let text = format!("{QUEUE}\n{QUEUE}{END}{{\"more\":1}}");
    let pieces: Vec<&str> = text.split_inclusive(['q', '"']).collect();
    assert_eq!(listed(&client(&Fake::new(vec![chunked(&pieces, true)]))).0.len(), 2);
}

#[test]
fn too_much_is_too_much() {
    let huge = format!("{{\"a\":\"{}\"}}", "x".repeat(17 << 20));
    let error = run(client(&Fake::new(vec![ok(&huge)])).policies()).unwrap_err();
    assert!(error.message.contains("larger than 16 MiB"), "{error}");
    let line = format!("{{\"result\":\"{}", "x".repeat(5 << 20));
    let (_, error) = listed(&client(&Fake::new(vec![chunked(&[&line], true)])));
    assert!(error.unwrap().message.contains("longer than 4 MiB"));
}

#[test]
fn credentials_never_leave_the_server() {
    let other = Fake::new(vec![ok("{}")]);
    let elsewhere = format!("Location: {}/v1/retry-policies", other.url());
    let fake = Fake::new(vec![
        answer(307, &[&elsewhere], ""),
        answer(302, &["Location: /moved"], ""),
        ok("{}"),
    ]);
    let auth = Auth::Basic { username: "me".to_owned(), password: "hush".into() };
    let client = Client::new(&Connection { auth, ..connection(&fake.url()) }, None).unwrap();
    let error = run(client.policies()).unwrap_err();
    assert!(error.message.contains(&format!("redirects to `{}` (307)", other.url())), "{error}");
    assert_eq!(other.requests().len(), 0);
    assert!(run(client.policies()).unwrap().is_empty());
    let requests = fake.requests();
    assert!(requests[2].starts_with("GET /moved HTTP/1.1"), "{requests:?}");
    // Base64 of `me:hush`.
    assert!(requests.iter().all(|request| request.contains("authorization: Basic bWU6aHVzaA==")));
}

#[test]
fn a_redirected_change_is_not_made_elsewhere() {
    let fake = Fake::new(vec![answer(303, &["Location: /other"], ""), ok("{}")]);
    let error = run(client(&fake).delete_policy("p")).unwrap_err();
    assert_eq!((error.kind, fake.requests().len()), (ClientErrorKind::Server, 1));
}

/// The host of a sign-in page is named; what identifies the session there is not.
#[test]
fn a_redirect_to_a_sign_in_page_is_named() {
    const SIGN_IN: &str = "which may be a sign-in page";
    for (location, named, help) in [
        (
            "https://sso.example.com/login?state=hush#hush",
            "`https://sso.example.com`, ",
            "web sign-in",
        ),
        (
            "https://me:hush@sso.example.com:8443/hush",
            "`https://sso.example.com:8443`, ",
            "web sign-in",
        ),
        ("//sso.example.com/?hush", "`http://sso.example.com`, ", "web sign-in"),
        ("https://127.0.0.1/api?hush", "`https://127.0.0.1` (302)", "set `armadaRestUrl` to it"),
        ("mailto:hush@example.com", "another address (302)", "login page"),
        ("https://", "another address (302)", "login page"),
    ] {
        let redirect = || answer(302, &[&format!("Location: {location}")], "<html>hush");
        let client = client(&Fake::new(vec![redirect(), redirect()]));
        for error in
            [run(client.policy("p")).unwrap_err(), run(client.delete_policy("p")).unwrap_err()]
        {
            let text = format!("{} {}", error.message, error.help.as_deref().unwrap());
            assert_eq!(
                (error.kind, error.effect),
                (ClientErrorKind::Server, Effect::None),
                "{text}"
            );
            assert!(
                text.contains(named) && text.contains(help) && !text.contains("hush"),
                "{text}"
            );
            assert_eq!(text.contains(SIGN_IN), help == "web sign-in", "{text}");
        }
    }
}

#[test]
fn a_web_page_is_no_yes() {
    let page = || answer(200, &["Content-Type: text/html"], "<html>log in</html>");
    let client = client(&Fake::new(vec![page()]));
    let body = Fields::parse(r#"{"name":"p"}"#).unwrap();
    for error in [
        run(client.create_policy(&body)).unwrap_err(),
        run(client.delete_policy("p")).unwrap_err(),
        run(client.policy("p")).unwrap_err(),
        run(client.health()).unwrap_err(),
        listed(&client).1.unwrap(),
    ] {
        assert_eq!(error.kind, ClientErrorKind::Server);
        assert!(error.message.contains("web page"), "{error}");
    }
    assert_eq!(run(client.form()).unwrap(), WireForm::Deployed);
}

#[test]
fn the_description_is_read_once() {
    let full = r#"{"definitions":{"apiRetryRule":{"properties":{"onExitCodes":{}}}}}"#;
    let fake = Fake::new(vec![ok(full)]);
    let client = client(&fake);
    for _ in 0..3 {
        assert_eq!(run(client.clone().form()).unwrap(), WireForm::Full);
    }
    assert_eq!(fake.requests().len(), 1);
}

#[test]
fn a_version_that_is_not_any_more_is_told_apart() {
    let fake = Fake::new(vec![answer(412, &[], "")]);
    let body = Fields::parse("{}").unwrap();
    let error = run(client(&fake).put_queue("q", &body, Some("\"v\""))).unwrap_err();
    assert_eq!((error.kind, fake.requests().len()), (ClientErrorKind::Changed, 1));
}

#[test]
fn no_server_is_no_answer() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ask = |url: &str| {
        let client = Client::new(&connection(url), None).unwrap();
        run(client.create_policy(&Fields::parse(r#"{"name":"p"}"#).unwrap())).unwrap_err()
    };
    let refused = ask(&format!("http://{closed}"));
    assert_eq!(refused.kind, ClientErrorKind::Unreachable);
    assert!(refused.message.contains("refused the connection"), "{refused}");
    let unknown = ask("http://no-such-host.invalid");
    assert_eq!(unknown.kind, ClientErrorKind::Unreachable);
    assert!(unknown.message.contains("cannot resolve the host"), "{unknown}");
    let fake = Fake::new(vec![ok("{}")]);
    let plain = ask(&fake.url().replace("http:", "https:"));
    assert_eq!(plain.kind, ClientErrorKind::Unreachable, "{plain}");
}
