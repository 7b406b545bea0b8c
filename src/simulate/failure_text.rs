//! Failures in a few words, alike for every system.

/// How a run ended, in a few words: `OOMKilled (137)`, `Preempted`, `exit 1`; nothing if neither is
/// known.
pub fn ended_with(what: Option<&str>, exit_code: Option<i64>) -> Option<String> {
    match (what, exit_code) {
        (Some(what), Some(code)) => Some(format!("{what} ({code})")),
        (Some(what), None) => Some(what.to_owned()),
        (None, Some(code)) => Some(format!("exit {code}")),
        (None, None) => None,
    }
}

/// A failed container: `train 137 OOMKilled`, or `train -` if it did not end.
pub fn container_text(name: &str, exit_code: Option<i64>, reason: Option<&str>) -> String {
    let code = exit_code.map_or_else(|| "-".to_owned(), |code| code.to_string());
    match reason {
        Some(reason) => format!("{name} {code} {reason}"),
        None => format!("{name} {code}"),
    }
}
