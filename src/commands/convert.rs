//! `convert`: a policy in another form, and what gets lost.

use super::{Context, load};
use crate::cli::{Exit, Output};
use crate::diag::Severity;
use crate::policy::{self, Form, convert};
use crate::report;
use anyhow::Result;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::path::PathBuf;

/// What to convert, and to what.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Read policies from these files or directories (`-` for stdin)
    #[arg(short = 'f', long = "filename", required = true, num_args = 1.., value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write them in this form
    #[arg(long, value_enum, value_name = "FORM")]
    to: FormName,
    /// Exit 1 if something has no counterpart
    #[arg(long)]
    strict: bool,
}

/// The name of a form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FormName {
    /// The design: `armadaproject.io/v1`
    #[value(name = "v1")]
    V1,
    /// What Armada servers take today: `armadaproject.io/v1beta1`
    #[value(name = "v1beta1")]
    V1beta1,
}

impl From<FormName> for Form {
    fn from(name: FormName) -> Self {
        match name {
            FormName::V1 => Self::V1,
            FormName::V1beta1 => Self::V1beta1,
        }
    }
}

/// Converts the policies of files.
pub fn run(context: &mut Context<'_>, args: &ConvertArgs) -> Result<Exit> {
    let output = context.globals.output("convert", &[Output::Yaml, Output::Json])?;
    load::one_stdin(&args.files)?;
    let documents = load::policies(context.ui, &args.files)?;
    let mut converted = Vec::new();
    let mut lossy = false;
    for document in &documents.policies {
        let conversion = convert::convert(&document.policy, args.to.into());
        lossy |= !conversion.differences.is_empty();
        let findings = convert::findings(document, &conversion.differences, Severity::Warning);
        context.ui.diagnostics(&findings.sorted())?;
        converted.push(policy::to_value(&conversion.policy));
    }
    for queue in &documents.queues {
        let place = queue.document.place(queue.document.root.span);
        context.ui.note(&format!("note: passed over the Queue in {place}: either form fits it"))?;
    }
    if documents.policies.iter().any(|document| document.policy.form != args.to.into()) {
        context.ui.note(&format!("note: {}", convert::ENGINES_DIFFER))?;
    }
    context.ui.data(&text(converted, output)?)?;
    Ok(if lossy && args.strict { Exit::No } else { Exit::Done })
}

/// A YAML document a policy; in JSON a list, unless there is one.
fn text(mut converted: Vec<Value>, output: Output) -> Result<String> {
    if output == Output::Json {
        return Ok(match converted.len() {
            1 => report::json(&converted.remove(0)),
            _ => report::json(&json!({
                "apiVersion": "armadaproject.io/v1",
                "kind": "RetryPolicyList",
                "items": converted,
            })),
        });
    }
    let documents: Result<Vec<String>, _> = converted.iter().map(report::yaml).collect();
    Ok(documents?.join("---\n"))
}
