//! `convert`: a policy in another form, and the losses of the conversion.

mod args;
mod categories;
mod manifest;
mod proof;
mod route;

use crate::cli::{Context, Exit, Output, Refusal};
use crate::project;
use crate::report;
use anyhow::Result;
pub use args::ConvertArgs;
use armada_retry::policy::convert::{self, Consequence, Treatment};
use armada_retry::policy::{self, Form, PolicyDocument, RetryPolicy};
use document::Document;
use document::diag::{Diagnostic, Findings, Place, Severity};
use manifest::{Inputs, Manifest};
use proof::FormProof;
use route::{Destination, Target};
use serde_json::{Value, json};
use systems::convert::{self as conversion, Conversion, Note};
use systems::{ManifestSystem, with_system};

/// The results so far.
#[derive(Default)]
struct Results {
    values: Vec<Value>,
    /// Whether policies that are left without retries or rules are written.
    can_lose_retries: bool,
    /// How many policies those are.
    ineffective: usize,
    findings: Findings,
    /// Fields that are kept as annotations, with their places.
    kept: Vec<(Place, String)>,
    /// The caveat that applies to every conversion between these forms.
    caveat: Option<&'static str>,
    proof: FormProof,
}

/// Converts the policies of files.
pub fn run(context: &mut Context<'_>, args: &ConvertArgs) -> Result<Exit> {
    let output = context.globals.output("convert", &[Output::Yaml, Output::Json])?;
    let to = match args.to {
        Destination::ErrorCategories => return categories::run(context, args, output),
        Destination::Policies(to) => to,
    };
    project::refuse_second_stdin(&*args.files)?;
    let inputs = Inputs::read(context.ui, &args.files)?;
    for route in inputs.routes(to) {
        route.refuse_unsupported()?;
    }
    let can_lose_retries = args.accept_no_retries;
    let mut results = Results { can_lose_retries, ..Results::default() };
    for document in &inputs.documents.policies {
        results.convert_policy(document, to)?;
    }
    for manifest in &inputs.manifests {
        results.convert_manifest(manifest);
    }
    let losses = results.findings.sorted();
    if results.ineffective > 0 && !can_lose_retries {
        return Err(refusal(results.ineffective, losses).into());
    }
    for (place, what) in &results.kept {
        context.ui.note_at(place, "kept", what)?;
    }
    context.ui.diagnostics(&losses)?;
    for queue in &inputs.documents.queues {
        let place = queue.document.place(queue.document.root.span);
        let why = if to.form().is_some() {
            "queues are the same in both forms"
        } else {
            "queues exist in Armada only"
        };
        context.ui.note_at(&place, "skipped", &format!("a Queue: {why}"))?;
    }
    if let Some(caveat) = results.caveat {
        context.ui.note(&format!("note: {caveat}"))?;
    }
    for note in results.proof.notes(!losses.is_empty()) {
        context.ui.note(&format!("note: {note}"))?;
    }
    context.ui.data(&text(results.values, output)?)?;
    Ok(if args.strict && !losses.is_empty() { Exit::No } else { Exit::Done })
}

impl Results {
    /// Converts a policy of Armada.
    fn convert_policy(&mut self, document: &PolicyDocument, to: Target) -> Result<()> {
        let policy = &document.policy;
        let before = self.values.len();
        match to {
            Target::V1 => return self.convert_form(document, Form::V1),
            Target::V1beta1 => return self.convert_form(document, Form::V1beta1),
            Target::System(system) => with_system!(
                system,
                Armada => return self.convert_form(document, policy.form),
                S => self.add_conversion(&document.document, S::from_v1(policy)),
            ),
        }
        let cannot = |value: &Value| Manifest::from_value(value).is_some_and(|m| !m.can_retry);
        if policy.can_retry() && self.values.iter().skip(before).all(cannot) {
            self.add_ineffective(Consequence::NoRetries, &document.document, policy.name.as_str());
        }
        Ok(())
    }

    /// Converts a policy of Armada to its other form.
    fn convert_form(&mut self, document: &PolicyDocument, to: Form) -> Result<()> {
        let conversion = convert::convert(&document.policy, to);
        let mut differences = conversion.differences.clone();
        if document.policy.form != to {
            differences.extend(convert::default_differences(&document.policy));
        }
        let findings = convert::findings(document, &differences, Treatment::Written);
        self.findings.extend(findings);
        if let Some(consequence) = Consequence::of(&document.policy, &conversion.policy) {
            self.add_ineffective(consequence, &document.document, document.policy.name.as_str());
        }
        let value = policy::to_value(&conversion.policy);
        if document.policy.form != to {
            self.caveat = Some(convert::ENGINES_DIFFER);
            self.findings.extend(self.proof.add(document, &value, &conversion.differences)?);
        }
        self.values.push(value);
        Ok(())
    }

    /// Converts a manifest to policies. There are none only if its name cannot be used, which is refused before.
    fn convert_manifest(&mut self, manifest: &Manifest) {
        let Manifest { document, name, can_retry, policies } = manifest;
        let Some(Conversion { result, notes }) = policies else { return };
        if *can_retry && !result.iter().any(RetryPolicy::can_retry) {
            self.add_ineffective(Consequence::NoRetries, document, name);
        }
        self.values.extend(result.iter().map(policy::to_value));
        self.add_notes(document, notes);
    }

    /// Adds the finding of a policy that is left without retries or rules.
    fn add_ineffective(&mut self, consequence: Consequence, document: &Document, name: &str) {
        let severity = if self.can_lose_retries { Severity::Warning } else { Severity::Error };
        self.findings.push(consequence.finding(document, name, severity));
        self.ineffective += 1;
    }

    fn add_conversion(&mut self, document: &Document, conversion: Conversion<Value>) {
        self.values.push(conversion.result);
        self.add_notes(document, &conversion.notes);
    }

    fn add_notes(&mut self, document: &Document, notes: &[Note]) {
        self.findings.extend(conversion::findings(document, notes));
        self.kept.extend(conversion::carried(document, notes));
        self.caveat = Some(conversion::SYSTEMS_DIFFER);
    }
}

/// The error of policies that are left without effect; the losses are the reasons.
fn refusal(ineffective: usize, losses: Vec<Diagnostic>) -> Refusal {
    let policies = if ineffective == 1 { "policy" } else { "policies" };
    let message = format!("{ineffective} {policies} without retries or rules; nothing was written");
    let refusal = Refusal { exit: Exit::Refused, ..Refusal::findings(losses) };
    Refusal { message, is_summary: true, ..refusal }
        .help("use `--accept-no-retries` to write such a policy anyway")
}

/// A YAML document each; in JSON a list, unless there is one.
fn text(mut values: Vec<Value>, output: Output) -> Result<String> {
    if output == Output::Json {
        let policies = values.iter().all(|value| value["kind"] == "RetryPolicy");
        let (version, kind) =
            if policies { ("armadaproject.io/v1", "RetryPolicyList") } else { ("v1", "List") };
        return Ok(match values.len() {
            1 => report::json(&values.remove(0)),
            _ => report::json(&json!({"apiVersion": version, "kind": kind, "items": values})),
        });
    }
    let documents: Result<Vec<String>, _> = values.iter().map(report::yaml).collect();
    Ok(documents?.join("---\n"))
}
