//! Documents with templates that are not rendered.

use armada_retry::policy::Documents;
use document::diag::Findings;
use document::{join_templates, unrendered};
use std::path::Path;
use systems::profile;

/// Reports documents with values that are templates. An evaluator embedded elsewhere takes such a value as a text.
pub fn find_templates(documents: &Documents, findings: &mut Findings) {
    let policies = documents.policies.iter().map(|policy| &policy.document);
    let queues = documents.queues.iter().map(|queue| &queue.document);
    let profiles = documents.others.iter().filter(|other| other.kind == profile::KIND);
    let profiles = profiles.map(|other| &other.document);
    findings.extend(policies.chain(queues).chain(profiles).flat_map(unrendered));
}

/// Joins the findings of each template that is not rendered, and names the command that renders it.
pub fn name_templates(findings: Findings) -> Findings {
    join_templates(findings, &|file| chart_of(Path::new(file)))
}

/// The directory of the Helm chart that has a file among its templates.
fn chart_of(file: &Path) -> Option<String> {
    let folders = file.ancestors().skip(1);
    let templates =
        folders.filter(|folder| folder.file_name().is_some_and(|name| name == "templates"));
    let charts = templates.into_iter().filter_map(Path::parent);
    let chart = charts.into_iter().find(|chart| chart.join("Chart.yaml").is_file())?;
    let name = chart.to_str()?;
    Some(if name.is_empty() { "." } else { name }.to_owned())
}
