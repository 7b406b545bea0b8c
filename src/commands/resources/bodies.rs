//! From files to what is sent: policies as the server's form has them, queues as their fields.

use super::{FileArgs, Origin, Wanted, WantedQueue};
use crate::cli::{Exit, NOTHING_SENT, Refusal};
use crate::client;
use crate::commands::Context;
use crate::commands::connect::Connected;
use crate::commands::dry_run::DryRun;
use crate::commands::load;
use crate::diag::{Findings, Severity};
use crate::policy::convert::{self, Consequence, Conversion, Treatment};
use crate::policy::wire::to_wire;
use crate::policy::{Documents, Form, PolicyDocument};
use anyhow::Result;
use serde_json::Value;

/// What may be lost of a `v1` policy on a server of the deployed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::commands) enum Accept {
    /// Nothing: it is refused.
    None,
    /// What has no counterpart there; it is listed.
    Differences,
    /// That, and all rules or all retries.
    NoRetries,
}

/// What documents are read for; the words of refusals depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Purpose {
    /// They are sent, unless it is a dry run.
    Send(DryRun),
    /// They are compared with what the server holds.
    Compare,
}

impl Purpose {
    /// The consequence of a refusal.
    fn nothing_done(self) -> &'static str {
        match self {
            Self::Send(_) => NOTHING_SENT,
            Self::Compare => "nothing was compared",
        }
    }

    /// What accepting the losses of a policy does with it.
    fn verb(self) -> &'static str {
        match self {
            Self::Send(_) => "sends",
            Self::Compare => "compares",
        }
    }
}

/// Valid documents. Queues whose names no path can carry stop the command too.
pub(in crate::commands) fn read(
    context: &mut Context<'_>,
    files: &FileArgs,
    purpose: Purpose,
) -> Result<Documents> {
    let count = |error| Refusal::count_in(error, purpose.nothing_done());
    let documents = load::policies(context.ui, files.paths()?).map_err(count)?;
    let mut findings = Findings::new();
    for queue in &documents.queues {
        findings.extend(WantedQueue::uncarriable(queue));
    }
    load::refuse_errors(context.ui, findings).map_err(count)?;
    Ok(documents)
}

impl Wanted {
    /// What these documents are on the wire of this server. Everything that would be lost there is
    /// found before anything is sent.
    pub(in crate::commands) fn new(
        context: &mut Context<'_>,
        server: &Connected,
        documents: &Documents,
        accept: Accept,
        purpose: Purpose,
    ) -> Result<Self> {
        let queues = documents.queues.iter().map(WantedQueue::of_document).collect();
        let policies = policies(context, server, &documents.policies, accept, purpose)?;
        Ok(Self { policies, queues, origin: Origin::Documents })
    }
}

/// The body of one policy.
pub(in crate::commands) fn wanted_policy(
    context: &mut Context<'_>,
    server: &Connected,
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
    server: &Connected,
    documents: &[PolicyDocument],
    accept: Accept,
    purpose: Purpose,
) -> Result<Vec<(String, Value)>> {
    let name = |document: &PolicyDocument| document.policy.name.to_string();
    // The form is asked for only where it makes a difference.
    let any_v1 = documents.iter().any(|document| document.policy.form == Form::V1);
    if !any_v1 || server.wait(server.client.form())? == client::Form::Full {
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

/// What policies lose on a server of the deployed form.
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

    /// Prints what is lost, and stops the command if that is not accepted.
    fn print(self, context: &mut Context<'_>) -> Result<()> {
        let has_errors = self.findings.has_errors();
        let findings = self.findings.sorted();
        if !has_errors {
            return Ok(context.ui.diagnostics(&findings)?);
        }
        let verb = self.purpose.verb();
        let flags = match (self.ineffective, self.accept) {
            (0, _) => format!("`--accept-differences` {verb} what has a counterpart"),
            (_, Accept::None) => format!(
                "`--accept-differences` {verb} what has a counterpart; a policy without rules or retries needs `--accept-no-retries`, which implies it"
            ),
            _ => format!("`--accept-no-retries` {verb} such a policy all the same"),
        };
        let refusal = Refusal { exit: Exit::Refused, ..Refusal::findings(findings) };
        Err(refusal.help(flags).counted(self.purpose.nothing_done()).into())
    }
}
