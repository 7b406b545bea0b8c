//! Systems whose documents are recognised and not read: how, where they limit retries, and what can be checked instead.
//!
//! Their documents use words that are read here in other APIs (`kind: Job`, `backoffLimit`). Without a name for them, a
//! finding would recommend an `apiVersion` that makes another object of the document.

use super::Node;
use crate::diag::{Code, Diagnostic, Place, Source};

/// A system whose documents are not read.
#[derive(Debug, Clone, Copy)]
pub struct Neighbour {
    /// The name.
    pub name: &'static str,
    /// The sign by which its documents are recognised.
    sign: Sign,
    /// The fields that limit its retries; empty if it has none.
    pub fields: &'static str,
    /// The object that can be checked instead.
    pub instead: &'static str,
    /// The source of the facts of this row.
    pub source: &'static str,
}

/// A sign by which a document is recognised.
#[derive(Debug, Clone, Copy)]
enum Sign {
    /// The API group, its versions and kinds. No versions are all, no kinds are all.
    Api(&'static str, &'static [&'static str], &'static [&'static str]),
    /// The fields of a document without `apiVersion` and `kind`.
    Fields(fn(&Node) -> bool),
    /// The name and text of a file that is no YAML.
    File(fn(&str, &str) -> bool),
}

use Sign::{Api, Fields, File};

/// The kinds of Argo Workflows; Argo CD, Rollouts and Events have others in the same group.
const ARGO_WORKFLOWS: &[&str] =
    &["Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow", "WorkflowTaskSet"];

/// The kinds of training jobs whose pods the training operator creates itself.
const TRAINING_JOBS: &[&str] =
    &["PyTorchJob", "TFJob", "XGBoostJob", "PaddleJob", "JAXJob", "MXJob", "MPIJob"];

/// The Jobs of Snakemake's Kubernetes executor.
const SNAKEMAKE_JOBS: &str = "its Kubernetes executor creates Jobs with `backoffLimit: 0`, so that there is no other limit to check";

/// All neighbours. Of two rows for one group, the first that fits is used.
pub const NEIGHBOURS: &[Neighbour] = &[
    Neighbour {
        name: "Volcano",
        sign: Api("batch.volcano.sh", &[], &["Job"]),
        fields: "`spec.maxRetry` (3 if absent), `spec.policies`, `spec.tasks[].maxRetry` and `spec.tasks[].policies`",
        instead: "its controller creates pods and no Job, so that there is no manifest to check; its pods are a history for \
                  `simulate`",
        source: "volcano-sh/apis pkg/apis/batch/v1alpha1/job.go",
    },
    Neighbour {
        name: "Volcano",
        sign: Api("scheduling.volcano.sh", &[], &[]),
        fields: "",
        instead: "it has no retry policy",
        source: "volcano-sh/apis pkg/apis/scheduling/v1beta1/types.go",
    },
    Neighbour {
        name: "Kubeflow Trainer",
        sign: Api("trainer.kubeflow.org", &[], &[]),
        fields: "the `failurePolicy` and `backoffLimit` of its runtime's JobSet, and `mlPolicy.torch.elasticNodes.maxRestarts`",
        instead: "a TrainJob creates a JobSet of the same name: check that (`kubectl get jobset NAME -o yaml`)",
        source: "kubeflow/trainer v2.0.0 pkg/apis/trainer/v1alpha1 and pkg/runtime/framework/plugins/jobset",
    },
    Neighbour {
        name: "the MPI operator",
        sign: Api("kubeflow.org", &["v2beta1"], &["MPIJob"]),
        fields: "`spec.runPolicy.backoffLimit`, which is that of the launcher's Job",
        instead: "it creates a Job for the launcher: check that (`kubectl get job NAME-launcher -o yaml`)",
        source: "kubeflow/mpi-operator pkg/controller/mpi_job_controller.go, newLauncherJob",
    },
    Neighbour {
        name: "the Kubeflow training operator",
        sign: Api("kubeflow.org", &[], TRAINING_JOBS),
        fields: "`spec.runPolicy.backoffLimit` and the `restartPolicy` of each replica, which may be `ExitCode`: it restarts on \
                 codes of 128 and more",
        instead: "its controller creates pods and no Job, so that there is no manifest to check; its pods are a history for \
                  `simulate`",
        source: "kubeflow/training-operator v1.8.1 pkg/apis/kubeflow.org/v1/common_types.go",
    },
    Neighbour {
        name: "KubeRay",
        sign: Api("ray.io", &[], &["RayJob"]),
        fields: "`spec.backoffLimit`, each of whose retries makes a new RayCluster, and `spec.submitterConfig.backoffLimit` (2 if \
                 absent), which is that of the submitter's Job",
        instead: "with `submissionMode: K8sJobMode`, the default, it creates a Job of the same name for the submitter: check \
                  that (`kubectl get job NAME -o yaml`)",
        source: "ray-project/kuberay ray-operator v1.5.0 apis/ray/v1/rayjob_types.go and controllers/ray/rayjob_controller.go",
    },
    Neighbour {
        name: "KubeRay",
        sign: Api("ray.io", &[], &[]),
        fields: "",
        instead: "it creates pods and no Job, so that there is no manifest to check; Ray's tasks and actors are retried by \
                  `max_retries` in their code",
        source: "ray-project/kuberay ray-operator v1.5.0 apis/ray/v1",
    },
    Neighbour {
        name: "Argo",
        sign: Api("argoproj.io", &[], ARGO_WORKFLOWS),
        fields: "the `retryStrategy` of a workflow and of each template",
        instead: "its controller creates pods; only a template of the form `resource` creates a Job: check that",
        source: "argoproj/argo-workflows pkg/apis/workflow/v1alpha1/workflow_types.go",
    },
    Neighbour {
        name: "Tekton",
        sign: Api("tekton.dev", &[], &[]),
        fields: "`retries` of a TaskRun and of each task of a Pipeline (0 if absent)",
        instead: "each try is a pod that no Job owns, so that there is no manifest to check",
        source: "tektoncd/pipeline pkg/apis/pipeline/v1/pipeline_types.go and taskrun_types.go",
    },
    Neighbour {
        name: "Kueue",
        sign: Api("kueue.x-k8s.io", &[], &[]),
        fields: "`waitForPodsReady.requeuingStrategy.backoffLimitCount` of Kueue's own configuration, which limits how often a \
                 workload whose pods are not ready is queued again",
        instead: "a Workload stands for another object: check the Job or JobSet that owns it (`metadata.ownerReferences`)",
        source: "sigs.k8s.io/kueue v0.17.0 apis/config/v1beta2/configuration_types.go",
    },
    Neighbour {
        name: "the Spark operator",
        sign: Api("sparkoperator.k8s.io", &[], &[]),
        fields: "`spec.restartPolicy`: `type`, `onFailureRetries`, `onFailureRetryInterval` and the same of submissions",
        instead: "it creates driver and executor pods and no Job, so that there is no manifest to check",
        source: "kubeflow/spark-operator api/v1beta2/sparkapplication_types.go",
    },
    Neighbour {
        name: "Google Batch",
        sign: Fields(|root| root.get("taskGroups").is_some_and(|it| !it.items().is_empty())),
        fields: "`taskGroups[].taskSpec.maxRetryCount` (0 to 10, 0 if absent) and `taskGroups[].taskSpec.lifecyclePolicies`",
        instead: "it runs on virtual machines, so that there is no Job to check",
        source: "google.cloud.batch.v1 TaskSpec and LifecyclePolicy, reference documentation",
    },
    Neighbour {
        name: "Snakemake",
        sign: Fields(is_snakemake_profile),
        fields: "`retries`, whose other name is `restart-times` (0 if absent)",
        instead: SNAKEMAKE_JOBS,
        source: "snakemake docs/executing/cli.rst; snakemake-executor-plugin-kubernetes 0.5.1",
    },
    Neighbour {
        name: "Temporal",
        sign: Fields(is_temporal_retry_policy),
        fields: "`maximumAttempts` (unlimited if absent or 0), `initialInterval`, `backoffCoefficient`, `maximumInterval` and \
                 `nonRetryableErrorTypes`",
        instead: "its activities run in workers and not in Jobs, so that there is no manifest to check",
        source: "docs.temporal.io/encyclopedia/retry-policies; temporal.api.common.v1.RetryPolicy",
    },
    Neighbour {
        name: "Nextflow",
        sign: File(is_nextflow),
        fields: "`process.errorStrategy` (`terminate` if absent), `process.maxRetries` (1) and `process.maxErrors` (no limit)",
        instead: "with `k8s.computeResourceType = 'Job'` it creates a Job for each task: check one (`kubectl get job NAME -o \
                  yaml`)",
        source: "docs.seqera.io/nextflow/reference/process/directives and reference/config",
    },
    Neighbour {
        name: "Snakemake",
        sign: File(|name, _| file_name(name) == "Snakefile" || has_extension(name, "smk")),
        fields: "`retries` of each rule",
        instead: SNAKEMAKE_JOBS,
        source: "snakemake/snakemake#1649; snakemake-executor-plugin-kubernetes 0.5.1",
    },
];

/// The options of Snakemake's command line, of which a profile has one beside the retries.
const SNAKEMAKE_OPTIONS: [&str; 10] = [
    "executor",
    "cluster",
    "jobs",
    "cores",
    "default-resources",
    "set-resources",
    "keep-going",
    "rerun-incomplete",
    "latency-wait",
    "software-deployment-method",
];

fn has_any(node: &Node, keys: &[&str]) -> bool {
    keys.iter().any(|key| node.get(key).is_some())
}

fn is_snakemake_profile(root: &Node) -> bool {
    has_any(root, &["retries", "restart-times"]) && has_any(root, &SNAKEMAKE_OPTIONS)
}

fn is_temporal_retry_policy(root: &Node) -> bool {
    let policy = root.get("retryPolicy").unwrap_or(root);
    let intervals = ["initialInterval", "maximumInterval", "backoffCoefficient"];
    // One key alone is in other tools' policies too.
    has_any(policy, &["maximumAttempts", "nonRetryableErrorTypes"]) && has_any(policy, &intervals)
}

fn has_extension(name: &str, extension: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, own)| own.eq_ignore_ascii_case(extension))
}

fn is_nextflow(name: &str, text: &str) -> bool {
    // Nextflow has a language of its own: a file of YAML or JSON may only have keys of these names.
    let is_yaml = ["yaml", "yml", "json"].iter().any(|extension| has_extension(name, extension));
    let has_assignment = |word: &str| {
        text.lines().any(|line| {
            let rest = line.trim_start().trim_start_matches("process.").strip_prefix(word);
            rest.is_some_and(|rest| rest.trim_start().starts_with(['=', '{', '\'', '"']))
        })
    };
    file_name(name) == "nextflow.config"
        || has_extension(name, "nf")
        || !is_yaml && (has_assignment("errorStrategy") || has_assignment("maxRetries"))
}

/// The kind of a document.
fn kind(root: &Node) -> Option<&str> {
    root.entry_in_any_case("kind")?.value.text()
}

/// The last part of a path.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

impl Neighbour {
    /// Returns the system of a document.
    pub fn find(root: &Node) -> Option<&'static Self> {
        let text = |key| root.entry_in_any_case(key).and_then(|entry| entry.value.text());
        let has_head =
            ["apiVersion", "kind"].iter().any(|key| root.entry_in_any_case(key).is_some());
        let api = text("apiVersion").and_then(|version| version.split_once('/'));
        NEIGHBOURS.iter().find(|neighbour| match neighbour.sign {
            Api(group, versions, kinds) => api.zip(kind(root)).is_some_and(|(api, kind)| {
                api.0 == group
                    && (versions.is_empty() || versions.contains(&api.1))
                    && (kinds.is_empty() || kinds.contains(&kind))
            }),
            Fields(has_fields) => !has_head && has_fields(root),
            File(_) => false,
        })
    }

