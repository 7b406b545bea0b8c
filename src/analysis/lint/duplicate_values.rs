//! Values that a list has twice.

use super::Lint;
use super::context::{Context, Policy};
use crate::diag::{Code, Diagnostic, Findings};
use crate::document::Node;
use std::collections::HashMap;

pub(super) const LINT: Lint = Lint { code: Code::DuplicateValue, check };

const LISTS: [&[&str]; 4] = [
    &["onExitCodes", "values"],
    &["onConditions"],
    &["onFailureCategory"],
    &["onFailureSubcategory"],
];

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        for (_, _, node) in policy.numbered() {
            for list in LISTS.iter().filter_map(|path| node.at(path)) {
                of_list(policy, list, findings);
            }
        }
    }
}

fn of_list(policy: &Policy<'_>, list: &Node, findings: &mut Findings) {
    let mut first: HashMap<String, &Node> = HashMap::new();
    for item in list.items() {
        // Numbers of other notations are equal too.
        let value = item.integer().map(|value| value.to_string());
        let Some(value) = value.or_else(|| item.text().map(str::to_owned)) else { continue };
        match first.get(&value) {
            Some(earlier) => findings.push(
                Diagnostic::warning(
                    Code::DuplicateValue,
                    policy.place(item.span),
                    format!("`{value}` is listed twice"),
                )
                .also(policy.place(earlier.span), "first")
                .help("remove one of them, or write the value that was meant"),
            ),
            None => _ = first.insert(value, item),
        }
    }
}
