//! Which files of a repository are read: hidden ones, `--exclude`, `--ignore-other-kinds`, lists and templates.
//!
//! Holds cli.md Commands.

use super::sandbox::{Run, Sandbox, snapshot};

fn policy(name: &str) -> String {
    format!(
        "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {{name: {name}}}\n\
         spec: {{retryLimit: 3, rules: [{{action: Retry, onConditions: [Evicted]}}]}}\n"
    )
}

/// The summary of `validate`.
#[track_caller]
fn summary(run: Run) -> String {
    run.exits(0).stdout.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn hidden_files_and_directories_are_read_only_by_their_names() {
    let sandbox = Sandbox::new();
    sandbox.file("p/a.yaml", policy("a")).file("p/.b.yaml", policy("b"));
    sandbox.file("p/.c/d.yaml", policy("d")).file("p/.gitlab-ci.yml", "stages: [\n");
    for (paths, files) in [
        ("p", 1),
        (".", 1),
        ("p/*.yaml", 1),
        ("**/*.yaml", 1),
        ("p/.b.yaml", 1),
        ("p p/.b.yaml", 2),
        ("p/.*.yaml", 1),
        ("p/.c", 1),
        ("p p/.c/d.yaml", 2),
        ("p/.c/*", 1),
    ] {
        let files = if files == 1 { "1 document in 1 file:" } else { "2 documents in 2 files:" };
        let run = sandbox.run(&format!("validate -f {paths}")).exits(0);
        assert!(run.stdout.contains(files), "{paths}: {run}");
    }
}

#[test]
fn excluded_files_of_directories_are_not_read() {
    let sandbox = Sandbox::new();
    for name in ["a", "old/b", "q/old/c", "q/d", "q/e-test"] {
        let policy = policy(&name.replace('/', "-"));
        sandbox.file(&format!("p/{name}.yaml"), policy);
    }
    for (flags, files) in [
        ("", 5),
        ("--exclude old", 3),
        ("--exclude p/old", 4),
        ("--exclude /p/q/", 2),
        ("--exclude *-test.yaml", 4),
        ("--exclude old --exclude *-test.*", 2),
        ("--exclude=p/**/*.yaml --exclude=!a.yaml", 1),
        ("--exclude b.yaml/", 5),
        ("--exclude nothing", 5),
    ] {
        for paths in ["p", "./p", "p/**/*.yaml", "p/a.yaml p"] {
            let run = sandbox.run(&format!("validate -f {paths} {flags}")).exits(0);
            let all = format!("in {files} file");
            assert!(run.stdout.contains(&all), "{paths} {flags}: {run}");
        }
    }
    // A named file is read.
    let run = sandbox.run("validate -f p/a.yaml --exclude a.yaml");
    assert_eq!(summary(run), "1 document in 1 file: 0 errors, 0 warnings");
    let run = sandbox.run("validate -f p --exclude p/**").exits(3);
    let message = "there is no .yaml, .yml or .json file in `p` that is not excluded";
    assert!(run.stdout.contains(message), "{run}");
    let run = sandbox.run("validate -f p --exclude [").exits(2);
    assert!(run.stderr.contains("invalid value '[' for '--exclude <GLOB>'"), "{run}");
    // The commands that write read the same files.
    sandbox.file("p/old/bad.yaml", "kind: [\n");
    sandbox.run("apply -f p --armada-rest-url http://127.0.0.1:1 --dry-run client").exits(3);
    let run = sandbox
        .run("diff -f p --exclude old --armada-rest-url http://127.0.0.1:1 --request-timeout 1s");
    run.exits(7);
}

const CONFIG_MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n";

#[test]
fn documents_of_other_kinds_are_skipped_with_a_flag() {
    let sandbox = Sandbox::new();
    sandbox.file("mixed.yaml", format!("{}---\n{CONFIG_MAP}", policy("a")));
    sandbox.file("values.yaml", "replicas: 3\n").file("list.yaml", "- 1\n- 2\n");
    sandbox.file("empty.yaml", "# nothing\n");
    let files = "-f mixed.yaml values.yaml list.yaml empty.yaml";
    let run = sandbox.run(&format!("validate {files}")).exits(3);
    assert!(run.stdout.contains("unknown kind `ConfigMap`"), "{run}");
    snapshot!("skipped", sandbox.run(&format!("validate {files} --ignore-other-kinds")).exits(0));
    let run = sandbox.run(&format!("validate {files} --ignore-other-kinds -o json")).exits(0);
    assert_eq!(run.json()["summary"]["skipped"], 3);
    assert_eq!(run.json()["summary"]["documents"], 1);
    // All of them may be of other kinds, as when a hook names the files that changed.
    let run = sandbox.run("validate -f values.yaml --ignore-other-kinds");
    assert_eq!(summary(run), "0 documents in 1 file: 0 errors, 0 warnings; 1 document skipped");
    let run = sandbox.run_on("validate -f - --ignore-other-kinds", CONFIG_MAP);
    assert_eq!(summary(run), "0 documents in 1 file: 0 errors, 0 warnings; 1 document skipped");
}

/// What is probably meant as a policy is not skipped.
#[test]
fn mistakes_are_not_of_another_kind() {
    let sandbox = Sandbox::new();
    for (text, message) in [
        (policy("a").replace("RetryPolicy", "RetryPolcy"), "unknown kind `RetryPolcy`"),
        (policy("a").replace("RetryPolicy", "Widget"), "unknown kind `Widget`"),
        (policy("a").replace("kind: RetryPolicy\n", ""), "the document has no `kind`"),
        ("rules: []\n".to_owned(), "the document has no `apiVersion`"),
        ("- retryLimit: 3\n".to_owned(), "expected a mapping"),
        ("kind: RetryPolicy\n".to_owned(), "the document has no `apiVersion`"),
        (policy("a").replace("armadaproject.io/v1", "armadaproject.oi/v1"), "unknown apiVersion"),
        (policy("a").replace("RetryPolicy", "'{{ .Values.kind }}'"), "a template"),
        (policy("a").replace("armadaproject.io/v1", "'{{ .Values.version }}'"), "a template"),
        ("kind: [\n".to_owned(), "RP001"),
    ] {
        let run = sandbox.run_on("validate -f - --ignore-other-kinds", &text).exits(3);
        assert!(run.stdout.contains(message), "{run}");
        // In a directory it is as if the flag were given.
        sandbox.file("d/a.yaml", &text).file("d/b.yaml", policy("b"));
        let run = sandbox.run("validate -f d").exits(3);
        assert!(run.stdout.contains(message), "{run}");
    }
}

#[test]
fn items_of_lists_are_read_and_have_their_places() {
    let sandbox = Sandbox::new();
    let indented = |text: &str| text.replace('\n', "\n  ").trim_end().to_owned();
    let list = format!(
        "apiVersion: v1\nkind: List\nmetadata: {{resourceVersion: ''}}\nitems:\n- {}\n- {}\n- {}\n",
        indented(&policy("a")),
        indented(CONFIG_MAP),
        indented(&policy("b").replace("retryLimit", "retryLimits")),
    );
    sandbox.file("list.yaml", &list).file("d/list.yaml", &list);
    for line in ["-f d", "-f list.yaml --ignore-other-kinds"] {
        let run = sandbox.run(&format!("validate {line} --error-format short")).exits(3);
        let place = "list.yaml:15:10: error[RP005]: `spec` has no field `retryLimits`";
        assert!(run.stdout.contains(place), "{run}");
        assert!(
            run.stdout.contains("2 documents in 1 file: 1 error, 0 warnings; 1 document skipped"),
            "{run}"
        );
    }
    let empty = "apiVersion: v1\nkind: List\nitems: null\n";
    let run = sandbox.run_on("validate -f -", empty);
    assert_eq!(summary(run), "0 documents in 1 file: 0 errors, 0 warnings");
}

/// Each way in which a template can be in a file: the exit code is 3, and the message has the mark.
#[test]
fn templates_are_named_however_they_are_written() {
    let sandbox = Sandbox::new();
    let base = policy("gpu");
    let v1beta1 = "apiVersion: armadaproject.io/v1beta1\nkind: RetryPolicy\nname: a\nretryLimit: 3\n\
                   defaultAction: Fail\nrules: [{action: Retry, onCategory: gpu}]\n";
    let queue = "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: q\npriorityFactor: 1\n";
    let profile = "apiVersion: armadaproject.io/v1\nkind: RetryProfile\nmetadata: {name: a}\n\
                   spec: {system: airflow, policy: {retries: 3, retry_delay: 5}}\n";
    for (text, mark) in [
        (base.replace("{name: gpu}", "{name: \"{{ .Values.name }}\"}"), "{{ .Values.name }}"),
        (base.replace("{name: gpu}", "\n  name: {{ .Values.name }}"), "{{ .Values.name }}"),
        (base.replace("gpu", "gpu-${ENV}"), "${ENV}"),
        (base.replace("gpu", "\"$ENV\""), "$ENV"),
        (base.replace("gpu", "$(ENV)"), "$(ENV)"),
        (base.replace("retryLimit: 3", "retryLimit: '{{ .Values.limit }}'"), "{{ .Values.limit }}"),
        (base.replace("Retry,", "\"{{ .action }}\","), "{{ .action }}"),
        (base.replace("RetryPolicy", "{{ .kind }}"), "{{ .kind }}"),
        (base.replace("RetryPolicy", "\"{{ .kind }}\""), "{{ .kind }}"),
        (base.replace("armadaproject.io/v1", "\"{{ .api }}\""), "{{ .api }}"),
        (format!("{{{{- if .Values.on }}}}\n{base}{{{{- end }}}}\n"), "{{- if .Values.on }}"),
        (
            format!("{base}{{{{- with .Values.more }}}}\n{{{{- end }}}}\n"),
            "{{- with .Values.more }}",
        ),
        (format!("{{% if on %}}\n{base}{{% endif %}}\n"), "{% if on %}"),
        (format!("{{# a comment #}}\n{base}"), "{# a comment #}"),
        (v1beta1.replace("gpu", "\"{{ .category }}\""), "{{ .category }}"),
        (v1beta1.replace("gpu", "'{{ .category }}-transient'"), "{{ .category }}"),
        (
            v1beta1.replace(
                "[{action: Retry, onCategory: gpu}]",
                "\n- action: Retry\n  onCategory: |-\n    {{ .category }}",
            ),
            "{{ .category }}",
        ),
        (v1beta1.replace("gpu", "\"${CATEGORY}\""), "${CATEGORY}"),
        (
            base.replace("onConditions: [Evicted]", "onTerminationMessage: {pattern: '{{ .p }}'}"),
            "{{ .p }}",
        ),
        (format!("{queue}labels: {{'{{{{ .team }}}}': x}}\n"), "{{ .team }}"),
        (format!("{queue}userOwners: ['{{{{ .owner }}}}']\n"), "{{ .owner }}"),
        (profile.replace("retries: 3", "retries: \"{{ retries }}\""), "{{ retries }}"),
        ("{\"apiVersion\": \"{{ .api }}\", \"kind\": \"RetryPolicy\"}".to_owned(), "{{ .api }}"),
    ] {
        sandbox.file("t.yaml", &text).file("d/t.yaml", &text).file("d/other.yaml", policy("other"));
        for path in ["t.yaml", "d"] {
            let run = sandbox.run(&format!("validate -f {path} --error-format short")).exits(3);
            let message =
                format!("error[RP050]: the file is a template that is not rendered: `{mark}` (");
            assert!(run.stdout.contains(&message), "{path}: {text}\n{run}");
        }
    }
}

#[test]
fn the_renderer_is_named() {
    let sandbox = Sandbox::new();
    let template = policy("gpu").replace("gpu", "\"{{ .Values.name }}\"");
    sandbox.file("charts/pol/Chart.yaml", "apiVersion: v2\nname: pol\nversion: 0.1.0\n");
    sandbox.file("charts/pol/templates/sub/p.yaml", &template);
    sandbox.file("templates/p.yaml", &template);
    sandbox.file("e.yaml", policy("${NAME}"));
    sandbox.file(
        "kustomization.yaml",
        "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n",
    );
    let help = |file: &str, flags: &str| {
        let run = sandbox.run(&format!("validate -f {file} --error-format short {flags}")).exits(3);
        run.stdout
    };
    for (file, command) in [
        (
            "charts/pol/templates/sub/p.yaml",
            "`helm template charts/pol | armadactl validate -f - --ignore-other-kinds`",
        ),
        ("charts", "`helm template charts/pol | armadactl validate -f - --ignore-other-kinds`"),
        (
            "templates/p.yaml",
            "`helm template CHART | armadactl validate -f - --ignore-other-kinds`",
        ),
        ("e.yaml", "`envsubst < e.yaml | armadactl validate -f -`"),
        (
            "kustomization.yaml",
            "`kustomize build DIRECTORY | armadactl validate -f - --ignore-other-kinds`",
        ),
        (
            "charts/pol/Chart.yaml",
            "`helm template DIRECTORY | armadactl validate -f - --ignore-other-kinds`",
        ),
    ] {
        let found = help(file, "");
        assert!(found.contains(command), "{file}: {found}");
    }
    let run = sandbox.run("simulate -f templates/p.yaml --history x").exits(3);
    assert!(run.stderr.contains("RP050"), "{run}");
    let run = sandbox.run("convert -f e.yaml --to v1beta1").exits(3);
    assert!(run.stderr.contains("RP050"), "{run}");
}

/// Braces in a pattern, a comment or a document of another kind are no template.
#[test]
fn braces_that_are_meant_are_no_template() {
    let sandbox = Sandbox::new();
    let message = |pattern: &str| {
        policy("gpu").replace(
            "onConditions: [Evicted]",
            &format!("onTerminationMessage: {{pattern: '{pattern}'}}"),
        )
    };
    for text in [
        message("\\{\\{ template \\}\\}"),
        message("x{2,3}$"),
        message("[$]{NAME}"),
        format!("# {{{{ .Values.x }}}}\n{} # ${{NAME}}\n", policy("gpu").trim_end()),
    ] {
        let run = sandbox.run_on("validate -f -", &text);
        assert_eq!(summary(run), "1 document in 1 file: 0 errors, 0 warnings", "{text}");
    }
    let run = sandbox.run_on("validate -f -", message("template: .*{{end}}")).exits(0);
    assert!(run.stdout.contains("warning[RP050]: the pattern contains `{{end}}`"), "{run}");
}
