//! From files to what is sent: policies as the server's form has them, queues as their fields.

use super::{FileArgs, Wanted, WantedQueue};
use crate::cli::{Exit, Refusal};
use crate::client;
use crate::commands::Context;
use crate::commands::connect::Connected;
use crate::commands::load;
use crate::diag::{Findings, Severity};
use crate::policy::wire::to_wire;
use crate::policy::{Documents, Form, PolicyDocument, convert};
use anyhow::Result;
use serde_json::Value;

/// What may be lost of a `v1` policy on a server of the deployed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Accept {
    /// Nothing: it is refused.
    None,
    /// What has no counterpart there; it is listed.
    Differences,
}

/// Valid documents. Queues whose names no path can carry stop the command too.
pub(in crate::commands) fn read(context: &mut Context<'_>, files: &FileArgs) -> Result<Documents> {
    let documents = load::policies(context.ui, files.paths()?)?;
    let mut findings = Findings::new();
    for queue in &documents.queues {
        findings.extend(WantedQueue::uncarriable(queue));
    }
    load::refuse_errors(context.ui, findings)?;
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
    ) -> Result<Self> {
        let queues = documents.queues.iter().map(WantedQueue::of_document).collect();
        Ok(Self { policies: policies(context, server, &documents.policies, accept)?, queues })
    }
}

/// The body of one policy.
pub(in crate::commands) fn wanted_policy(
    context: &mut Context<'_>,
    server: &Connected,
    document: &PolicyDocument,
    accept: Accept,
) -> Result<Value> {
    let mut bodies = policies(context, server, std::slice::from_ref(document), accept)?;
    Ok(bodies.swap_remove(0).1)
}

fn policies(
    context: &mut Context<'_>,
    server: &Connected,
    documents: &[PolicyDocument],
    accept: Accept,
) -> Result<Vec<(String, Value)>> {
    let name = |document: &PolicyDocument| document.policy.name.to_string();
    // The form is asked for only where it makes a difference.
    let any_v1 = documents.iter().any(|document| document.policy.form == Form::V1);
    if !any_v1 || server.wait(server.client.form())? == client::Form::Full {
        return Ok(documents.iter().map(|d| (name(d), to_wire(&d.policy))).collect());
    }
    let (mut bodies, mut findings) = (Vec::new(), Findings::new());
    let mut converted = false;
    for document in documents {
        let policy = if document.policy.form == Form::V1 {
            let conversion = convert::to_v1beta1(&document.policy);
            converted = true;
            let severity = if accept == Accept::None { Severity::Error } else { Severity::Warning };
            if !conversion.differences.is_empty() {
                findings.extend(convert::findings(document, &conversion.differences, severity));
            }
            to_wire(&conversion.policy)
        } else {
            to_wire(&document.policy)
        };
        bodies.push((name(document), policy));
    }
    if findings.has_errors() {
        let help = "nothing was sent; `--accept-differences` sends what has a counterpart";
        let refusal = Refusal { exit: Exit::Refused, ..Refusal::findings(findings.sorted()) };
        return Err(refusal.help(help).into());
    }
    context.ui.diagnostics(&findings.sorted())?;
    if converted {
        context.ui.note(&format!("warning: {}", convert::ENGINES_DIFFER))?;
    }
    Ok(bodies)
}
