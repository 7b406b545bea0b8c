//! `lint --against`: the system whose policies a history is replayed through, and the findings about those of other
//! systems than Armada.

use crate::analysis::lint::lint_history;
use crate::cli::Refusal;
use crate::commands::check::Checked;
use crate::project::Manifests;
use ::systems::{ManifestSystem, Options, SystemName, with_system};
use anyhow::Result;
use armada_retry::policy::Documents;
use document::diag::Findings;
use replay::simulate::SummaryReport;

/// The system of the policies: Armada if there are any of it, else the only one.
pub(super) fn system(documents: &Documents) -> Result<SystemName> {
    if !documents.policies.is_empty() {
        return Ok(SystemName::Armada);
    }
    let mut systems: Vec<SystemName> = Vec::new();
    for system in documents.others.iter().filter_map(SystemName::from_document) {
        if !systems.contains(&system) {
            systems.push(system);
        }
    }
    let (message, help) = match systems.as_slice() {
        [only] => return Ok(*only),
        [] => {
            let message = "`--against` replays policies, but the files contain none";
            (message.to_owned(), "name the files of the policies with -f")
        }
        [first, second, ..] => {
            let [first, second] = [first, second].map(|system| system.description().manifest);
            let message = format!(
                "`--against` replays the policies of one system, but the files contain a {first} and a {second}"
            );
            (message, "name the files of one system")
        }
    };
    Err(Refusal::usage(message).help(help).into())
}

/// The findings about policies of another system than Armada.
pub(super) fn lint(
    checked: &Checked,
    options: &Options,
    summary: &SummaryReport,
) -> Result<Findings> {
    let documents = &checked.documents;
    Ok(with_system!(
        system(documents)?,
        Armada => Findings::new(),
        S => {
            let manifests = Manifests::<S>::read(documents, options, &mut Findings::new());
            let known = &checked.manifest_lints;
            lint_history(&manifests.targets(), summary, known, S::FUTILE_RETRIES_HELP)
        },
    ))
}
