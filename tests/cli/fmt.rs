//! `fmt` as people and scripts use it, and over all policies of the repository.
//!
//! Holds cli.md Commands.

use super::sandbox::{Sandbox, root};
use armada_retry::policy;
use armadactl::internals::analysis::formatted_kind;
use document::diag::Source;
use document::{Layout, Limits, format};
use std::path::{Path, PathBuf};
use systems::foreign_kinds;

const UNUSUAL: &str = "# The infrastructure's policy\nkind: RetryPolicy\napiVersion: armadaproject.io/v1beta1\nname: infra\nDefaultAction: Fail # final\nrules:\n    # broken hosts\n    - onCategory:   infra\n      action: retry\nretryLimit: 3\n---\nkind:   ConfigMap\napiVersion: v1\n";

const CANONICAL: &str = "# The infrastructure's policy\napiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: infra\nretryLimit: 3\ndefaultAction: Fail # final\nrules:\n# broken hosts\n- action: Retry\n  onCategory: infra\n---\nkind:   ConfigMap\napiVersion: v1\n";

fn text(sandbox: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(sandbox.path().join(name)).expect("a file")
}

#[test]
fn files_are_rewritten_and_named() {
    let sandbox = Sandbox::new();
    sandbox.file("p/a.yaml", UNUSUAL).file("p/b.yaml", CANONICAL.replace("infra\n", "other\n"));
    let checked = sandbox.run("fmt -f p --check").exits(1);
    let left = "note: skipped 2 documents of other kinds: 2 ConfigMap (in p/a.yaml, p/b.yaml)\n";
    assert_eq!((checked.stdout.as_str(), checked.stderr.as_str()), ("p/a.yaml\n", left));
    let diff = sandbox.run("fmt -f p --diff").exits(0);
    assert!(diff.stdout.starts_with("--- a/p/a.yaml\n+++ b/p/a.yaml\n@@ "), "{diff}");
    assert!(diff.stdout.contains("\n-DefaultAction: Fail # final\n"), "{diff}");
    assert_eq!(sandbox.run("fmt -f p --diff --check").exits(1).stdout, diff.stdout);
    assert_eq!(text(&sandbox, "p/a.yaml"), UNUSUAL);
    assert_eq!(sandbox.run("fmt -f p").exits(0).stdout, "p/a.yaml\n");
    assert_eq!(text(&sandbox, "p/a.yaml"), CANONICAL);
    assert_eq!(sandbox.run("fmt -f p").exits(0).stdout, "");
    assert_eq!(sandbox.run("fmt -f p --check").exits(0).stdout, "");
}

#[test]
fn documents_that_are_left_alone_are_noted() {
    let sandbox = Sandbox::new();
    sandbox.file("pods.json", "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": []}");
    sandbox.file("values.yaml", "a: 1\n---\napiVersion: v1\nkind: Pod\n");
    for flags in ["", "--check", "--diff"] {
        let run = sandbox.run(&format!("fmt {flags} pods.json values.yaml")).exits(0);
        let skipped = [
            "note: skipped: pods.json:1:1: a List",
            "note: skipped: values.yaml:1:1: a document without a kind",
            "note: skipped: values.yaml:3:1: a Pod",
        ];
        assert_eq!(run.stderr.lines().collect::<Vec<_>>(), skipped, "{run}");
        assert_eq!(run.stdout, "");
    }
    assert_eq!(sandbox.run("fmt -q pods.json").exits(0).stderr, "");
}

#[test]
fn the_diff_can_be_applied() {
    let sandbox = Sandbox::new();
    sandbox.file("p/a.yaml", UNUSUAL);
    let diff = sandbox.run("fmt -f p --diff").exits(0).stdout;
    sandbox.file("change.diff", diff);
    let mut patch = std::process::Command::new("git");
    let patched = patch.args(["apply", "change.diff"]).current_dir(sandbox.path()).status();
    assert!(patched.expect("git").success());
    assert_eq!(text(&sandbox, "p/a.yaml"), CANONICAL);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let sandbox = Sandbox::new();
    sandbox.file("a.yaml", UNUSUAL);
    let path = sandbox.path().join("a.yaml");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    symlink("a.yaml", sandbox.path().join("link.yaml")).unwrap();
    sandbox.run("fmt -f link.yaml").exits(0);
    assert_eq!(text(&sandbox, "a.yaml"), CANONICAL);
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert!(sandbox.path().join("link.yaml").is_symlink());
    assert_eq!(std::fs::read_dir(sandbox.path()).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn a_protected_file_is_refused_before_anything_is_written() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox.file("a.yaml", UNUSUAL).file("b.yaml", UNUSUAL.replace("name: ", "name: b"));
    let b = sandbox.path().join("b.yaml");
    let links = sandbox.path().join("other-name");
    std::fs::hard_link(&b, &links).unwrap();
    let refused = sandbox.run("fmt -f a.yaml b.yaml").exits(6);
    assert!(refused.stderr.contains("`b.yaml` has 2 hard links"), "{refused}");
    assert_eq!(text(&sandbox, "a.yaml"), UNUSUAL);
    assert_eq!(std::fs::read(&b).unwrap(), std::fs::read(&links).unwrap());
    std::fs::remove_file(&links).unwrap();
    std::fs::set_permissions(&b, PermissionsExt::from_mode(0o444)).unwrap();
    let refused = sandbox.run("fmt -f a.yaml b.yaml").exits(6);
    assert!(refused.stderr.contains("`b.yaml` is read-only"), "{refused}");
    assert_eq!(text(&sandbox, "a.yaml"), UNUSUAL);
}

#[test]
fn standard_input_goes_to_standard_output() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run_on("fmt -f -", UNUSUAL).exits(0).stdout, CANONICAL);
    assert_eq!(sandbox.run_on("fmt -f -", CANONICAL).exits(0).stdout, CANONICAL);
    assert_eq!(sandbox.run_on("fmt -f - --check", UNUSUAL).exits(1).stdout, "-\n");
    sandbox.file("a.yaml", CANONICAL);
    let refused = sandbox.run_on("fmt -f - a.yaml", UNUSUAL).exits(2);
    assert!(refused.stderr.contains("cannot be given with other files"), "{refused}");
}

