//! Categories that differ from others only by case or spaces: names are compared exactly (semantics.md, section 4).

use super::context::{Context, first_present, scalars};
use super::definition::Lint;
use document::diag::{Code, Diagnostic, Findings, Place};
use std::collections::BTreeMap;

pub(super) const LINT: Lint = Lint { code: Code::CategorySpelling, check };

const CATEGORY: [&str; 2] = ["onFailureCategory", "onCategory"];
const SUBCATEGORY: [&str; 2] = ["onFailureSubcategory", "onSubcategory"];

fn check(context: &Context<'_>, findings: &mut Findings) {
    for keys in [CATEGORY, SUBCATEGORY] {
        let names = names(context, &keys);
        let mut spellings: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
        for (name, _) in &names {
            let folded = name.trim().to_lowercase();
            *spellings.entry(folded).or_default().entry(name).or_default() += 1;
        }
        let mut first: BTreeMap<&str, &Place> = BTreeMap::new();
        for (name, place) in &names {
            first.entry(name).or_insert(place);
        }
        for (name, place) in &names {
            if name.trim() != *name {
                findings.push(spaced(name, place.clone()));
                continue;
            }
            let others = &spellings[&name.to_lowercase()];
            // The spelling that most rules have is right; of equally frequent ones, the first in order.
            let usual = others.iter().filter(|(other, _)| other.trim() == **other);
            let usual = usual.max_by_key(|(other, count)| (**count, std::cmp::Reverse(**other)));
            let Some((usual, _)) = usual.filter(|(usual, _)| *usual != name) else { continue };
            let message = format!("`{name}` is another category than `{usual}`: case matters");
            findings.push(
                Diagnostic::warning(Code::CategorySpelling, place.clone(), message)
                    .also(first[usual].clone(), "written so here")
                    .help(format!("write `{usual}` if it is the same")),
            );
        }
    }
}

fn spaced(name: &str, place: Place) -> Diagnostic {
    let trimmed = name.trim();
    let message = format!("`{name}` begins or ends with a space, and matches no `{trimmed}`");
    Diagnostic::warning(Code::CategorySpelling, place, message)
        .help(format!("write `{trimmed}`: names are compared exactly"))
}

/// The names that rules list, with their places.
fn names<'d>(context: &Context<'d>, keys: &[&str]) -> Vec<(&'d str, Place)> {
    let mut names = Vec::new();
    for policy in &context.policies {
        for (_, _, node) in policy.numbered() {
            let Some(entry) = first_present(node, keys) else { continue };
            let items = scalars(&entry.value).iter();
            names.extend(items.filter_map(|item| Some((item.text()?, policy.place(item.span)))));
        }
    }
    names
}
