//! The checks of a set's replicated Jobs, whatever its failure policy: names from which names of Jobs and
//! pods can be made, and a number of pods within 32 bits.
//!
//! The webhook makes the longest possible names and compares them with DNS labels
//! (`pkg/webhooks/jobset_webhook.go`, `ValidateCreate`; `pkg/util/placement`). The API server refuses
//! duplicate names: the custom resource's schema makes `replicatedJobs` a list with the name as its key
//! (`listType=map`).

use crate::job::CompletionMode;
use crate::jobset::manifest::nodes::job_policy;
use document::diag::{Code, Diagnostic, Findings};
use document::{Document, Node};
use std::collections::HashMap;

/// The maximum number of characters in a DNS label.
const LABEL: usize = 63;
/// An example of the random suffix of `generateName` and of pod names.
const RANDOM: &str = "abcde";

/// Reports replicated Jobs that a server accepts in no set.
pub(crate) fn check(document: &Document, findings: &mut Findings) {
    let Some(spec) = document.root.get("spec") else { return };
    let jobs = spec.get("replicatedJobs").map(Node::items).unwrap_or_default();
    let mut jobs_check = JobsCheck { document, findings };
    jobs_check.check_repeated_names(jobs);
    let set = jobs_check.set(!jobs.is_empty());
    for job in jobs {
        jobs_check.pods(job);
        if let (Some(set), Some(node)) = (&set, job.get("name")) {
            jobs_check.names(set, job, node);
        }
    }
}

struct JobsCheck<'a> {
    document: &'a Document,
    findings: &'a mut Findings,
}

impl JobsCheck<'_> {
    fn refuse(&mut self, node: &Node, message: String, help: String) {
        let span = node.span.first_line(self.document.source.text());
        let place = self.document.place(span);
        self.findings.push(Diagnostic::error(Code::NotAdmitted, place, message).help(help));
    }

    fn check_repeated_names(&mut self, jobs: &[Node]) {
        let mut first: HashMap<&str, &Node> = HashMap::with_capacity(jobs.len());
        let nodes = jobs.iter().filter_map(|job| job.get("name"));
        for (node, name) in nodes.filter_map(|node| Some((node, node.text()?))) {
            let Some(other) = first.get(name) else {
                first.insert(name, node);
                continue;
            };
            let message = format!("two replicatedJobs are named `{name}`");
            let place = self.document.place(node.span);
            let finding = Diagnostic::error(Code::NotAdmitted, place, message).labelled("again");
            let finding = finding.also(self.document.place(other.span), "first");
            self.findings.push(finding.help("rename one, or give one of them more `replicas`"));
        }
    }

    /// Returns the name of the set, or one as the server will generate it; `None` if it is invalid.
    fn set(&mut self, has_jobs: bool) -> Option<String> {
        let metadata = self.document.root.get("metadata")?;
        let (node, name) = if let Some(node) = metadata.get("name") {
            (node, node.some_text()?.to_owned())
        } else {
            let node = metadata.get("generateName")?;
            let begin: String = node.some_text()?.chars().take(LABEL - RANDOM.len()).collect();
            (node, begin + RANDOM)
        };
        let good =
            name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_label_char);
        if !good && has_jobs {
            let message = format!("names of Jobs cannot begin with `{name}`");
            let help = "begin with a letter; then a-z, 0-9 and `-`".to_owned();
            self.refuse(node, message, help);
        }
        good.then_some(name)
    }

    /// Checks the longest names that are made from a replicated Job's.
    fn names(&mut self, set: &str, job: &Node, node: &Node) {
        let Some(name) = node.some_text() else { return };
        if !name.chars().all(is_label_char) {
            let message = format!("names of Jobs cannot contain `{name}`");
            return self.refuse(node, message, "write a-z, 0-9 and `-`".to_owned());
        }
        let last = replicas(job).unwrap_or(1).saturating_sub(1);
        let of_job = format!("{set}-{name}-{last}");
        let of_pod = last_index(job).map(|index| format!("{of_job}-{index}-{RANDOM}"));
        let (what, longest) = match of_pod {
            Some(of_pod) => ("pods", of_pod),
            None => ("Jobs", of_job),
        };
        if let Some(over) = longest.len().checked_sub(LABEL + 1) {
            let message = format!(
                "names of {what} such as `{longest}` have {} characters; at most {LABEL} are taken",
                longest.len()
            );
            let help = format!("shorten the set's name or this one by {}", over + 1);
            self.refuse(node, message, help);
        }
    }

    /// Checks that the number of all pods of all replicas fits into 32 bits.
    fn pods(&mut self, job: &Node) {
        let parallelism = i128::from(job_policy(job.at(&["template", "spec"])).parallelism);
        let Some(pods) = replicas(job).and_then(|replicas| replicas.checked_mul(parallelism))
        else {
            return;
        };
        if pods > i128::from(i32::MAX) {
            let node = job.get("replicas").unwrap_or(job);
            let message = format!("{pods} pods at once; at most {} are taken", i32::MAX);
            self.refuse(node, message, "lower `replicas` or `parallelism`".to_owned());
        }
    }
}

fn is_label_char(c: char) -> bool {
    c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'
}

fn replicas(job: &Node) -> Option<i128> {
    job.get("replicas").map_or(Some(1), Node::integer)
}

/// Returns the last completion index of a replicated Job, if its completions are set.
fn last_index(job: &Node) -> Option<i128> {
    let spec = job.at(&["template", "spec"]);
    let indexed = job_policy(spec).completion_mode == CompletionMode::Indexed;
    let completions = spec?.get("completions")?.integer()?;
    indexed.then_some(completions.saturating_sub(1))
}

/// Reports settings that prevent the Jobs from being restarted in place.
pub(super) fn check_in_place(document: &Document, jobs: &[Node], findings: &mut Findings) {
    for job in jobs {
        let spec = job.at(&["template", "spec"]);
        let field = |key: &str| spec.and_then(|spec| spec.get(key));
        let mut refuse = |at: Option<&Node>, what: &str, help: &str| {
            let name = job.get("name").and_then(Node::text).unwrap_or_default();
            let node = at.or_else(|| job.get("name")).unwrap_or(job);
            let span = node.span.first_line(document.source.text());
            let message = format!("`InPlaceRestart` needs {what} in replicatedJob `{name}`");
            let finding = Diagnostic::error(Code::NotAdmitted, document.place(span), message);
            findings.push(finding.help(help));
        };
        let backoff = field("backoffLimit");
        if backoff.and_then(Node::integer) != Some(i128::from(i32::MAX)) {
            let help =
                "write `backoffLimit: 2147483647`, so that a Job never fails because of its pods";
            refuse(backoff, "`backoffLimit` 2147483647", help);
        }
        let replacement = field("podReplacementPolicy");
        if replacement.and_then(Node::text) != Some("Failed") {
            let help = "write `podReplacementPolicy: Failed`";
            refuse(replacement, "`podReplacementPolicy` Failed", help);
        }
        let (completions, parallelism) = (field("completions"), field("parallelism"));
        let both = completions.and_then(Node::integer).zip(parallelism.and_then(Node::integer));
        if both.is_none_or(|(completions, parallelism)| completions != parallelism) {
            let help = "set both to the number of pods";
            refuse(completions.or(parallelism), "`completions` equal to `parallelism`", help);
        }
    }
}
