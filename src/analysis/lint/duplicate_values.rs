//! Values that a list has twice.

use super::context::{Context, Policy, present};
use super::definition::Lint;
use document::diag::{Code, Findings};
use document::{Entry, Node};
use std::collections::HashMap;
use systems::{duplicate_title, duplicate_value};

pub(super) const LINT: Lint = Lint { code: Code::DuplicateValue, check };

const LISTS: [&str; 3] = ["onConditions", "onFailureCategory", "onFailureSubcategory"];

fn check(context: &Context<'_>, findings: &mut Findings) {
    for policy in &context.policies {
        for (_, _, node) in policy.numbered() {
            let codes = node.get("onExitCodes").and_then(|codes| present(codes, "values"));
            let lists = LISTS.iter().filter_map(|key| present(node, key));
            for list in codes.into_iter().chain(lists) {
                check_list(context, policy, list, findings);
            }
        }
    }
}

fn check_list(context: &Context<'_>, policy: &Policy<'_>, list: &Entry, findings: &mut Findings) {
    let mut first: HashMap<String, &Node> = HashMap::new();
    for (index, item) in list.value.items().iter().enumerate() {
        // Numbers of other notations are equal too.
        let value = item.integer().map(|value| value.to_string());
        let Some(value) = value.or_else(|| item.text().map(str::to_owned)) else { continue };
        match first.get(&value) {
            Some(earlier) => {
                let title = duplicate_title(&value);
                let fix = context.fix(policy, title, |layout| layout.remove_item(list, index));
                let (place, first) = (policy.place(item.span), policy.place(earlier.span));
                findings.push(duplicate_value(&value, place, first).fixed_by(fix));
            }
            None => _ = first.insert(value, item),
        }
    }
}
