//! Short texts of failures, the same for every system.

/// How a run ended: `OOMKilled (137)`, `Preempted`, `exit 1`; none if neither is known.
pub fn ending_text(reason: Option<&str>, exit_code: Option<i64>) -> Option<String> {
    match (reason, exit_code) {
        (Some(reason), Some(code)) => Some(format!("{reason} ({code})")),
        (Some(reason), None) => Some(reason.to_owned()),
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
