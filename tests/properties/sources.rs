//! No bytes make a source panic, and what it gives is in order: fixtures with some of their bytes
//! replaced, removed or repeated.
//!
//! Holds semantics.md 10.

#[path = "../../fuzz/bodies/source.rs"]
mod source;

use proptest::prelude::*;
use std::sync::LazyLock;

static FIXTURES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/sources");
    let folders = std::fs::read_dir(root).expect("the sources").flatten();
    let files = folders.flat_map(|folder| std::fs::read_dir(folder.path()).expect("a source"));
    let mut paths: Vec<_> = files.flatten().map(|file| file.path()).collect();
    paths.sort();
    // Long ones only make it slow: the short ones have every shape.
    let texts = paths.iter().map(|path| std::fs::read(path).expect("a fixture"));
    let short = texts.filter(|text| text.len() < 6000);
    short.chain(SHAPES.map(<[u8]>::to_vec)).collect()
});

/// Shapes of which no fixture is short.
const SHAPES: [&[u8]; 8] = [
    b"apiVersion: v1\nitems:\n- kind: Pod\n  metadata: {name: a, uid: u}\n  status: {phase: Failed, \
      containerStatuses: [{name: m, state: {terminated: {exitCode: 1}}}]}\nkind: List\n",
    b"kind: Pod\nmetadata:\n  name: a\nstatus:\n  phase: Succeeded\n---\nkind: Pod\nmetadata: &m {name: b}\n",
    b"[{\"jobId\":\"a\",\"outcome\":\"Failed\"},\n {\"jobId\":\"b\",\n  \"outcome\":\"Failed\"}]\n",
    b"{\n \"id\": \"1\",\n \"message\": {\n  \"failed\": {\n   \"jobId\": \"a\",\n   \"cause\": \"OOM\",\n   \
      \"created\": \"2026-10-01T10:00:00Z\"\n  }\n }\n}\n",
    b"Warning: old\n{\"kind\": \"PodList\", \"items\": []}\n",
    b"JobID,State\n1,FAILED\n",
    b"1|FAILED|1:0\n2|COMPLETED|0:0\n",
    b"{\"jobs\":[{\"job_id\":1,\"state\":{\"current\":[\"FAILED\"]}}],\"meta\":{}}",
];

/// One change to a text: where it begins and ends, as shares of the length, and what comes there.
type Change = (f64, f64, Vec<u8>);

fn changed(text: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut text = text.to_vec();
    for (at, length, bytes) in changes {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a share of a length of some thousand bytes"
        )]
        let share = |of: f64| (of * text.len() as f64) as usize;
        let start = share(*at).min(text.len());
        let end = (start + share(*length) / 50).min(text.len());
        text.splice(start..end, bytes.iter().copied());
    }
    text
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let telling = prop::sample::select(vec![
        &b"\""[..],
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"null",
        b"-1",
        b"|",
        b"\n",
        b"\\",
        b"\xff",
        b"99999999999999999999",
        b"\"jobs\":[",
        b"\"items\":[",
        b"true",
        b"\"\"",
        b"\n- ",
        b"\n  ",
        b"&a ",
        b"*a",
        b"\nitems:",
        b"kind: Pod",
        b"\0",
    ]);
    prop_oneof![telling.prop_map(<[u8]>::to_vec), prop::collection::vec(any::<u8>(), 0..4)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn no_fixture_that_is_changed_panics(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((0.0..1.0, 0.0..1.0, bytes()), 1..6),
    ) {
        let fixture = &FIXTURES[which.index(FIXTURES.len())];
        source::source(&changed(fixture, &changes));
    }
}
