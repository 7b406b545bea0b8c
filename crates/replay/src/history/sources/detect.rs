//! Detects the format of a history by its first bytes.

use super::program::Program;
use super::sketch::{Sketch, Value};
use super::unsupported::UnsupportedFormat;
use crate::history::piece::LONGEST_LINE;
use document::diag::BYTE_ORDER_MARK;
use serde::de::IgnoredAny;
use std::io::{self, BufRead, Read};

/// The format of a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `kind: FailureHistory` documents, YAML or JSON.
    Document,
    /// JSON Lines, a run a line.
    Lines,
    /// Runs in a list of JSON, or over several lines each.
    Records,
    /// Another program's output.
    Of(&'static Program),
    /// A partial summary, which `simulate --partial` writes.
    Partial,
    /// An output that is not read.
    Unsupported(UnsupportedFormat),
}

/// The first bytes of a partial summary.
pub const PARTIAL_MAGIC: &str = "armadactl partial ";

/// Bytes that are read to detect a format: programs print the keys that decide among the first few thousand.
const HEAD: u64 = 1 << 16;

/// The format of a history, as [`detect`](super::detect()) describes it.
pub(super) fn detect(
    programs: &'static [Program],
    name: &str,
    bytes: &mut dyn BufRead,
    head: &mut Vec<u8>,
) -> io::Result<Format> {
    (&mut *bytes).take(HEAD).read_to_end(head)?;
    if head.starts_with(PARTIAL_MAGIC.as_bytes()) {
        return Ok(Format::Partial);
    }
    let text = head.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(head).trim_ascii_start();
    let sketch = Sketch::of(text);
    // Keys first: lines of another program may be a value of JSON.
    if let Some(format) = by_keys(programs, &sketch).or_else(|| by_lines(programs, text)) {
        return Ok(format);
    }
    let is_list = text.starts_with(b"[");
    let has_id = sketch.has("jobId") && !sketch.has("kind");
    let before_json = UnsupportedFormat::before_json(&String::from_utf8_lossy(head));
    Ok(match () {
        () if is_list => Format::Records,
        () if is_lines(name, bytes, head)? => Format::Lines,
        () if has_id => Format::Records,
        () => before_json.map_or(Format::Document, Format::Unsupported),
    })
}

/// Lines before JSON, as [`detect_lines_before_json`](super::detect_lines_before_json) describes them.
pub(super) fn detect_lines_before_json(
    programs: &'static [Program],
    bytes: &mut dyn BufRead,
    head: &mut Vec<u8>,
) -> io::Result<Option<UnsupportedFormat>> {
    if head.is_empty() {
        bytes.take(HEAD).read_to_end(head)?;
    }
    let text = head.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(head).trim_ascii_start();
    let is_read = matches!(by_lines(programs, text), Some(Format::Of(_)));
    Ok(UnsupportedFormat::before_json(&String::from_utf8_lossy(head)).filter(|_| !is_read))
}

/// The output whose objects have these keys.
fn by_keys(programs: &'static [Program], sketch: &Sketch) -> Option<Format> {
    let of_slurm = ["job_id", "association", "exit_code"];
    if sketch.has_in_list("jobs", &of_slurm) || sketch.has("meta") && sketch.is_list("jobs") {
        return Some(Format::Unsupported(UnsupportedFormat::SacctJson));
    }
    // In reverse: pods accept any list of `items`, also that of workflows, whose row comes later.
    programs.iter().rev().find(|program| (program.has_keys)(sketch)).map(Format::Of)
}

/// The output that begins with such lines.
fn by_lines(programs: &'static [Program], text: &[u8]) -> Option<Format> {
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first = std::str::from_utf8(first).ok()?.trim_end();
    // JSON is told by its keys alone: a value of it may look like a line of another program.
    if first.starts_with(['{', '[']) {
        return None;
    }
    if let Some(format) = UnsupportedFormat::by_lines(&String::from_utf8_lossy(text)) {
        return Some(Format::Unsupported(format));
    }
    let text = String::from_utf8_lossy(text);
    programs.iter().find(|program| (program.has_lines)(first, &text)).map(Format::Of)
}

