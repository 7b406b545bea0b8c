//! The columns of an answer: their headers, and the files of their policies.

use super::SimulateArgs;
use replay::simulate::Engine;

/// The headers of columns: the name of the policy of a column that has one alone, unless another column is called so;
/// else the name of the variant. `policies` has the only policy of each column that has one.
pub(super) fn labels(variants: &[&str], policies: &[Option<String>]) -> Vec<String> {
    let is_taken = |at: usize, policy: &String| {
        let others = policies.iter().enumerate().filter(|(other, _)| *other != at);
        variants.contains(&policy.as_str())
            || others.into_iter().any(|(_, other)| other.as_ref() == Some(policy))
    };
    let label = |(at, name): (usize, &&str)| match &policies[at] {
        Some(policy) if !is_taken(at, policy) => policy.clone(),
        _ => (*name).to_owned(),
    };
    variants.iter().enumerate().map(label).collect()
}

/// The name of the only policy of an engine; `None` if it has several.
pub(super) fn only_policy<E: Engine>(engine: &E) -> Option<String> {
    let mut policies = engine.rules().into_iter().map(|rule| rule.policy);
    let first = policies.next()?;
    policies.all(|policy| policy == first).then_some(first)
}

/// The files of a variant, as they are given; those of a sweep are those of the first one.
pub(super) fn sources(args: &SimulateArgs, name: &str) -> Vec<String> {
    let (first, files) = args.first_variant();
    let files = match args.variant.iter().find(|variant| variant.name == name) {
        Some(variant) => &variant.files,
        None if name == first || !args.sweep.is_empty() => files,
        None => return Vec::new(),
    };
    files.iter().map(|file| file.display().to_string()).collect()
}