    /// Returns the system of a file that is no YAML.
    pub fn find_file(source: &Source) -> Option<&'static Self> {
        let (name, text) = (source.name(), source.text());
        NEIGHBOURS.iter().find(|neighbour| match neighbour.sign {
            File(is_file) => is_file(name, text),
            Api(..) | Fields(_) => false,
        })
    }

    /// Returns the name of one of its documents in notes: `RayJob of KubeRay`.
    pub fn document_name(&self, root: Option<&Node>) -> String {
        match root.and_then(kind) {
            Some(kind) => format!("{kind} of {}", self.name),
            None => format!("configuration of {}", self.name),
        }
    }

    /// Returns the error about one of its documents, at a place; `root` is absent for a file that is no YAML.
    pub fn error(&self, root: Option<&Node>, place: Place) -> Diagnostic {
        let document = match root.and_then(kind) {
            Some(kind) => format!("`{kind}`"),
            None => "configuration".to_owned(),
        };
        let message = format!("this is {}'s {document}, which is not read", self.name);
        let fields = match self.fields {
            "" => String::new(),
            fields => format!("; its retries depend on {fields}"),
        };
        let help = format!(
            "{}{fields}; skip documents of other systems with --ignore-other-kinds",
            self.instead
        );
        Diagnostic::error(Code::UnknownDocument, place, message).help(help)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, parse};

    fn find(text: &str) -> Option<&'static str> {
        let source = Source::new("x.yaml", text);
        let (documents, _) = parse(&source, Limits::POLICY);
        documents.first().and_then(|it| Neighbour::find(&it.root)).map(|it| it.name)
    }

    #[test]
    fn documents_are_recognised_by_api_and_by_fields() {
        for (text, name) in [
            ("apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\n", Some("Volcano")),
            ("apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\n", Some("the MPI operator")),
            ("apiVersion: kubeflow.org/v1\nkind: MPIJob\n", Some("the Kubeflow training operator")),
            ("apiVersion: kubeflow.org/v1\nkind: Notebook\n", None),
            ("apiVersion: batch/v1\nkind: Job\n", None),
            ("apiVersion: ray.io.example/v1\nkind: RayJob\n", None),
            ("kind: RayJob\n", None),
            ("taskGroups: [{taskSpec: {maxRetryCount: 2}}]\n", Some("Google Batch")),
            ("taskGroups: []\n", None),
            ("kind: Job\ntaskGroups: [{}]\n", None),
            ("retries: 3\nexecutor: slurm\n", Some("Snakemake")),
            ("retries: 3\n", None),
            ("maximumAttempts: 3\ninitialInterval: 1s\n", Some("Temporal")),
            ("retryPolicy: {maximumAttempts: 3, backoffCoefficient: 2}\n", Some("Temporal")),
            ("retryPolicy: Always\n", None),
        ] {
            assert_eq!(find(text), name, "{text}");
        }
    }

    #[test]
    fn files_are_recognised_by_name_and_by_assignments() {
        let found = |name: &str, text: &str| {
            Neighbour::find_file(&Source::new(name, text)).map(|it| it.name)
        };
        assert_eq!(found("a/nextflow.config", ""), Some("Nextflow"));
        assert_eq!(found("a.nf", "process x {}"), Some("Nextflow"));
        assert_eq!(
            found("hpc.config", "process {\n  errorStrategy = 'retry'\n}"),
            Some("Nextflow")
        );
        assert_eq!(found("hpc.config", "process.maxRetries = 3\n"), Some("Nextflow"));
        assert_eq!(found("a.yaml", "maxRetries: 3\n"), None);
        assert_eq!(found("a.yaml", "kind: Job\nspec:\n  errorStrategy = 1\n"), None);
        assert_eq!(found("workflow/Snakefile", "rule a:"), Some("Snakemake"));
    }

    /// A row that an earlier one hides is never found.
    #[test]
    fn every_row_of_an_api_can_be_found() {
        for row in NEIGHBOURS {
            let Api(group, versions, kinds) = row.sign else { continue };
            let version = versions.first().unwrap_or(&"v1");
            let kind = kinds.first().unwrap_or(&"Any");
            let text = format!("apiVersion: {group}/{version}\nkind: {kind}\n");
            assert_eq!(find(&text), Some(row.name), "{text}");
            assert!(!row.source.is_empty() && !row.instead.is_empty(), "{}", row.name);
        }
    }
}
