//! Waits, under every reading of the draft that a case tells.

use super::{count, known, meet, policy, text};
use serde_json::{Value, json};
use std::fmt::Write;
use systems::backendai::{
    Ceiling, Draw, HashText, Interpretation, JitterMode, Reduction, RetryPolicy, SessionId, digest,
};

/// A failed session and the policy of its retry.
struct Failed {
    policy: RetryPolicy,
    id: SessionId,
    retry_count: u32,
}

/// Compares what a case asserts of a wait.
pub fn run(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    known(input, &["session_id", "retry_count"])?;
    let failed = Failed {
        policy: policy::layer(&case["policy"])?.policy(),
        id: SessionId::new(text(&input["session_id"], "session_id")?),
        retry_count: count(&input["retry_count"], "retry_count")?,
    };
    let expected = &case["expected"];
    for (name, encoding) in by_encoding(expected)? {
        failed.encoding(name, encoding).map_err(|why| format!("{name}: {why}"))?;
    }
    // What has been compared already is not compared again.
    let mut rest = expected.clone();
    if let Some(fields) = rest.as_object_mut() {
        fields.remove("by_encoding");
    }
    failed.plain(&rest)
}

fn by_encoding(expected: &Value) -> Result<Vec<(&str, &Value)>, String> {
    known(&expected["by_encoding"], &HashText::ALL.map(HashText::as_str))
}

impl Failed {
    fn seconds(&self, interpretation: Interpretation) -> f64 {
        self.policy.delay(interpretation, &self.id, self.retry_count, Draw::LOWEST).seconds
    }

    fn plain(&self, expected: &Value) -> Result<(), String> {
        let under = |cap| Interpretation { cap, ..Interpretation::default() };
        let range = self.policy.delay_range(Ceiling::Hard, self.retry_count);
        let delay = |cap| self.policy.delay(under(cap), &self.id, self.retry_count, Draw::LOWEST);
        let (hard, literal) = (delay(Ceiling::Hard), delay(Ceiling::Literal));
        // What chance decides has a range, and no wait.
        let told = |seconds: f64| (self.policy.jitter != JitterMode::Random).then_some(seconds);
        meet(
            expected,
            &[
                ("base_seconds", json!(hard.base)),
                ("cap_hard_seconds", json!(hard.cap)),
                ("cap_literal_seconds", json!(literal.cap)),
                ("delay_seconds", json!(told(hard.seconds))),
                ("delay_literal_cap_seconds", json!(told(literal.seconds))),
                ("delay_min_seconds", json!(range.least)),
                ("delay_sup_seconds", json!(range.most)),
                ("sup_exclusive", json!(range.open)),
                ("range_inclusive_exclusive", json!([range.least, range.most])),
            ],
        )
    }

    /// One way to write what is hashed, and every way to reduce it.
    fn encoding(&self, name: &str, expected: &Value) -> Result<(), String> {
        let hash = HashText::from_name(name).ok_or_else(|| format!("no encoding `{name}`"))?;
        let digest = digest(hash, &self.id, self.retry_count);
        let mut actual = vec![("sha1_hex", json!(hex(&digest)))];
        actual.extend(Reduction::ALL.map(|reduce| {
            let interpretation = Interpretation { hash, reduce, ..Interpretation::default() };
            (reduce.as_str(), json!(self.seconds(interpretation)))
        }));
        meet(expected, &actual)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a text takes it");
        text
    })
}
