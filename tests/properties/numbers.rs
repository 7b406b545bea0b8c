//! A number that is written is the number that is read: in JSON, through the client, and from the
//! embedded server.

use armada_retry::policy::wire::{from_wire, to_wire};
use armada_retry::policy::{self, RetryPolicy};
use client::config::{Auth, BaseUrl, Connection, InsecureAuth};
use client::{Client, Fields};
use document::diag::Source;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use server::access::{Access, Hosts};
use server::dialect::{Dialect, WireForm};
use server::net::{Event, Limits, Server, events};
use server::store::{Store, StoreLocation};
use server::wire::{Json, Number, Strictness};
use server::{Api, Head};
use std::time::Duration;

/// Numbers that `serde_json` reads one unit off unless it takes care, and the ends of the range.
const CORNERS: [f64; 10] = [
    1.000_000_000_000_000_2,
    4_503_599_627_370_497.5,
    9_007_199_254_740_993.0,
    95_029_304_420_816.53,
    9.502_930_442_081_65e107,
    2.638_344_616_030_823e-256,
    f64::MAX,
    f64::MIN_POSITIVE,
    5e-324,
    -0.0,
];

fn finite() -> impl Strategy<Value = f64> {
    let any = any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |n| n.is_finite());
    // Numbers as people write them: many digits, small exponents.
    let usual = (1_u64..1 << 53, -20_i32..5).prop_map(|(digits, power)| {
        format!("{digits}e{power}").parse().expect("digits and an exponent are a number")
    });
    prop_oneof![1 => prop::sample::select(CORNERS.to_vec()), 4 => any, 8 => usual]
}

fn above_one() -> impl Strategy<Value = f64> {
    finite().prop_map(f64::abs).prop_filter("more than 1", |number| *number > 1.0)
}

/// The embedded server without a socket.
fn api() -> Api {
    let store = Store::open(&StoreLocation::Memory).expect("a store in memory");
    let dialect = Dialect { form: WireForm::Deployed, strictness: Strictness::Strict };
    Api { store, dialect, access: Access::Local(Hosts::default()) }
}

fn text(number: f64) -> String {
    Fields::of(&json!({ "x": number })).expect("an object").get("x").expect("a field").to_owned()
}

fn policy(number: f64) -> RetryPolicy {
    let text = format!(
        "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: p\nretryLimit: 1\ndefaultAction: Fail\nrules:\n- action: Retry\n  onCategory: oom\n  mutate: {{resources: {{memory: {{factor: {}}}}}}}\n",
        text(number)
    );
    let (documents, findings) = policy::read(&[Source::new("p.yaml", text.clone())]);
    assert!(!findings.has_errors(), "{:?}\n{text}", findings.sorted());
    RetryPolicy::clone(&documents.policies[0].policy)
}

fn factor(policy: &Value) -> Option<u64> {
    policy.pointer("/rules/0/mutate/resources/memory/factor")?.as_f64().map(f64::to_bits)
}

/// The development dependencies of these tests switch the feature on too, so only the manifest shows
/// whether the binary has it.
#[test]
fn the_binary_reads_floats_exactly() {
    let manifest = include_str!("../../Cargo.toml");
    let dependencies =
        manifest.split("[workspace.dependencies]").nth(1).expect("a table of dependencies");
    let line = dependencies.lines().find(|line| line.starts_with("serde_json = "));
    assert!(line.is_some_and(|line| line.contains("\"float_roundtrip\"")), "{line:?}");
}

proptest! {
    #[test]
    fn json_keeps_every_number(number in finite()) {
        let read = Fields::of(&json!({ "x": number })).expect("an object").value("x");
        prop_assert_eq!(read.and_then(|x| x.as_f64()).map(f64::to_bits), Some(number.to_bits()));
        let go = Number::Float(number).to_string();
        let read = Json::first(go.as_bytes()).expect("JSON").value.and_then(|x| x.number());
        // Go writes -0 too, which reads as an integer here: its sign is lost, its value is not.
        prop_assert_eq!(read, Some(number), "{}", go);
    }

    #[test]
    fn the_server_gives_back_the_factors_that_it_took(number in above_one()) {
        let api = api();
        let sent = to_wire(&policy(number));
        prop_assert_eq!(factor(&sent), Some(number.to_bits()));
        let body = Fields::of(&sent).expect("an object");
        let post = Head::new("POST", "/v1/retry-policy");
        prop_assert_eq!(api.answer(&post, body.text().as_bytes()).status, 200);
        let held = api.answer(&Head::new("GET", "/v1/retry-policy/p"), b"").text();
        let held: Value = serde_json::from_str(&held).expect("JSON");
        prop_assert_eq!(factor(&held), Some(number.to_bits()));
        prop_assert_eq!(from_wire(&held), Ok(policy(number)));
    }
}

