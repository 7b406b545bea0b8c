//! An event of a job set as a line of text. Columns have fixed widths, as later events are not known.

use crate::findings::Style;
use anstyle::{AnsiColor, Style as Paint};
use document::diag::printable;
use document::units::Time;
use serde_json::Value;

/// The widths of the time, the job and the event: those of a time in UTC, of a ULID and of the longest event.
const WIDTHS: [usize; 3] = [20, 26, 14];

/// Fields that are printed with a word, in this order.
const FIELDS: [(&str, &str); 6] = [
    ("nodeName", "node"),
    ("clusterId", "cluster"),
    ("pool", "pool"),
    ("preemptingJobId", "for job"),
    ("requestor", "by"),
    ("newPriority", "priority"),
];

/// Armada's causes of a failure, from 1 on (`event.proto`).
const CAUSES: [&str; 4] = ["Evicted", "OOM", "DeadlineExceeded", "Rejected"];

/// The header of the lines.
pub fn event_header() -> String {
    columns(["TIME", "JOB", "EVENT"], "DETAILS")
}

/// The line of an event, from the line of the server. Only a `wide` one has a whole reason.
pub fn event_line(line: &str, wide: bool, style: Style) -> String {
    let line: Value = serde_json::from_str(line).unwrap_or_default();
    let message = line["result"]["message"].as_object();
    let Some((kind, event)) = message.and_then(|message| message.iter().next()) else {
        return columns(["-"; 3], "no event");
    };
    let is_retried = kind == "failed" && event["retryable"] == true;
    let time = time(&event["created"]);
    let job = event["jobId"].as_str().unwrap_or("-");
    let text = columns([&time, job, kind], &details(event, is_retried, wide));
    match color(kind, is_retried).filter(|_| style == Style::Coloured) {
        Some(color) => {
            let paint = Paint::new().fg_color(Some(color.into()));
            format!("{paint}{}{paint:#}\n", text.trim_end())
        }
        None => text,
    }
}

/// The colour of an event: of failures, of those that are retried, and of other ends.
fn color(kind: &str, is_retried: bool) -> Option<AnsiColor> {
    match kind {
        "failed" if !is_retried => Some(AnsiColor::Red),
        "failed" | "leaseReturned" | "leaseExpired" | "preempted" => Some(AnsiColor::Yellow),
        "succeeded" => Some(AnsiColor::Green),
        _ => None,
    }
}

fn columns(cells: [&str; 3], last: &str) -> String {
    let mut text = String::new();
    for (cell, width) in cells.into_iter().zip(WIDTHS) {
        text += &format!("{:width$}  ", printable(cell));
    }
    format!("{}\n", (text + &printable(last)).trim_end())
}

/// The time in UTC, from Go's encoding of it or from RFC 3339.
fn time(created: &Value) -> String {
    let seconds = match created {
        Value::String(text) => Time::parse(text).ok().map(Time::epoch_seconds),
        created => created.is_object().then(|| created["seconds"].as_i64().unwrap_or(0)),
    };
    seconds.map_or("-".to_owned(), |seconds| Time::from_epoch_seconds(seconds).to_string())
}

fn details(event: &Value, is_retried: bool, wide: bool) -> String {
    let text = |key: &str| event[key].as_str().filter(|text| !text.is_empty());
    let mut parts = Vec::new();
    if is_retried {
        parts.push("retried".to_owned());
    }
    match (text("failureCategory"), text("failureSubcategory")) {
        (Some(category), Some(sub)) => parts.push(format!("{category}/{sub}")),
        (category, sub) => parts.extend(category.or(sub).map(str::to_owned)),
    }
    parts.extend(event["containerStatuses"].as_array().into_iter().flatten().map(container));
    let cause = event["cause"].as_u64().and_then(|cause| usize::try_from(cause).ok());
    parts.extend(
        // 0 is no cause: it wraps around to a place that the list does not have.
        cause.and_then(|cause| CAUSES.get(cause.wrapping_sub(1))).map(|it| (*it).to_owned()),
    );
    for (key, word) in FIELDS {
        match &event[key] {
            Value::String(text) if !text.is_empty() => parts.push(format!("{word} {text}")),
            Value::Number(number) => parts.push(format!("{word} {number}")),
            _ => {}
        }
    }
    // The reason of a failure repeats its containers.
    let has_containers = event["containerStatuses"].is_array();
    let limit = if wide { usize::MAX } else { usize::from(!has_containers) };
    let lines = text("reason").into_iter().flat_map(str::lines).filter(|line| !line.is_empty());
    let reason: Vec<&str> = lines.take(limit).collect();
    parts.extend(Some(reason.join(" ")).filter(|reason| !reason.is_empty()));
    parts.join(", ")
}

fn container(status: &Value) -> String {
    let name = status["name"].as_str().unwrap_or_default();
    // Armada leaves zeros out.
    let code = status["exitCode"].as_i64().unwrap_or(0);
    let reason = status["reason"].as_str().filter(|reason| !reason.is_empty());
    let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    format!("{name} exited with {code}{reason}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAILED: &str = r#"{"result":{"id":"1","message":{"failed":{"jobId":"j\u001b[2J","created":{"seconds":1792000000},"reason":"one\n\ntwo","nodeName":"n","cause":2,"failureCategory":"memory","containerStatuses":[{"name":"main","exitCode":137,"reason":"OOMKilled"}]}}}}"#;

    #[test]
    fn a_failure_has_its_facts() {
        let start = "2026-10-14T17:46:40Z  j\\u{1b}[2J                  failed          ";
        let facts = "memory, main exited with 137 (OOMKilled), OOM, node n";
        assert_eq!(event_line(FAILED, false, Style::Plain), format!("{start}{facts}\n"));
        assert_eq!(event_line(FAILED, true, Style::Plain), format!("{start}{facts}, one two\n"));
        let retry = FAILED.replace("\"cause\":2", "\"retryable\":true");
        assert!(
            event_line(&retry, false, Style::Plain).contains("failed          retried, memory")
        );
    }

    #[test]
    fn colours_are_of_whole_lines() {
        let red = event_line(FAILED, false, Style::Coloured);
        assert!(red.starts_with("\u{1b}[31m2026") && red.ends_with("node n\u{1b}[0m\n"), "{red}");
        let retry = FAILED.replace("\"cause\":2", "\"retryable\":true");
        assert!(event_line(&retry, false, Style::Coloured).starts_with("\u{1b}[33m2026"));
    }

    #[test]
    fn an_event_of_no_known_form_has_a_line() {
        for line in ["{}", r#"{"result":{"id":"1","message":{}}}"#, "x"] {
            assert!(event_line(line, false, Style::Plain).starts_with("-  "), "{line}");
        }
        let new = r#"{"result":{"id":"1","message":{"new":{"created":"2026-10-01T00:00:00.5Z"}}}}"#;
        assert!(event_line(new, false, Style::Plain).starts_with("2026-10-01T00:00:00Z  -"));
    }
}
