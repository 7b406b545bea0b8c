//! Which files a path stands for: links, many files, names that are not UTF-8; and bytes that are
//! UTF-16, compressed or archives.
//!
//! Holds cli.md Commands.

use super::sandbox::{Run, Sandbox};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

const POLICIES: &str = "simulate -f policies --queue-policies infra,ml-training";

/// A line of a history.
fn line(job: &str) -> String {
    format!("{{\"jobId\":\"{job}\",\"outcome\":\"Failed\"}}\n")
}

/// How many jobs a report has.
fn jobs(run: Run) -> u64 {
    run.exits(0).json()["summary"]["jobs"].as_u64().expect("a number")
}

fn policy(name: &str) -> String {
    format!(
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: {name}}}\n\
         spec: {{rules: [{{action: Retry, onConditions: [Evicted]}}]}}\n"
    )
}

#[test]
fn each_real_directory_is_visited_once() {
    let sandbox = Sandbox::with_examples();
    sandbox.file("logs/deep/a.jsonl", line("a")).file("logs/b.jsonl", line("b"));
    sandbox.file("all/p.yaml", policy("p"));
    for (target, link) in [
        (".", "logs/one"),
        (".", "logs/two"),
        ("..", "logs/deep/up"),
        (".", "all/one"),
        (".", "all/two"),
    ] {
        symlink(target, sandbox.path().join(link)).expect("a link");
    }
    for history in ["logs", "logs/one/two", "logs/*", "logs/**/*.jsonl", "lo*/**", "logs/deep logs"]
    {
        let run = sandbox.run(&format!("{POLICIES} --history {history} -o json"));
        assert_eq!(jobs(run), 2, "{history}");
    }
    for path in ["all", "all/**/*.yaml", "all/one all"] {
        let run = sandbox.run(&format!("validate -f {path}")).exits(0);
        assert!(run.stdout.contains("1 document in 1 file"), "{path}: {run}");
    }
}

#[test]
fn directories_may_lie_deep_inside_one_another() {
    let sandbox = Sandbox::with_examples();
    sandbox.file(&format!("logs/{}a.jsonl", "d/".repeat(200)), line("a"));
    assert_eq!(jobs(sandbox.run(&format!("{POLICIES} --history logs -o json"))), 1);
}

#[test]
fn files_of_lines_are_opened_one_after_another() {
    let sandbox = Sandbox::with_examples();
    for number in 0..300 {
        sandbox.file(&format!("logs/{number}.jsonl"), line(&format!("j{number}")));
    }
    let mut shell = std::process::Command::new("sh");
    shell.current_dir(sandbox.path()).env_clear().args(["-c", "ulimit -n 64; exec \"$0\" \"$@\""]);
    shell.arg(sandbox.command().get_program());
    shell.args(format!("{POLICIES} --history logs -o json").split_whitespace());
    let output = shell.output().expect("a shell");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(report["summary"]["jobs"], 300);
}

#[test]
fn a_name_that_is_not_utf8_is_read_like_any_other() {
    let sandbox = Sandbox::with_examples();
    sandbox.file("logs/a.jsonl", line("a")).file("all/p.yaml", policy("p"));
    let write = |name: &[u8], text: &str| {
        std::fs::write(sandbox.path().join(OsStr::from_bytes(name)), text).expect("a file");
    };
    write(b"logs/\xff.jsonl", &line("b"));
    write(b"all/\xe9.yaml", &policy("q"));
    for history in ["logs", "logs/*.jsonl", "logs/?.jsonl", "**/*.jsonl"] {
        let run = sandbox.run(&format!("{POLICIES} --history {history} -o json"));
        assert_eq!(jobs(run), 2, "{history}");
    }
    let run = sandbox.run("validate -f all").exits(0);
    assert!(run.stdout.contains("2 documents in 2 files"), "{run}");
    write(b"logs/\xfe.jsonl", "{\"jobId\":\"c\"}\n");
    write(b"all/\xe8.yaml", "kind: [\n");
    let run = sandbox.run(&format!("{POLICIES} --history logs --error-format short")).exits(3);
    assert!(run.stderr.contains("logs/\\xfe.jsonl:1:1"), "{run}");
    let run = sandbox.run("validate -f all --error-format short").exits(3);
    assert!(run.to_string().contains("all/\\xe8.yaml:"), "{run}");
}