/// Whether the first line is a JSON object and no `FailureHistory`, or is a broken one before a
/// good one.
fn is_lines(name: &str, bytes: &mut dyn BufRead, head: &mut Vec<u8>) -> io::Result<bool> {
    let start = head.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(head.len());
    let end = line_end(start, bytes, head)?;
    let line = head[start..end].trim_ascii();
    let line = line.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(line);
    // A compressed file is read under the name that it had before.
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let (empty, object) = (line.is_empty(), line.starts_with(b"{"));
    // A pipe may have no records, such as that of an empty partition.
    let named = matches!(ending, Some("jsonl" | "ndjson")) || name == "-" && head.is_empty();
    let document = Value::Text("FailureHistory".to_owned());
    // Not as a tree: the line may be a document of many megabytes.
    match serde_json::from_slice::<IgnoredAny>(line) {
        Ok(_) if object => {
            let sketch = Sketch::of(line);
            // A run has neither; a policy as JSON has both.
            let is_other = sketch.has("apiVersion") && sketch.has("kind");
            Ok(!is_other && sketch.get("kind") != Some(&document))
        }
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
    // A file without a line break must not be read as a whole.
    bytes.take(LONGEST_LINE as u64).read_until(b'\n', head)?;
    Ok(head.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detects_unsupported_formats_by_lines_or_keys() {
        use UnsupportedFormat::{
            BeforeJson, Csv, KubectlTable, NoResources, SacctColumns, SacctCsv, SacctJson,
            SacctWithout, WatchSummary,
        };
        for (text, format) in [
            ("No resources found in default namespace.\n", NoResources),
            ("jobId,outcome\na,Failed\n", Csv),
            ("JobID,State,ExitCode\n1,FAILED,1:0\n", SacctCsv),
            ("JobID  JobName  State\n------ ------- -----\n1 a FAILED\n", SacctColumns),
            ("JobID|ExitCode|Start\n1|1:0|0\n", SacctWithout("State")),
            ("JobIDRaw|State|\n1|FAILED|\n", SacctWithout("JobID")),
            ("NAME   READY   STATUS   RESTARTS   AGE\na-0  0/1  Error  0  5m\n", KubectlTable),
            (
                "NAMESPACE  NAME  READY  STATUS  RESTARTS  AGE  IP  NODE  NOMINATED NODE  READINESS GATES\n",
                KubectlTable,
            ),
            ("LAST SEEN  TYPE  REASON  OBJECT  MESSAGE\n", KubectlTable),
            (r#"{"jobs":[{"account":"a","association":{},"job_id":1,"state":{"#, SacctJson),
            (r#"{"meta":{"plugin":{}},"errors":[],"jobs":["#, SacctJson),
            ("Watching job set a\nNov 3 | Queued:   0, Leased: 0\n", WatchSummary),
            ("Warning: old\n{\n \"kind\": \"PodList\"\n}\n", BeforeJson(1)),
            ("a: b\n\nc\n[{\"jobId\":\"a\"}]", BeforeJson(3)),
        ] {
            assert_eq!(detected("-", text), Format::Unsupported(format), "{text}");
        }
        for text in ["# a\n{\"kind\": \"FailureHistory\"}", "%YAML 1.2\n---\n{}", "a: b\n---\n{}"] {
            assert_eq!(detected("-", text), Format::Document, "{text}");
        }
    }

    #[test]
    fn lists_and_objects_over_lines_are_records() {
        for text in [
            "[]",
            r#"[{"jobId":"a","outcome":"Failed"}]"#,
            "{\n  \"jobId\": \"a\",\n  \"outcome\": \"Failed\"\n}\n",
        ] {
            assert_eq!(detected("x.jsonl", text), Format::Records, "{text}");
        }
    }

    fn detected(name: &str, text: &str) -> Format {
        let (mut bytes, mut head) = (text.as_bytes(), Vec::new());
        let format = super::super::detect(name, &mut bytes, &mut head).unwrap();
        assert_eq!([head.as_slice(), bytes].concat(), text.as_bytes(), "nothing is lost");
        format
    }

    #[test]
    fn detects_formats_by_the_first_bytes() {
        for (text, program) in [
            (r#"{"result":{"id":"1","message":{"queued":{}}}}"#, "armada-events"),
            (r#"{"error":{"grpc_code":5,"message":"no"}}"#, "armada-events"),
            (r#"{"error":"no","code":5,"message":"no"}"#, "armada-events"),
            ("Watching job set a\n", "armada-events"),
            ("*api.JobQueuedEvent {}\n", "armada-events"),
            (r#"{"jobs":[{"jobId":"a""#, "lookout"),
            ("{\n \"jobs\": null\n}", "lookout"),
            (r#"{"jobId":"a","queue":"q","runs":[]}"#, "lookout"),
            (r#"{"error":"no"}"#, "lookout"),
            ("\u{feff}\n{\"apiVersion\":\"v1\",\n\"items\":[", "pods"),
            (r#"{"apiVersion":"v1","kind":"Pod","metadata":{"na"#, "pods"),
            (r#"[{"kind":"Pod"}]"#, "pods"),
            (r#"{"type":"ADDED","object":{}}"#, "pods"),
            ("apiVersion: v1\nitems:\n- apiVersion: v1\n", "pods"),
            ("---\n# a pod\napiVersion: v1\nkind: Pod # one\n", "pods"),
            ("JobID|State|ExitCode\r\n", "sacct"),
            ("State|JobName|JobID|\n", "sacct"),
            ("23|COMPLETED|1789819300|\n", "sacct"),
        ] {
            let Format::Of(found) = detected("-", text) else { panic!("{text}") };
            assert_eq!(found.name, program, "{text}");
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
            assert_eq!(detected("x.yaml", text), Format::Document, "{text}");
        }
        for text in [r#"{"jobId":"a","outcome":"Failed"}"#, "{\"cut\n{\"jobId\":\"a\"}\n"] {
            assert_eq!(detected("-", text), Format::Lines, "{text}");
        }
        assert_eq!(detected("x.jsonl.gz", ""), Format::Lines);
        assert_eq!(detected("x.yaml.gz", ""), Format::Document);
    }

    #[test]
    fn a_first_line_that_is_long_is_a_line() {
        let long = format!("{{\"jobId\":\"{}\",\"outcome\":\"Failed\"}}\n", "a".repeat(100_000));
        assert_eq!(detected("-", &(long + "{}")), Format::Lines);
    }
}