#[test]
fn nothing_is_changed_if_a_document_has_an_error() {
    let sandbox = Sandbox::new();
    sandbox
        .file("a.yaml", UNUSUAL)
        .file("b.yaml", "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\n");
    let refused = sandbox.run("fmt -f a.yaml b.yaml --error-format short").exits(3);
    assert!(refused.stderr.contains("b.yaml:1:1: error[RP007]"), "{refused}");
    assert!(refused.stderr.contains("nothing was changed"), "{refused}");
    assert!(!refused.stderr.contains("RP024"), "only errors: {refused}");
    assert_eq!(text(&sandbox, "a.yaml"), UNUSUAL);
    assert!(sandbox.run("fmt -f no-such-file.yaml").exits(3).stderr.contains("no-such-file.yaml"));
}

#[test]
fn what_stays_is_noted() {
    let sandbox = Sandbox::new();
    let explicit = CANONICAL.replace("kind: RetryPolicy", "? kind\n: RetryPolicy");
    sandbox.file("a.yaml", &explicit);
    let noted = sandbox.run("fmt -f a.yaml").exits(0);
    assert!(noted.stderr.starts_with("note: skipped: a.yaml:2:1: its layout stays"), "{noted}");
    assert_eq!((text(&sandbox, "a.yaml"), noted.stdout.as_str()), (explicit, ""));
}

/// The files below a folder.
fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, all);
        } else if path
            .extension()
            .is_some_and(|it| ["yaml", "yml", "json"].iter().any(|one| it == *one))
        {
            all.push(path);
        }
    }
}

/// The policies and queues of a text, the number of its other documents, and its comments; `None` if it has errors.
fn read(text: &str) -> Option<(String, usize, Vec<String>)> {
    let source = Source::new("x", text);
    let (documents, findings) =
        policy::read_with_foreign(&[Source::new("x", text)], foreign_kinds());
    let policies: Vec<_> = documents.policies.iter().map(|it| &it.policy).collect();
    let queues: Vec<_> = documents.queues.iter().map(|it| &it.queue).collect();
    let layout = Layout::of(&source, Limits::POLICY)?;
    let mut comments: Vec<String> =
        layout.comments.iter().map(|span| layout.text(*span).trim_end().to_owned()).collect();
    comments.sort();
    let read = (format!("{policies:?}{queues:?}"), documents.document_count, comments);
    (!findings.has_errors()).then_some(read)
}

#[test]
fn every_policy_of_the_repository_has_a_canonical_layout() {
    let mut all = Vec::new();
    files(&root().join("examples"), &mut all);
    files(&root().join("testdata"), &mut all);
    let mut count = 0;
    for path in all {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let Some(old) = read(&text).filter(|_| text.len() < 1 << 20) else { continue };
        let (new, skipped) = format(&Source::new("x", text.as_str()), formatted_kind);
        assert!(skipped.is_empty(), "{}", path.display());
        assert_eq!(read(&new), Some(old), "{}", path.display());
        let (again, _) = format(&Source::new("x", new.as_str()), formatted_kind);
        assert_eq!(again, new, "{}", path.display());
        if new != text {
            count += 1;
            let is_json = path.extension().is_some_and(|it| it == "json");
            assert!(!is_json || serde_json::from_str::<serde_json::Value>(&new).is_ok(), "{new}");
        }
        if path.starts_with(root().join("examples")) {
            assert_eq!(new, text, "{} is canonical", path.display());
        }
    }
    assert!(count > 30, "{count} files have another layout");
}

#[test]
fn the_example_on_the_page_is_canonical() {
    let page = std::fs::read_to_string(root().join("docs/fmt.md")).expect("the page");
    let fence = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert!(read(fence).is_some_and(|it| it.1 == 1));
    assert_eq!(format(&Source::new("x", fence), formatted_kind).0, fence);
}
