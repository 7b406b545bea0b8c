//! What must hold of any text that is taken for a line: what is read, mostly on the fast path, is what the
//! exact path reads.

use armadactl::internals::history::{Job, OnBadRecord};
use armadactl::internals::simulate::{Stream, read_history};
use armadactl::internals::systems::armada::Armada;

/// Reads the text as a line, and as a JSON value, which takes the exact path. Returns whether the line is a
/// record.
pub fn line(text: &str) -> bool {
    // Between tokens any space will do; in a text a line end is an error, and a space only another text.
    let text = text.replace(['\n', '\r'], " ");
    let Some(job) = read(|stream| stream.whole_lines("line", &text)) else { return false };
    let exact = read(|stream| {
        let read = stream.json_values("value", &mut text.as_bytes());
        assert!(read.is_ok(), "{text}");
    });
    // The exact path may refuse what the fast path reads: it takes the line for YAML too.
    assert!(exact.is_none_or(|exact| exact == job), "{text}");
    true
}

/// The job of the only record, if nothing is wrong with it.
fn read(feed: impl FnOnce(&mut Stream<'_, Armada>)) -> Option<Job> {
    let (mut history, findings) = read_history(None, OnBadRecord::Error, feed);
    if !findings.is_empty() {
        return None;
    }
    assert!(history.members.len() <= 1);
    history.members.pop()
}
