//! Random requests: no request causes a panic or an internal error.

use super::*;
use crate::access::Hosts;
use crate::dialect::WireForm;
use crate::store::StoreLocation;
use crate::wire::Strictness;
use proptest::prelude::*;

fn apis() -> Vec<Api> {
    let mut all = Vec::new();
    for form in [WireForm::Deployed, WireForm::Full] {
        for strictness in [Strictness::AsArmada, Strictness::Strict] {
            let store = Store::open(&StoreLocation::Memory).unwrap();
            let access = Access::Local(Hosts::default());
            all.push(Api { store, dialect: Dialect { form, strictness }, access });
        }
    }
    all
}

fn held(method: &str, path: &str, body: &[u8]) -> Result<(), TestCaseError> {
    for api in apis() {
        let answer = api.answer(&Head::new(method, path), body);
        prop_assert!(answer.status < 500, "{method} {path}: {}", answer.text());
        if matches!(answer.content, Content::Call | Content::Json)
            && matches!(answer.payload, crate::Payload::Whole(_))
        {
            let json: Result<serde_json::Value, _> = serde_json::from_str(&answer.text());
            prop_assert!(json.is_ok(), "{}", answer.text());
        }
        for path in ["/v1/retry-policies", "/v1/batched/queues"] {
            prop_assert_eq!(api.answer(&Head::new("GET", path), b"").status, 200);
        }
    }
    Ok(())
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        Just("0".to_owned()),
        Just("2".to_owned()),
        Just("-1.5e400".to_owned()),
        Just("true".to_owned()),
        Just("\"Retry\"".to_owned()),
        Just("\"30s\"".to_owned()),
        any::<f64>().prop_map(|n| serde_json::json!(n).to_string()),
        any::<String>().prop_map(|s| serde_json::json!(s).to_string()),
    ]
}

/// JSON whose keys are mostly those of the messages.
fn json() -> impl Strategy<Value = String> {
    let keys = prop::sample::select(vec![
        "name",
        "retryLimit",
        "defaultAction",
        "rules",
        "action",
        "onCategory",
        "onSubcategory",
        "mutate",
        "affinity",
        "avoidSameNode",
        "resources",
        "memory",
        "factor",
        "static",
        "priorityFactor",
        "userOwners",
        "permissions",
        "subjects",
        "kind",
        "verbs",
        "labels",
        "retryPolicies",
        "queues",
        "backoff",
        "initialDelay",
        "onExitCodes",
        "values",
        "NAME",
        "x",
        "onFailureCategory",
        "antiAffinity",
        "resourceLimitsByPriorityClassName",
    ]);
    scalar().prop_recursive(5, 60, 6, move |inner| {
        let pair =
            (keys.clone(), inner.clone()).prop_map(|(key, value)| format!("\"{key}\":{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(pair, 0..6).prop_map(|pairs| format!("{{{}}}", pairs.join(","))),
        ]
    })
}

fn writes() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop::sample::select(vec![
        ("POST", "/v1/retry-policy"),
        ("PUT", "/v1/retry-policy/p"),
        ("POST", "/v1/queue"),
        ("PUT", "/v1/queue/q%20r"),
        ("POST", "/v1/batched/create_queues"),
        ("PUT", "/v1/batched/update_queues"),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_get_an_answer((method, path) in writes(), body in prop::collection::vec(any::<u8>(), 0..200)) {
        held(method, path, &body)?;
    }

    #[test]
    fn any_json_gets_an_answer((method, path) in writes(), body in json()) {
        held(method, path, body.as_bytes())?;
    }

    #[test]
    fn any_path_gets_an_answer(method in "GET|PUT|POST|DELETE|HEAD", path in "(/v1/(queue|retry-policy)/)?.{0,40}") {
        held(&method, &path, b"{}")?;
    }
}

#[test]
fn deep_json_is_refused() {
    let body = "[".repeat(100_000);
    let answer = apis()[0].answer(&Head::new("POST", "/v1/queue"), body.as_bytes());
    assert_eq!(answer.status, 400);
}

#[test]
fn the_number_of_queues_is_a_number() {
    assert_eq!(queue_limit(""), Ok(0));
    assert_eq!(queue_limit("x=1&num=3"), Ok(3));
    assert!(
        queue_limit("num=-1").is_err()
            && queue_limit("num=").is_err()
            && queue_limit("num=%2B1").is_err()
    );
}
