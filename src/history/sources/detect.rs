//! What a history is: the one place that tells by its first bytes.

use super::Program;
use super::sacct::is_header;
use super::sketch::{Sketch, Value};
use serde::de::IgnoredAny;
use std::io::{self, BufRead, Read};

/// What the bytes of a history mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `kind: FailureHistory` documents, YAML or JSON.
    Document,
    /// JSON Lines, a run a line.
    Lines,
    /// Another program's output.
    Of(Program),
}

/// Bytes that are looked at. The keys that tell stand at the beginning of what programs print.
const HEAD: u64 = 1 << 16;
/// The longest first line that is looked at, in bytes.
const LONGEST_LINE: u64 = 16 << 20;

/// What a history called `name` is. What was read to tell is put into `head`: the history is
/// `head` and then the rest of `bytes`.
///
/// The name tells only where the first line is a broken object: `.jsonl` and `.ndjson`, compressed
/// or not.
pub fn detect(name: &str, bytes: &mut dyn BufRead, head: &mut Vec<u8>) -> io::Result<Format> {
    (&mut *bytes).take(HEAD).read_to_end(head)?;
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    if let Some(program) = by_keys(&Sketch::of(text)).or_else(|| by_lines(text)) {
        return Ok(Format::Of(program));
    }
    if lines(name, bytes, head)? { Ok(Format::Lines) } else { Ok(Format::Document) }
}

/// The program that writes objects with these keys.
fn by_keys(sketch: &Sketch) -> Option<Program> {
    let has = |key: &str| sketch.get(key).is_some();
    let is = |key: &str, words: &[&str]| matches!(sketch.get(key), Some(Value::Text(text)) if words.contains(&text.as_str()));
    let list = |key: &str| matches!(sketch.get(key), Some(Value::List | Value::Null));
    // An answer that is an error: the gateway's has a code, Lookout's has none.
    let refused = has("error") && !has("jobId");
    let event = is("type", &["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);
    if is("kind", &["Pod", "List", "PodList"]) || list("items") || event && has("object") {
        Some(Program::Pods)
    } else if list("jobs")
        || has("jobId") && has("runs") && !has("outcome")
        || refused && is_text(sketch, "error") && !has("code")
    {
        Some(Program::Lookout)
    } else if matches!(sketch.get("result"), Some(Value::Object))
        || matches!(sketch.get("message"), Some(Value::Object)) && has("id")
        || refused
    {
        Some(Program::ArmadaEvents)
    } else {
        None
    }
}

fn is_text(sketch: &Sketch, key: &str) -> bool {
    matches!(sketch.get(key), Some(Value::Text(_)))
}

/// The program that writes such a first line.
fn by_lines(text: &[u8]) -> Option<Program> {
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first = std::str::from_utf8(first).ok()?.trim_end();
    if first.starts_with("Watching job set ") || first.starts_with("*api.Job") {
        Some(Program::ArmadaEvents)
    } else {
        is_header(first).then_some(Program::Sacct)
    }
}

/// Whether the first line is a JSON object and no `FailureHistory`, or is a broken one before a
/// good one.
fn lines(name: &str, bytes: &mut dyn BufRead, head: &mut Vec<u8>) -> io::Result<bool> {
    let start = head.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(head.len());
    let end = line_end(start, bytes, head)?;
    let line = head[start..end].trim_ascii();
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let named = matches!(ending, Some("jsonl" | "ndjson"));
    let (empty, object) = (line.is_empty(), line.starts_with(b"{"));
    let document = Value::Text("FailureHistory".to_owned());
    // Not as a tree: the line may be a document of many megabytes.
    match serde_json::from_slice::<IgnoredAny>(line) {
        Ok(_) if object => Ok(Sketch::of(line).get("kind") != Some(&document)),
        Err(error) if object && error.is_eof() => next_is_object(end, bytes, head),
        Err(_) if object => Ok(named || next_is_object(end, bytes, head)?),
        // The first line of a stream may be cut off at its beginning.
        _ => Ok(named && (empty || next_is_object(end, bytes, head)?)),
    }
}

/// Whether the line that begins at a byte is a JSON object of its own.
fn next_is_object(start: usize, bytes: &mut dyn BufRead, head: &mut Vec<u8>) -> io::Result<bool> {
    let end = line_end(start, bytes, head)?;
    let object =
        serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(&head[start..end]);
    Ok(object.is_ok_and(|object| !object.is_empty()))
}

/// One past the end of the line that begins at a byte, of which more is read if it is not whole.
fn line_end(start: usize, bytes: &mut dyn BufRead, head: &mut Vec<u8>) -> io::Result<usize> {
    if let Some(length) = head[start..].iter().position(|byte| *byte == b'\n') {
        return Ok(start + length + 1);
    }
    bytes.take(LONGEST_LINE).read_until(b'\n', head)?;
    Ok(head.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(name: &str, text: &str) -> Format {
        let (mut bytes, mut head) = (text.as_bytes(), Vec::new());
        let format = detect(name, &mut bytes, &mut head).unwrap();
        assert_eq!([head.as_slice(), bytes].concat(), text.as_bytes(), "nothing is lost");
        format
    }

    #[test]
    fn the_first_bytes_tell() {
        use Program::{ArmadaEvents, Lookout, Pods, Sacct};
        for (text, program) in [
            (r#"{"result":{"id":"1","message":{"queued":{}}}}"#, ArmadaEvents),
            (r#"{"error":{"grpc_code":5,"message":"no"}}"#, ArmadaEvents),
            (r#"{"error":"no","code":5,"message":"no"}"#, ArmadaEvents),
            ("Watching job set a\n", ArmadaEvents),
            ("*api.JobQueuedEvent {}\n", ArmadaEvents),
            (r#"{"jobs":[{"jobId":"a""#, Lookout),
            ("{\n \"jobs\": null\n}", Lookout),
            (r#"{"jobId":"a","queue":"q","runs":[]}"#, Lookout),
            (r#"{"error":"no"}"#, Lookout),
            ("\u{feff}\n{\"apiVersion\":\"v1\",\n\"items\":[", Pods),
            (r#"{"apiVersion":"v1","kind":"Pod","metadata":{"na"#, Pods),
            (r#"[{"kind":"Pod"}]"#, Pods),
            (r#"{"type":"ADDED","object":{}}"#, Pods),
            ("JobID|State|ExitCode\r\n", Sacct),
            ("State|JobName|JobID|\n", Sacct),
        ] {
            assert_eq!(told("-", text), Format::Of(program), "{text}");
        }
    }

    #[test]
    fn documents_and_lines_are_told_apart() {
        for text in [
            "",
            "kind: FailureHistory",
            r#"{"apiVersion":"armadaproject.io/v1","kind":"FailureHistory","spec":{"jobs":[]}}"#,
            "{\n  \"kind\": \"FailureHistory\"\n}",
        ] {
            assert_eq!(told("x.yaml", text), Format::Document, "{text}");
        }
        for text in [r#"{"jobId":"a","outcome":"Failed"}"#, "{\"cut\n{\"jobId\":\"a\"}\n"] {
            assert_eq!(told("-", text), Format::Lines, "{text}");
        }
        assert_eq!(told("x.jsonl.gz", ""), Format::Lines);
        assert_eq!(told("x.yaml.gz", ""), Format::Document);
    }

    #[test]
    fn a_first_line_that_is_long_is_a_line() {
        let long = format!("{{\"jobId\":\"{}\",\"outcome\":\"Failed\"}}\n", "a".repeat(100_000));
        assert_eq!(told("-", &(long + "{}")), Format::Lines);
    }
}
