//! The inputs of the delays of replayed sessions: ids, counts and draws.

use super::engine::{engine, member, near, replay};
use crate::backendai::{Draw, Interpretation, SessionId};
use replay::simulate::{Effect, Engine, Evaluation, Fact, FactKind, Live, Moment, Units};
use serde_json::json;

#[test]
fn chance_decides_only_where_it_is_asked_for() {
    let wait = |jitter: &str, draw: u64| {
        let engine = engine(&json!({"max_retries": 1, "jitter": jitter, "retry_delay": 64}));
        let member = member(&[json!({})]);
        let facts = [Fact { member: 0, kind: FactKind::Ended(&member.runs[0]) }];
        let moment =
            Moment { now: None, facts: &facts, draw, live: Live::default(), matched: None };
        let (mut state, mut answer) = (engine.begin(&[&member]), Evaluation::default());
        engine.evaluate(&mut state, &mut (), &moment, &mut answer);
        let Effect::Rerun { delay, .. } = answer.verdicts[0].effect else { panic!("a retry") };
        delay.unwrap().as_secs_f64()
    };
    assert!(near(wait("random", 0), 64.0) && near(wait("random", 1 << 63), 72.0));
    assert!(wait("random", u64::MAX) <= 80.0);
    for jitter in ["none", "deterministic"] {
        assert!(near(wait(jitter, 0), wait(jitter, u64::MAX)), "{jitter}");
    }
}

#[test]
fn sessions_are_hashed_by_their_own_id_else_by_the_roots() {
    let id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
    let engine = engine(&json!({"max_retries": 5}));
    let policy = engine.profile().unwrap().policy;
    let wait = |id: &str, count| {
        let id = SessionId::new(id);
        policy.delay(Interpretation::default(), &id, count, Draw::LOWEST).seconds
    };
    let outcome = replay(&engine, &[json!({"sessionId": id}), json!({}), json!({"sessionId": ""})]);
    let waits: Vec<f64> = outcome.decisions.iter().filter_map(|one| one.delay_seconds).collect();
    let expected = [wait(id, 0), wait("root", 1), wait("root", 2)];
    assert!(waits.iter().zip(expected).all(|(one, other)| near(*one, other)), "{waits:?}");
    assert_eq!(outcome.decisions[0].pod_name.as_deref(), Some(id));
    assert_eq!(outcome.decisions[1].pod_name.as_deref(), Some("root"));
}
