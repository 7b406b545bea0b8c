//! `validate` on documents that are nearly right: what it reports must be what is wrong.

use super::sandbox::{Run, Sandbox};

/// What `validate` prints of a text, a line each finding.
fn validate(text: &str) -> Run {
    Sandbox::new().run_on("validate --error-format short -f -", text)
}

/// The same without exit code: the findings alone.
fn findings(text: &str) -> String {
    let run = validate(text);
    let lines = run.stdout.lines().filter(|line| line.starts_with("-:"));
    lines.map(|line| format!("{line}\n")).collect()
}

const BETA: &str = "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: a\n";

#[test]
fn a_mark_elsewhere_hides_no_syntax_error() {
    let broken = "retryLimit: [1\ndefaultAction: Fail\n";
    let error = findings(&format!("# a comment\n{BETA}{broken}"));
    assert!(error.starts_with("-:6:14: error[RP001]: "), "{error}");
    assert_eq!(findings(&format!("# {{{{ a comment }}}}\n{BETA}{broken}")), error);
    for note in ["note: '{{ a }}'\n", "note: \"${A}\"\n"] {
        assert_eq!(findings(&format!("{note}{BETA}{broken}")), error, "{note}");
    }
    let block = findings(&format!("note: |\n  {{{{ a }}}}\n{BETA}{broken}"));
    assert_eq!(block, error.replace("-:6:", "-:7:"));
    // A mark after the error has no part in it.
    assert_eq!(findings(&format!("# a comment\n{BETA}{broken}rules: {{{{ a }}}}\n")), error);
}

#[test]
fn a_mark_far_above_a_syntax_error_is_advice() {
    let found = findings("name: {{ .Values.a }}\nb: 1\nc: d: e\n");
    let second = found.lines().find(|line| line.contains("RP001")).expect("a syntax error");
    assert!(second.starts_with("-:3:5: error[RP001]: a second `:` on one line"), "{found}");
    assert!(
        second.contains("if `{{ .Values.a }}` makes it a template, render it first"),
        "{found}"
    );
    let at = findings("name: a\nb: {{ .Values.a }}-c\n");
    assert_eq!(at.lines().count(), 1, "{at}");
    assert!(at.contains("the file is a template that is not rendered"), "{at}");
    let line = findings("a: 1\n{{- if .Values.b }}\nc: 2\n{{- end }}\n");
    assert!(line.contains("the file is a template that is not rendered: `{{- if"), "{line}");
}

#[test]
fn a_mark_inside_a_mapping_hides_no_finding_about_it() {
    let job = "{\"apiVersion\": \"batch/v1\", \"kind\": \"Job\", \"metadata\": {\"name\": \"a\"}, \
               \"spec\": {\"template\": {\"spec\": {\"restartPolicy\": \"Never\", \"containers\": \
               [{\"name\": \"m\", \"args\": [\"${HOME}\"]}]}}}}\n";
    validate(job).exits(0);
    for (from, to, words) in [
        (", \"metadata\": {\"name\": \"a\"}", "", "has no `metadata`"),
        ("\"Never\"", "{\"${A}\": 1}", "`restartPolicy`"),
    ] {
        let found = findings(&job.replace(from, to));
        assert!(found.contains(words) && !found.contains("template that is not"), "{found}");
    }
}
