//! What a history is: the one place that tells by its first bytes.

use super::Program;
use super::sacct::is_header;
use super::sketch::{Sketch, Value};
use super::unsupported::{UnsupportedFormat, is_row_of_sacct};
use crate::diag::BYTE_ORDER_MARK;
use crate::history::LONGEST_LINE;
use serde::de::IgnoredAny;
use std::io::{self, BufRead, Read};

/// What the bytes of a history mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `kind: FailureHistory` documents, YAML or JSON.
    Document,
    /// JSON Lines, a run a line.
    Lines,
    /// Runs in a list of JSON, or over several lines each.
    Records,
    /// Another program's output.
    Of(Program),
    /// An output that is not read as it is.
    Unsupported(UnsupportedFormat),
}

/// Bytes that are looked at. The keys that tell stand at the beginning of what programs print.
const HEAD: u64 = 1 << 16;

/// What a history called `name` is. What was read to tell is put into `head`: the history is
/// `head` and then the rest of `bytes`.
///
/// The name tells only where the first line is a broken object: `.jsonl` and `.ndjson`, compressed
/// or not.
pub fn detect(name: &str, bytes: &mut dyn BufRead, head: &mut Vec<u8>) -> io::Result<Format> {
    (&mut *bytes).take(HEAD).read_to_end(head)?;
    let text = head.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(head).trim_ascii_start();
    let sketch = Sketch::of(text);
    if let Some(format) = by_keys(&sketch).or_else(|| by_lines(text)) {
        return Ok(format);
    }
    let is_list = text.starts_with(b"[");
    let has_id = sketch.get("jobId").is_some() && sketch.get("kind").is_none();
    let behind = UnsupportedFormat::before_json(&String::from_utf8_lossy(head));
    Ok(match () {
        () if is_list => Format::Records,
        () if lines(name, bytes, head)? => Format::Lines,
        () if has_id => Format::Records,
        () => behind.map_or(Format::Document, Format::Unsupported),
    })
}

/// Lines before the JSON of a history that is known to be JSON, as of a warning, if there are some.
/// What was read to tell is put into `head`, unless it is there.
pub fn detect_lines_before_json(
    bytes: &mut dyn BufRead,
    head: &mut Vec<u8>,
) -> io::Result<Option<UnsupportedFormat>> {
    if head.is_empty() {
        bytes.take(HEAD).read_to_end(head)?;
    }
    let text = head.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(head).trim_ascii_start();
    let is_read = matches!(by_lines(text), Some(Format::Of(_)));
    Ok(UnsupportedFormat::before_json(&String::from_utf8_lossy(head)).filter(|_| !is_read))
}

/// The output whose objects have these keys.
fn by_keys(sketch: &Sketch) -> Option<Format> {
    let of_slurm = ["job_id", "association", "exit_code"];
    if sketch.has_in_list("jobs", &of_slurm)
        || sketch.get("meta").is_some() && sketch.is_list("jobs")
    {
        return Some(Format::Unsupported(UnsupportedFormat::SacctJson));
    }
    program(sketch).map(Format::Of)
}

