//! Names of policies that no document defines.

use super::context::{Context, Policy, Queue};
use super::definition::Lint;
use document::diag::{Code, Diagnostic, Findings, Place, did_you_mean};

pub(super) const LINT: Lint = Lint { code: Code::UnknownName, check };

fn check(context: &Context<'_>, findings: &mut Findings) {
    // Queues may be checked without the policies that they use.
    if context.policies.is_empty() {
        return;
    }
    for queue in context.queues.iter().filter(|queue| !is_partial(context, queue)) {
        for (name, place) in &queue.missing {
            let fallback = || queue.found.map(|it| it.document.place(it.document.root.span));
            let Some(place) = place.clone().or_else(fallback) else { continue };
            let message = format!("{} uses `{name}`, which no policy here is called", queue.text());
            findings.push(finding(context, name, place, message));
        }
    }
    let Some(config) = context.input.scheduler.filter(|_| context.input.knows_all_policies) else {
        return;
    };
    let Some(name) = &config.settings.default_policy else { return };
    let node = config.document.root.at(&["scheduling", "retryPolicy", "defaultPolicyName"]);
    let is_known = context.policies.iter().any(|policy| policy.name() == name);
    if let (Some(node), false) = (node, is_known) {
        let place = config.document.place(node.span);
        let message = format!("the default policy is `{name}`, which no policy here is called");
        findings.push(finding(context, name, place, message));
    }
}

fn is_partial(context: &Context<'_>, queue: &Queue<'_>) -> bool {
    let file = queue.found.map(|found| found.document.source.name());
    file.is_some_and(|file| context.input.partial_queues.iter().any(|partial| partial == file))
}

fn finding(context: &Context<'_>, name: &str, place: Place, message: String) -> Diagnostic {
    let names = context.policies.iter().map(Policy::name);
    let help = did_you_mean(name, names).map(|near| format!("did you mean `{near}`?"));
    Diagnostic::warning(Code::UnknownName, place, message)
        .help("give its file too, or correct the name")
        .maybe_help(help)
}
