//! `validate` on documents that are nearly right: what it reports must be what is wrong.
//!
//! Holds cli.md Diagnostics.

use super::sandbox::{Run, Sandbox, root};

/// What `validate` prints of a text, a line each finding.
fn validate(text: &str) -> Run {
    Sandbox::new().run_on("validate --error-format short -f -", text)
}

/// The same without its last line: the findings alone.
fn findings(text: &str) -> String {
    let run = validate(text);
    let lines = run.stdout.split_inclusive('\n').filter(|line| line.starts_with("-:"));
    lines.collect()
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
    let jinja = findings("a: {{ b }}\n{% if c %}\nd: 1\n");
    assert_eq!(jinja.lines().count(), 1, "{jinja}");
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

const JOB: &str = "apiVersion: batch/v1
kind: Job
metadata: {name: a}
spec:
  backoffLimit: 1
  template:
    spec:
      restartPolicy: Never
      containers: [{name: m, image: i}]
";

#[test]
fn a_jobset_s_fields_are_not_a_job_s() {
    validate(JOB).exits(0);
    let policy = "failurePolicy: {maxRestarts: 3}\n";
    for (before, indent) in [("spec:\n  back", ""), ("  back", "  "), ("      rest", "      ")] {
        let at = JOB.find(before).expect("a place");
        let text = format!("{}{indent}{policy}{}", &JOB[..at], &JOB[at..]);
        let found = findings(&text);
        assert!(found.contains("error[RP005]: ") && found.lines().count() == 1, "{text}{found}");
        let help = "(a Job has `podFailurePolicy`; `failurePolicy` belongs to a JobSet)";
        assert!(found.contains(help), "{found}");
    }
    for field in ["maxRestarts: 3", "replicatedJobs: []"] {
        let found = findings(&JOB.replace("  backoffLimit: 1", &format!("  {field}")));
        assert!(found.contains("a Job's spec has no field") && found.contains("JobSet"), "{found}");
    }
    // What embeds a Job's spec in a kind of its own may have any field beside it.
    let cron =
        "apiVersion: batch/v1\nkind: CronJob\nspec: {jobTemplate: {spec: {failurePolicy: {}}}}\n";
    validate(&format!("{JOB}---\n{cron}")).exits(0);
}

#[test]
fn a_misplaced_field_is_sent_to_the_mapping_that_has_it() {
    let found = findings(&JOB.replace("restartPolicy", "backoffLimit: 2\n      restartPolicy"));
    assert!(found.contains("it belongs to the Job's `spec`; check the indentation"), "{found}");
    let rule = "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: a}\nspec:\n  \
                rules:\n  - {action: Fail, onConditions: [Evicted], rules: []}\n";
    let found = findings(rule);
    assert!(found.contains("it belongs to the RetryPolicy's `spec`"), "{found}");
}

#[test]
fn two_documents_without_a_line_between_them_in_any_notation() {
    let json = "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\"}";
    for text in [
        format!("{json}\n{json}\n"),
        format!("{json} {json}"),
        format!("{json}\n---apiVersion: v1\n"),
        format!("{json}\napiVersion: v1\n"),
    ] {
        let found = findings(&text);
        assert!(
            found.contains(
                "a second document begins here, without a line `---` before it \
                            (write `---` on a separate line between them)"
            ),
            "{text}: {found}"
        );
    }
    let found = findings("{}\nname\n");
    assert!(
        found.contains("error[RP001]: unexpected content after the end of the document"),
        "{found}"
    );
    for text in [format!("{BETA}---apiVersion: v1\nkind: Pod\n"), format!("---{BETA}")] {
        let found = findings(&text);
        assert!(
            found.contains("error[RP001]: `---` begins a document only on a separate line"),
            "{found}"
        );
        assert_eq!(found.lines().count(), 1, "{found}");
    }
}

/// A directory with a good policy and one other file, as `validate` sees it.
fn beside_a_policy(name: &str, text: &str) -> Run {
    let sandbox = Sandbox::with_examples();
    sandbox.file(&format!("policies/{name}"), text);
    sandbox.run("validate -f policies --error-format short")
}

#[test]
fn a_list_of_policies_in_a_directory_is_not_passed_over() {
    let policy = "{\"apiVersion\": \"armadaproject.io/v1beta1\", \"kind\": \"RetryPolicy\"}";
    for (name, item) in [("list.json", policy), ("list.yaml", "{name: a, retryLimit: 3}")] {
        let sandbox = Sandbox::with_examples();
        let text = format!("[{{\"a\": 1}}, {item}]\n");
        sandbox.file(&format!("policies/{name}"), &text);
        let walked = sandbox.run("validate -f policies --error-format short").exits(3).stdout;
        let named = sandbox.run(&format!("validate -f policies/{name} --error-format short"));
        assert_eq!(walked.lines().next(), named.exits(3).stdout.lines().next());
        assert!(walked.contains("found a list"), "{walked}");
    }
    let run = beside_a_policy("list.yaml", "- a\n- {b: 1}\n").exits(0);
    assert!(run.stderr.contains("1 without a kind (in policies/list.yaml)"), "{run}");
}

#[test]
fn what_is_passed_over_is_named() {
    let sandbox = Sandbox::with_examples();
    for name in ["a", "b", "c", "d", "e"] {
        let text = "apiVersion: v1\nkind: Service\n---\napiVersion: v1\nkind: Secret\n";
        sandbox.file(&format!("policies/{name}.yaml"), text);
    }
    let run = sandbox.run("validate -f policies").exits(0);
    let note = "note: skipped 10 documents of other kinds: 5 Secret, 5 Service (in \
                policies/a.yaml, policies/b.yaml, policies/c.yaml and 2 more files)\n";
    assert_eq!(run.stderr, note);
}

/// `Workload` differs in two letters from Argo's `Workflow`; in another API it is not a misspelling of it.
#[test]
fn a_kind_of_another_api_is_no_misspelling() {
    let sandbox = Sandbox::with_examples();
    let set = std::fs::read_to_string(root().join("examples/jobset/fail-jobset.yaml")).unwrap();
    let workload = "apiVersion: scheduling.k8s.io/v1alpha2\nkind: Workload\nmetadata: {name: w}\n";
    sandbox.file("both.yaml", format!("{workload}---\n{set}"));
    let run = sandbox.run("validate -f both.yaml").exits(0);
    assert!(run.stderr.contains("a Workload"), "{run}");
}

#[test]
fn a_file_of_another_program_in_a_directory_is_passed_over() {
    for (name, text) in [
        ("Chart.yaml", "apiVersion: v2\nname: chart\nversion: 0.1.0\n"),
        ("values.yaml", "image: a\nkey: !!binary YQ==\n"),
        ("secret.yaml", "apiVersion: v1\nkind: Secret\ndata: {a: !!binary YQ==}\n"),
    ] {
        let run = beside_a_policy(name, text).exits(0);
        assert!(run.stderr.contains(&format!("(in policies/{name})")), "{run}");
    }
    for (text, words) in [
        ("apiVersion: armadaproject.io/v2\nname: a\n", "unknown apiVersion"),
        ("apiVersion: armadaprojekt.io/v1\nname: a\n", "unknown apiVersion"),
        ("apiVersion: v2\nname: a\nretryLimit: 3\n", "unknown apiVersion"),
        (&format!("{BETA}defaultAction: !!binary RmFpbA==\n"), "`!!binary` marks bytes, not text"),
    ] {
        let run = beside_a_policy("other.yaml", text).exits(3);
        assert!(run.stdout.contains(words), "{run}");
    }
}

#[test]
fn bytes_are_one_finding() {
    for (from, to) in [
        ("name: a", "name: !!binary YQ=="),
        ("name: a", "name: !!binary yes"),
        ("RetryPolicy", "!!binary YQ=="),
    ] {
        let found =
            findings(&format!("{BETA}retryLimit: 1\ndefaultAction: Fail\n").replace(from, to));
        assert_eq!(found.lines().count(), 1, "{found}");
        assert!(found.contains("error[RP008]: `!!binary` marks bytes, not text"), "{found}");
    }
}

#[test]
fn a_status_is_a_text_in_quotes() {
    let job = |status: &str| {
        let rule = format!("{{action: Ignore, onPodConditions: [{{type: A, status: {status}}}]}}");
        JOB.replace("  template:", &format!("  podFailurePolicy: {{rules: [{rule}]}}\n  template:"))
    };
    validate(&job("\"True\"")).exits(0);
    for status in ["true", "True", "false", "'true'"] {
        let found = findings(&job(status));
        let word = if status == "false" { "False" } else { "True" };
        assert!(found.contains(&format!("\"{word}\"")) && found.contains("in quotes"), "{found}");
        assert!(!found.contains("did you mean"), "{found}");
        assert_eq!(found.lines().count(), 1, "{found}");
    }
}

#[test]
fn numbers_are_those_that_armada_s_command_line_reads() {
    let policy = |limit: &str, memory: &str| {
        format!(
            "{BETA}retryLimit: {limit}\ndefaultAction: Fail\nrules:\n- action: Retry\n  onCategory: \
             x\n  mutate: {{resources: {{memory: {{static: {memory}}}}}}}\n"
        )
    };
    validate(&policy("3", "1Gi")).exits(0);
    for (text, number) in [("03", "3"), ("1_0", "10"), ("010", "8"), ("08", "8"), ("3.0", "3")] {
        let run = validate(&policy(text, "1Gi")).exits(0);
        let words =
            format!("warning[RP024]: `retryLimit`: `{text}` is an unusual spelling of `{number}`");
        assert!(run.stdout.contains(&words), "{run}");
        assert_eq!(run.stdout.contains("as octal"), text == "010", "{run}");
    }
    validate(&policy("1_0.5", "1Gi")).exits(3);
    let run = validate(&policy("3", "010")).exits(3);
    assert!(run.stdout.contains("`static`: Go reads `010` as a number, not as a string"), "{run}");
    validate(&policy("3", "'010'")).exits(0);
    assert_eq!(findings(&policy("3", "yes")).lines().count(), 1);
}

#[test]
fn objects_of_other_apis_keep_their_api_version() {
    for (version, kind, system) in [
        ("batch.volcano.sh/v1alpha1", "Job", "Volcano"),
        ("scheduling.volcano.sh/v1beta1", "Queue", "Volcano"),
        ("kueue.x-k8s.io/v1beta1", "LocalQueue", "Kueue"),
        ("kubeflow.org/v2beta1", "MPIJob", "the MPI operator"),
        ("trainer.kubeflow.org/v1alpha1", "TrainJob", "Kubeflow Trainer"),
        ("ray.io/v1", "RayJob", "KubeRay"),
        ("tekton.dev/v1", "PipelineRun", "Tekton"),
        ("argoproj.io/v1alpha1", "WorkflowTaskSet", "Argo"),
    ] {
        let found =
            findings(&format!("apiVersion: {version}\nkind: {kind}\nspec: {{backoffLimit: 3}}\n"));
        assert_eq!(found.lines().count(), 1, "{found}");
        let message = format!("error[RP004]: this is {system}'s `{kind}`, which is not read");
        assert!(found.contains(&message), "{found}");
        assert!(!found.contains("one of") && !found.contains("did you mean"), "{found}");
        assert!(!found.contains("batch/v1") && !found.contains("armadaproject.io"), "{found}");
    }
    let found = findings("apiVersion: example.org/v1\nkind: Job\nspec: {backoffLimit: 3}\n");
    assert!(found.contains("`Job` of the API group `example.org` is not read"), "{found}");
    // Misspelled versions of kinds that are read still get the right one.
    for (version, kind, help) in [
        ("batch/v2", "Job", "`batch/v1`"),
        ("bacth/v1", "Job", "`batch/v1`"),
        ("jobset.sigs.k8s.io/v1alpha2", "JobSet", "`jobset.x-k8s.io/v1alpha2`"),
        ("armadaproject.oi/v1", "Queue", "`armadaproject.io/v1`"),
        ("retries.example/v1", "RetryPolicy", "`armadaproject.io/v1`"),
    ] {
        let found = findings(&format!("apiVersion: {version}\nkind: {kind}\n"));
        assert!(found.contains(help), "{found}");
    }
}

#[test]
fn files_of_other_systems_are_one_finding() {
    for (name, text, system) in [
        (
            "nextflow.config",
            "process {\n  errorStrategy = 'retry'\n  maxRetries = 3\n}\n",
            "Nextflow",
        ),
        ("batch.json", r#"{"taskGroups": [{"taskSpec": {"maxRetryCount": 2}}]}"#, "Google Batch"),
        ("config.yaml", "executor: slurm\nretries: 3\n", "Snakemake"),
        ("retry.yaml", "retryPolicy: {maximumAttempts: 3, initialInterval: 1s}\n", "Temporal"),
    ] {
        let sandbox = Sandbox::new();
        let policy = format!("{BETA}retryLimit: 1\ndefaultAction: Fail\n");
        sandbox.file(name, text).file("policy.yaml", &policy);
        let run = sandbox.run(&format!("validate {name}")).exits(3);
        let message = format!("error[RP004]: this is {system}'s configuration, which is not read");
        assert!(run.stdout.contains(&message), "{run}");
        assert_eq!(run.stdout.matches("error[").count(), 1, "{run}");
        assert!(!run.stdout.contains("armadaproject.io"), "{run}");
        sandbox.run(&format!("validate policy.yaml {name} --ignore-other-kinds")).exits(0);
        // In a directory it is one of the documents of other kinds, or is not read.
        let run = sandbox.run("validate .").exits(0);
        let counted = format!("1 configuration of {system}");
        assert_eq!(run.stderr.contains(&counted), !name.ends_with(".config"), "{run}");
    }
}

#[test]
fn neighbours_in_a_directory_are_counted_by_name() {
    let sandbox = Sandbox::new();
    let policy = format!("{BETA}retryLimit: 1\ndefaultAction: Fail\n");
    sandbox.file("policy.yaml", &policy);
    sandbox
        .file("a.yaml", "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nspec: {maxRetry: 3}\n");
    sandbox.file("b.yaml", "apiVersion: ray.io/v1\nkind: RayJob\nspec: {backoffLimit: 3}\n");
    let run = sandbox.run("validate .").exits(0);
    let note = "2 documents of other kinds: 1 Job of Volcano, 1 RayJob of KubeRay";
    assert!(run.stderr.contains(note), "{run}");
}

/// The page has a row for each system.
#[test]
fn the_page_of_neighbours_names_all() {
    let page = std::fs::read_to_string(root().join("docs/neighbours.md")).expect("the page");
    for neighbour in document::NEIGHBOURS {
        let name = neighbour.name.trim_start_matches("the ");
        let is_row = |line: &&str| line.starts_with(&format!("| {name} |"));
        let row = page.lines().find(is_row).unwrap_or_else(|| panic!("no row of {name}"));
        assert!(!row.is_empty());
    }
}

#[test]
fn manifests_of_jobs_are_no_documents_for_a_server() {
    let sandbox = Sandbox::new();
    sandbox.file("job.yaml", "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\n");
    let run = sandbox.run("apply -f job.yaml").exits(3);
    assert!(run.stderr.contains("convert --to v1beta1"), "{run}");
}