/// The program that writes objects with these keys.
fn program(sketch: &Sketch) -> Option<Program> {
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

/// The output that begins with such lines.
fn by_lines(text: &[u8]) -> Option<Format> {
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first = std::str::from_utf8(first).ok()?.trim_end();
    if first.starts_with(['{', '[']) {
        return None;
    }
    if let Some(format) = UnsupportedFormat::by_lines(&String::from_utf8_lossy(text)) {
        return Some(Format::Unsupported(format));
    }
    if first.starts_with("Watching job set ") || first.starts_with("*api.Job") {
        Some(Format::Of(Program::ArmadaEvents))
    } else if is_header(first) || is_row_of_sacct(first) {
        Some(Format::Of(Program::Sacct))
    } else {
        is_yaml_of_pods(&String::from_utf8_lossy(text)).then_some(Format::Of(Program::Pods))
    }
}

/// Whether a mapping of YAML has the keys of a pod or of a list of pods. A list has its kind behind
/// its items, and may have none within sight.
fn is_yaml_of_pods(text: &str) -> bool {
    let value = |line: &str| line.split_once(':').map(|(_, value)| value.trim().to_owned());
    let mut kind = None;
    for line in text.lines() {
        match line.split(':').next().unwrap_or_default() {
            "items" => return true,
            "kind" if kind.is_none() => kind = value(line),
            _ => {}
        }
    }
    let kind = kind.unwrap_or_default();
    let kind = kind.split(" #").next().unwrap_or_default().trim_matches(['"', '\'']);
    matches!(kind, "Pod" | "PodList" | "List")
}

/// Whether the first line is a JSON object and no `FailureHistory`, or is a broken one before a
/// good one.
fn lines(name: &str, bytes: &mut dyn BufRead, head: &mut Vec<u8>) -> io::Result<bool> {
    let start = head.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(head.len());
    let end = line_end(start, bytes, head)?;
    let line = head[start..end].trim_ascii();
    let line = line.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(line);
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
    bytes.take(LONGEST_LINE as u64).read_until(b'\n', head)?;
    Ok(head.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_unsupported_formats_by_lines_or_keys() {
        use UnsupportedFormat::{
            Behind, Csv, NoResources, SacctColumns, SacctCsv, SacctJson, WatchSummary,
        };
        for (text, format) in [
            ("No resources found in default namespace.\n", NoResources),
            ("jobId,outcome\na,Failed\n", Csv),
            ("JobID,State,ExitCode\n1,FAILED,1:0\n", SacctCsv),
            ("JobID  JobName  State\n------ ------- -----\n1 a FAILED\n", SacctColumns),
            (r#"{"jobs":[{"account":"a","association":{},"job_id":1,"state":{"#, SacctJson),
            (r#"{"meta":{"plugin":{}},"errors":[],"jobs":["#, SacctJson),
            ("Watching job set a\nNov 3 | Queued:   0, Leased: 0\n", WatchSummary),
            ("Warning: old\n{\n \"kind\": \"PodList\"\n}\n", Behind(1)),
            ("a: b\n\nc\n[{\"jobId\":\"a\"}]", Behind(3)),
        ] {
            assert_eq!(told("-", text), Format::Unsupported(format), "{text}");
        }
        for text in ["# a\n{\"kind\": \"FailureHistory\"}", "%YAML 1.2\n---\n{}", "a: b\n---\n{}"] {
            assert_eq!(told("-", text), Format::Document, "{text}");
        }
    }

    #[test]
    fn lists_and_objects_over_lines_are_records() {
        for text in [
            "[]",
            r#"[{"jobId":"a","outcome":"Failed"}]"#,
            "{\n  \"jobId\": \"a\",\n  \"outcome\": \"Failed\"\n}\n",
        ] {
            assert_eq!(told("x.jsonl", text), Format::Records, "{text}");
        }
    }

    fn told(name: &str, text: &str) -> Format {
        let (mut bytes, mut head) = (text.as_bytes(), Vec::new());
        let format = detect(name, &mut bytes, &mut head).unwrap();
        assert_eq!([head.as_slice(), bytes].concat(), text.as_bytes(), "nothing is lost");
        format
    }

    #[test]
    fn detects_formats_by_the_first_bytes() {
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
            ("apiVersion: v1\nitems:\n- apiVersion: v1\n", Pods),
            ("---\n# a pod\napiVersion: v1\nkind: Pod # one\n", Pods),
            ("JobID|State|ExitCode\r\n", Sacct),
            ("State|JobName|JobID|\n", Sacct),
            ("23|COMPLETED|1789819300|\n", Sacct),
        ] {
            assert_eq!(told("-", text), Format::Of(program), "{text}");
        }
    }

    #[test]
    fn distinguishes_documents_from_lines() {
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
