//! Every example is executed.

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