/// JSON has no such number: one that a queue would be sent with becomes a null, which removes a limit.
#[test]
fn numbers_that_are_not_finite_are_refused() {
    let read = |field: &str| {
        let head = "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: q\n";
        policy::read(&[Source::new("q.yaml", format!("{head}{field}\n"))]).1
    };
    for number in [".nan", ".NaN", ".inf", "-.inf", "+.INF", "1e400", "-1e400"] {
        for field in [format!("priorityFactor: {number}"), limits(number), limits_by_pool(number)] {
            assert!(read(&field).has_errors(), "{field}");
        }
    }
    for number in CORNERS {
        let fields = [limits(&text(number)), limits_by_pool(&text(number))];
        assert!(fields.iter().all(|field| !read(field).has_errors()), "{fields:?}");
    }
}

fn limits(number: &str) -> String {
    format!(
        "resourceLimitsByPriorityClassName: {{c: {{maximumResourceFraction: {{cpu: {number}}}}}}}"
    )
}

fn limits_by_pool(number: &str) -> String {
    let limits = format!("{{maximumResourceFraction: {{cpu: {number}}}}}");
    format!(
        "resourceLimitsByPriorityClassName: {{c: {{maximumResourceFractionByPool: {{p: {limits}}}}}}}"
    )
}

/// A client of an embedded server that runs until the process ends.
fn serving() -> Client {
    let limits = Limits { body: 1 << 20, time: Duration::from_secs(30), connections: 8 };
    let addresses = [([127, 0, 0, 1], 0).into()];
    let server = Server::bind(&addresses, api(), limits).expect("a free port");
    let (log, events) = events();
    std::thread::spawn(move || server.run(log));
    let Ok(Event::Listening(address)) = events.recv() else { panic!("it listens") };
    // The log is read on, so that it never fills.
    std::thread::spawn(move || events.into_iter().for_each(drop));
    let connection = Connection {
        base: BaseUrl::parse(&format!("http://{address}"), "the test").expect("an address"),
        auth: Auth::Anonymous,
        context: None,
        timeout: Duration::from_secs(30),
        ca_file: None,
        insecure_auth: InsecureAuth::Refused,
        cache_directory: None,
        renewal: client::config::Renewal::Allowed,
        warnings: Vec::new(),
    };
    Client::new(&connection, None).expect("a client")
}

/// What the client sends is what the server gives it: priority factors and memory factors.
#[test]
fn numbers_survive_the_client_and_the_server() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let client = serving();
    let body = json!({ "name": "q", "priorityFactor": 1 });
    runtime.block_on(client.create_queue("q", &Fields::of(&body).unwrap())).unwrap();
    let body = to_wire(&policy(2.0));
    runtime.block_on(client.create_policy(&Fields::of(&body).unwrap())).unwrap();
    let mut runner = TestRunner::default();
    let outcome = runner.run(&above_one(), |number| runtime.block_on(survives(&client, number)));
    outcome.unwrap();
}

async fn survives(client: &Client, number: f64) -> Result<(), TestCaseError> {
    let queue = Fields::of(&json!({ "name": "q", "priorityFactor": number })).expect("an object");
    client.put_queue("q", &queue, None).await.expect("an answer");
    let held = client
        .queue("q")
        .await
        .expect("an answer")
        .expect("a thing")
        .fields
        .value("priorityFactor");
    let held = held.and_then(|held| held.as_f64()).map(f64::to_bits);
    prop_assert_eq!(held, Some(number.to_bits()), "{}", number);
    let sent = to_wire(&policy(number));
    client.update_policy("p", &Fields::of(&sent).expect("an object")).await.expect("an answer");
    let held = client
        .policy("p")
        .await
        .expect("an answer")
        .expect("a thing")
        .fields
        .to_value()
        .expect("an object");
    prop_assert_eq!(from_wire(&held), from_wire(&sent), "{}", number);
    prop_assert_eq!(factor(&held), Some(number.to_bits()), "{}", number);
    Ok(())
}
