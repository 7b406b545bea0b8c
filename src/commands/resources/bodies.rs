//! From files to what is sent: policies as the server's form has them, queues as their fields.

use super::{FileArgs, Wanted, WantedQueue};
use crate::cli::{Exit, Refusal};
use crate::client;
use crate::commands::Context;
use crate::commands::connect::Connected;
use crate::commands::dry_run::DryRun;
use crate::commands::load;
use crate::diag::{Code, Diagnostic, Findings, Severity};
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

/// Valid documents. Queues whose names no path can carry stop the command too.
pub(in crate::commands) fn read(context: &mut Context<'_>, files: &FileArgs) -> Result<Documents> {
    let documents = load::policies(context.ui, files.paths()?).map_err(nothing_sent)?;
    let mut findings = Findings::new();
    for queue in &documents.queues {
        findings.extend(WantedQueue::uncarriable(queue));
    }
    load::refuse_errors(context.ui, findings).map_err(nothing_sent)?;
    Ok(documents)
}

/// Ends what is wrong with files with its count.
fn nothing_sent(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<Refusal>() {
        Ok(refusal) => refusal.nothing_sent().into(),
        Err(error) => error,
    }
}

impl Wanted {
    /// What these documents are on the wire of this server. Everything that would be lost there is
    /// found before anything is sent.
    pub(in crate::commands) fn new(
        context: &mut Context<'_>,
        server: &Connected,
        documents: &Documents,
        accept: Accept,
        dry_run: DryRun,
    ) -> Result<Self> {
        let queues = documents.queues.iter().map(WantedQueue::of_document).collect();
        let policies = policies(context, server, &documents.policies, accept, dry_run)?;
        Ok(Self { policies, queues })
    }
}

/// The body of one policy.
pub(in crate::commands) fn wanted_policy(
    context: &mut Context<'_>,
    server: &Connected,
    document: &PolicyDocument,
    accept: Accept,
    dry_run: DryRun,
) -> Result<Value> {
    let documents = std::slice::from_ref(document);
    let mut bodies = policies(context, server, documents, accept, dry_run)?;
    Ok(bodies.swap_remove(0).1)
}

fn policies(
    context: &mut Context<'_>,
    server: &Connected,
    documents: &[PolicyDocument],
    accept: Accept,
    dry_run: DryRun,
) -> Result<Vec<(String, Value)>> {
    let name = |document: &PolicyDocument| document.policy.name.to_string();
    // The form is asked for only where it makes a difference.
    let any_v1 = documents.iter().any(|document| document.policy.form == Form::V1);
    if !any_v1 || server.wait(server.client.form())? == client::Form::Full {
        return Ok(documents.iter().map(|d| (name(d), to_wire(&d.policy))).collect());
    }
    let mut bodies = Vec::new();
    let mut losses = Losses { accept, dry_run, of_policies: Vec::new(), findings: Findings::new() };
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
    dry_run: DryRun,
    /// What whole policies come to; it is printed before what becomes of their fields.
    of_policies: Vec<Diagnostic>,
    findings: Findings,
}

impl Losses {
    fn add(&mut self, document: &PolicyDocument, conversion: &Conversion) {
        let treatment = match (self.accept, self.dry_run) {
            (Accept::None, _) => Treatment::Refused,
            (_, DryRun::None) => Treatment::Written,
            _ => Treatment::Planned,
        };
        self.findings.extend(convert::findings(document, &conversion.differences, treatment));
        let Some(consequence) = Consequence::of(&document.policy, &conversion.policy) else {
            return;
        };
        let message = consequence.sentence(&conversion.policy);
        let root = &document.document.root;
        let place = document.document.place(root.span.first_line(document.document.source.text()));
        self.of_policies.push(if self.accept == Accept::NoRetries {
            Diagnostic::warning(Code::NoCounterpart, place, message)
        } else {
            Diagnostic::error(Code::NoCounterpart, place, message)
        });
    }

    /// Prints what is lost, and stops the command if that is not accepted.
    fn print(self, context: &mut Context<'_>) -> Result<()> {
        let is_error = |finding: &Diagnostic| finding.severity == Severity::Error;
        let refused = self.of_policies.iter().any(is_error) && self.accept != Accept::None;
        let findings = [self.of_policies, self.findings.sorted()].concat();
        if !findings.iter().any(is_error) {
            return Ok(context.ui.diagnostics(&findings)?);
        }
        let flag = if refused {
            "`--accept-no-retries` sends such a policy all the same"
        } else {
            "`--accept-differences` sends what has a counterpart"
        };
        let refusal = Refusal { exit: Exit::Refused, ..Refusal::findings(findings) };
        Err(refusal.help(flag).nothing_sent().into())
    }
}