/// A text in UTF-16 with its byte order mark.
fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect()
}

#[test]
fn utf16_with_a_mark_is_read() {
    let sandbox = Sandbox::with_examples();
    let names = ["sacct/duplicates.txt", "armada-events/gateway.jsonl", "pods/list.json"];
    for name in names {
        let fixture = super::sandbox::root().join("testdata/sources").join(name);
        let text = std::fs::read_to_string(fixture).expect("a fixture");
        sandbox.file("plain", &text);
        // Notes name the file.
        let summary = |run: &Run| run.json()["summary"].clone();
        let plain = sandbox.run(&format!("{POLICIES} --history plain -o json")).exits(0);
        let plain = summary(&plain);
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            sandbox.file("wide", utf16(&text, order));
            let wide = sandbox.run(&format!("{POLICIES} --history wide -o json")).exits(0);
            assert_eq!(summary(&wide), plain, "{name}");
            let input = utf16(&text, order);
            let wide = sandbox.run_on(&format!("{POLICIES} --history - -o json"), input).exits(0);
            assert_eq!(summary(&wide), plain, "{name}");
        }
    }
    sandbox.file("wide.yaml", utf16(&(policy("p") + "# größer\n"), u16::to_le_bytes));
    sandbox.run("validate -f wide.yaml").exits(0);
    // Places are those of the text.
    sandbox.file("wide.jsonl", utf16(&(line("a") + "{\"jobId\":\"b\"}\n"), u16::to_be_bytes));
    let run = sandbox.run(&format!("{POLICIES} --history wide.jsonl --error-format short"));
    assert!(run.exits(3).stderr.contains("wide.jsonl:2:1"));
}

#[test]
fn bytes_that_are_no_text_are_named_with_a_way_out() {
    let sandbox = Sandbox::with_examples();
    let tar = [&b"a.jsonl"[..], &[0; 250], b"ustar", &[0; 250]].concat();
    let mark = |bytes: Vec<u8>| bytes[2..].to_vec();
    let cases: [(&str, Vec<u8>, &str, &str); 6] = [
        ("h.xz", b"\xfd7zXZ\0\0\x04".to_vec(), "compressed with xz", "`xz -d h.xz`"),
        ("h.bz2", b"BZh91AY&SY".to_vec(), "compressed with bzip2", "`bzip2 -d h.bz2`"),
        ("h.tar", tar, "a tar archive", "`tar -xf h.tar`"),
        ("h.zip", b"PK\x03\x04\x14".to_vec(), "a zip archive", "`unzip h.zip`"),
        (
            "le.json",
            mark(utf16(&line("a"), u16::to_le_bytes)),
            "UTF-16 without a byte order mark",
            "`iconv -f UTF-16LE -t UTF-8 le.json`",
        ),
        (
            "be.json",
            mark(utf16(&line("a"), u16::to_be_bytes)),
            "UTF-16 without a byte order mark",
            "`iconv -f UTF-16BE -t UTF-8 be.json`",
        ),
    ];
    for (name, bytes, what, help) in cases {
        sandbox.file(name, bytes);
        let simulate = sandbox.run(&format!("{POLICIES} --history {name}"));
        let validate = sandbox.run(&format!("validate -f {name}"));
        for run in [simulate, validate] {
            let text = run.exits(3).to_string();
            assert!(text.contains(what) && text.contains(help), "{name}: {text}");
        }
    }
    sandbox.file("p.yaml.gz", b"\x1f\x8b\x08\0\0");
    let run = sandbox.run("validate -f p.yaml.gz").exits(3).to_string();
    assert!(run.contains("compressed with gzip") && run.contains("`gzip -d p.yaml.gz`"), "{run}");
}
