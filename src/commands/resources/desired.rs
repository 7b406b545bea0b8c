//! The desired state: from files to policies in the form of the server, and the fields of queues.

use super::{Accept, DesiredQueue, SelectedFiles};
use crate::cli::{Context, DryRun, Exit, NOTHING_SENT, Refusal};
use crate::commands::connection::ServerConnection;
use crate::project::{PolicyScope, Project, note_other_documents};
use anyhow::Result;
use armada_retry::policy::convert::{self, Consequence, Conversion, Treatment};
use armada_retry::policy::wire::to_wire;
use armada_retry::policy::{Documents, Form, PolicyDocument};
use document::diag::{Findings, Severity};
use serde_json::Value;

/// The policies and queues that the server is to have.
pub(in crate::commands) struct DesiredState {
    /// Policies: name and body.
    pub policies: Vec<(String, Value)>,
    /// Queues.
    pub queues: Vec<DesiredQueue>,
    /// The source of the desired objects.
    pub origin: Origin,
}

/// The source of the desired objects; notes name its fields or flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Origin {
    Documents,
    /// Flags on the command line.
    Flags,
}

/// How to handle objects that exist, and those that do not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum WriteMode {
    /// Objects that exist are refused.
    Create,
    /// Objects that do not exist are refused.
    Update,
    /// Both are accepted.
    Apply,
}

/// Why documents are read; the words of refusals depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Purpose {
    /// They are sent, unless it is a dry run.
    Send(DryRun),
    /// They are compared with the objects on the server.
    Compare,
}

impl Purpose {
    /// The consequence of a refusal.
    fn consequence(self) -> &'static str {
        match self {
            Self::Send(_) => NOTHING_SENT,
            Self::Compare => "nothing was compared",
        }
    }

    /// The verb of a policy whose losses are accepted.
    fn verb(self) -> &'static str {
        match self {
            Self::Send(_) => "send",
            Self::Compare => "compare",
        }
    }
}

/// Reads valid documents. A queue whose name no path can carry stops the command too.
pub(in crate::commands) fn read(
    context: &mut Context<'_>,
    files: SelectedFiles<'_>,
    purpose: Purpose,
) -> Result<Documents> {
    let count = |error| Refusal::add_count_to(error, purpose.consequence());
    let (paths, exclusions) = (files.paths()?, files.exclusions());
    let mut project = Project::read_selected(paths, &exclusions, PolicyScope::Armada);
    let bad_names = project.documents.queues.iter().flat_map(DesiredQueue::bad_name);
    project.findings.extend(bad_names);
    let documents = project.into_documents(context.ui).map_err(count)?;
    note_other_documents(context.ui, &documents)?;
    Ok(documents)
}

impl DesiredState {
    /// Converts documents to the form of this server. All losses are found before anything is sent.
    pub(in crate::commands) fn new(
        context: &mut Context<'_>,
        server: &ServerConnection,
        documents: &Documents,
        accept: Accept,
        purpose: Purpose,
    ) -> Result<Self> {
        let queues = documents.queues.iter().map(DesiredQueue::from_document).collect();
        let policies = policies(context, server, &documents.policies, accept, purpose)?;
        Ok(Self { policies, queues, origin: Origin::Documents })
    }
}

/// The body of one policy.
pub(in crate::commands) fn desired_policy(
    context: &mut Context<'_>,
    server: &ServerConnection,
    document: &PolicyDocument,
    accept: Accept,
    purpose: Purpose,
) -> Result<Value> {
    let documents = std::slice::from_ref(document);
    let mut bodies = policies(context, server, documents, accept, purpose)?;
    Ok(bodies.swap_remove(0).1)
}

fn policies(
    context: &mut Context<'_>,
    server: &ServerConnection,
    documents: &[PolicyDocument],
    accept: Accept,
    purpose: Purpose,
) -> Result<Vec<(String, Value)>> {
    let name = |document: &PolicyDocument| document.policy.name.to_string();
    // A request for the form of the server is needed only for `v1` policies.
    let any_v1 = documents.iter().any(|document| document.policy.form == Form::V1);
    if !any_v1 || server.wait(server.client.form())? == client::WireForm::Full {
        return Ok(documents.iter().map(|d| (name(d), to_wire(&d.policy))).collect());
    }
    let mut bodies = Vec::new();
    let mut losses = Losses { accept, purpose, ineffective: 0, findings: Findings::new() };
    for document in documents {
        let conversion = convert::convert(&document.policy, Form::V1beta1);
        losses.add(document, &conversion);
        bodies.push((name(document), to_wire(&conversion.policy)));
    }
    losses.print(context)?;
    context.ui.note(&format!("warning: {}", convert::ENGINES_DIFFER))?;
    Ok(bodies)
}

/// The losses of policies on a server of the deployed form.
struct Losses {
    accept: Accept,
    purpose: Purpose,
    /// How many policies are left without rules or retries.
    ineffective: usize,
    findings: Findings,
}

impl Losses {
    fn add(&mut self, document: &PolicyDocument, conversion: &Conversion) {
        let treatment = match (self.accept, self.purpose) {
            (Accept::None, _) => Treatment::Refused,
            (_, Purpose::Send(DryRun::None)) => Treatment::Written,
            _ => Treatment::Planned,
        };
        self.findings.extend(convert::findings(document, &conversion.differences, treatment));
        let Some(consequence) = Consequence::of(&document.policy, &conversion.policy) else {
            return;
        };
        let severity = match self.accept {
            Accept::NoRetries => Severity::Warning,
            Accept::None | Accept::Differences => Severity::Error,
        };
        let name = document.policy.name.as_str();
        self.findings.push(consequence.finding(&document.document, name, severity));
        self.ineffective += 1;
    }

    /// Prints the losses, and stops the command if they are not accepted.
    fn print(self, context: &mut Context<'_>) -> Result<()> {
        let has_errors = self.findings.has_errors();
        let findings = self.findings.sorted();
        if !has_errors {
            return Ok(context.ui.diagnostics(&findings)?);
        }
        let verb = self.purpose.verb();
        let flags = match (self.ineffective, self.accept) {
            (0, _) => format!("use `--accept-differences` to {verb} what has a counterpart"),
            (_, Accept::None) => format!(
                "use `--accept-differences` to {verb} what has a counterpart; a policy without rules or retries needs `--accept-no-retries`, which implies it"
            ),
            _ => format!("use `--accept-no-retries` to {verb} such a policy anyway"),
        };
        let refusal = Refusal { exit: Exit::Refused, ..Refusal::findings(findings) };
        let help = format!(
            "this server takes policies of the form `v1beta1` alone, as all of Armada's do today; `convert --to v1beta1` \
             prints them in that form; {flags}"
        );
        Err(refusal.help(help).with_count(self.purpose.consequence()).into())
    }
}
