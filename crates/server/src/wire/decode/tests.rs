//! Tests of decoding: accepted input, ignored input and messages.

use super::super::{FULL_POLICY, POLICY, QUEUE};
use super::*;

fn policy(body: &str) -> Result<String, String> {
    let decode_percent = decode(&POLICY, body.as_bytes(), Strictness::AsArmada);
    decode_percent.map(|value| value.to_string()).map_err(|status| status.message)
}

fn strictly(body: &str) -> String {
    match decode(&POLICY, body.as_bytes(), Strictness::Strict) {
        Ok(_) => String::new(),
        Err(status) => status.message,
    }
}

#[test]
fn bodies_become_their_canonical_form() {
    for (body, canonical) in [
        ("", "{}"),
        ("null", "{}"),
        (r#"{"retryLimit":0,"rules":[],"name":"","defaultAction":0}"#, "{}"),
        (r#"{"retry_limit":3,"unknown":{},"NAME":"p"} trailing"#, r#"{"name":"p"}"#),
        (r#"{"name":"a","name":"b"}"#, r#"{"name":"b"}"#),
        (r#"{"rules":[null,{}]}"#, r#"{"rules":[null,{}]}"#),
        (r#"{"rules":[{"mutate":{"affinity":{}}}]}"#, r#"{"rules":[{"mutate":{"affinity":{}}}]}"#),
    ] {
        assert_eq!(policy(body).as_deref(), Ok(canonical), "{body}");
    }
    for action in [r#""fail""#, r#""FAIL""#, r#""RETRY_ACTION_FAIL""#, "1"] {
        let body = format!(r#"{{"defaultAction":{action}}}"#);
        assert_eq!(policy(&body).as_deref(), Ok(r#"{"defaultAction":"Fail"}"#), "{body}");
    }
}

#[test]
fn wrong_types_are_said_in_go_s_words() {
    for (body, message) in [
        ("[]", "json: cannot unmarshal array into Go value of type api.RetryPolicy"),
        (
            r#"{"retryLimit":"3"}"#,
            "json: cannot unmarshal string into Go struct field RetryPolicy.retryLimit of type uint32",
        ),
        (
            r#"{"retryLimit":-1}"#,
            "json: cannot unmarshal number -1 into Go struct field RetryPolicy.retryLimit of type uint32",
        ),
        (
            r#"{"retryLimit":1.5}"#,
            "json: cannot unmarshal number 1.5 into Go struct field RetryPolicy.retryLimit of type uint32",
        ),
        (
            r#"{"retryLimit":4294967296}"#,
            "json: cannot unmarshal number 4294967296 into Go struct field RetryPolicy.retryLimit of type uint32",
        ),
        (
            r#"{"rules":{}}"#,
            "json: cannot unmarshal object into Go struct field RetryPolicy.rules of type []*api.RetryRule",
        ),
        (
            r#"{"rules":[{"onCategory":7}]}"#,
            "json: cannot unmarshal number into Go struct field RetryRule.rules.onCategory of type string",
        ),
        (r#"{"name":1,"defaultAction":"x"}"#, "no RetryAction of name \"x\""),
        (r#"{"defaultAction":7}"#, "no RetryAction of value 7"),
        (
            r#"{"defaultAction":"retry_action_fail"}"#,
            "no RetryAction of name \"retry_action_fail\"",
        ),
        (
            r#"{"defaultAction":[]}"#,
            "json: cannot unmarshal array into Go struct field RetryPolicy.defaultAction of type string",
        ),
        (
            r#"{"rules":[{"action":true}]}"#,
            "json: cannot unmarshal bool into Go struct field RetryRule.rules.action of type string",
        ),
        (
            r#"{"retryLimit":1e0}"#,
            "json: cannot unmarshal number 1e0 into Go struct field RetryPolicy.retryLimit of type uint32",
        ),
        (
            r#"{"retryLimit":-0}"#,
            "json: cannot unmarshal number -0 into Go struct field RetryPolicy.retryLimit of type uint32",
        ),
        (r#"{"name":"#, "unexpected EOF"),
    ] {
        assert_eq!(policy(body), Err(message.to_owned()), "{body}");
    }
}

#[test]
fn strictly_nothing_is_ignored() {
    for (body, said) in [
        ("", "the body is empty"),
        ("{} {}", "something follows"),
        (r#"{"retry_limit":1}"#, "RetryPolicy has no field \"retry_limit\""),
        (r#"{"Name":"p"}"#, "\"Name\" is written \"name\""),
        (r#"{"name":"p","name":"q"}"#, "\"name\" is given twice"),
    ] {
        assert!(strictly(body).contains(said), "{body}: {}", strictly(body));
    }
    assert_eq!(strictly(r#"{"name":"p","defaultAction":"Fail"}"#), "");
}

#[test]
fn maps_are_written_in_order() {
    let body = br#"{"labels":{"b":"1","a":null},"resourceLimitsByPriorityClassName":{"x":null}}"#;
    let queue = decode(&QUEUE, body, Strictness::AsArmada).unwrap().to_string();
    assert_eq!(
        queue,
        r#"{"resourceLimitsByPriorityClassName":{"x":null},"labels":{"a":"","b":"1"}}"#
    );
}

#[test]
fn a_limit_of_zero_stays_in_the_full_form() {
    let body = br#"{"retryLimit":0,"rules":[{"retryLimit":0},{"retryLimit":null}]}"#;
    let policy = decode(&FULL_POLICY, body, Strictness::AsArmada).unwrap().to_string();
    assert_eq!(policy, r#"{"retryLimit":0,"rules":[{"retryLimit":0},{}]}"#);
}
