//! Every example is executed.

use armada_retry::policy;
use document::diag::Source;
use std::path::Path;

#[test]
fn the_embedding_example_decides_as_it_says() {
    let out = std::process::Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--example", "embed"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    insta::assert_snapshot!(text, @r#"
    Retry: training rule 0 (OOMKilled): retry 1 of 2
      armada-01k6fz8q-0-1 after 2026-10-01T10:00:30Z, avoiding ["gpu-17"]
    Retry: training rule 0 (OOMKilled): retry 2 of 2
      armada-01k6fz8q-0-2 after 2026-10-01T10:01:00Z, avoiding ["gpu-17"]
    Fail: training rule 0 (OOMKilled) has used its 2 retries
    "#);
}

#[test]
fn example_policies_have_no_finding() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        "examples/first",
        "examples/policies",
        "examples/pull-request",
        "examples/pull-request/policies",
        "examples/server",
    ];
    let folders = folders.map(|folder| root.join(folder));
    let entries = folders.iter().flat_map(|folder| folder.read_dir().expect("examples")).flatten();
    for entry in entries.filter(|entry| entry.path().extension().is_some_and(|end| end == "yaml")) {
        let text = std::fs::read_to_string(entry.path()).expect("an example");
        let (_, findings) = policy::read(&[Source::new(entry.path().display().to_string(), text)]);
        assert!(findings.is_empty(), "{:?}", findings.sorted());
    }
}
