//! The values of a sweep: a list of numbers, times and ranges.

use armada_retry::policy::Documents;
use document::Node;
use replay::simulate::SweptValue;
use systems::armada::{GLOBAL_LIMIT, LIMITS};
use systems::{Limit, ManifestSystem, System, SystemName, limit_names, profile, with_system};

/// Limit of columns: more do not fit a table, and each is a replay.
pub(super) const MAX_COLUMNS: usize = 100;

pub(super) const FORM: &str =
    "write WHAT=VALUES, such as `globalMaxRetries=0..10` or `retryLimit=1,2,4`";

/// The values of a list: `0..10`, `0..12:3`, `1,2,4`, `1m,5m,30m`, `1.5,2.0`.
pub(super) fn parse(text: &str) -> Result<Vec<SweptValue>, String> {
    let mut values: Vec<SweptValue> = Vec::new();
    for part in text.split(',') {
        let more = match part.split_once("..") {
            Some((from, to)) => range(part, (from, to))?,
            None => vec![value(part)?],
        };
        if more.len() > MAX_COLUMNS - values.len() {
            return Err(too_many(text));
        }
        for value in more {
            if values.contains(&value) {
                return Err(format!("`{value}` is listed twice"));
            }
            values.push(value);
        }
    }
    Ok(values)
}

fn too_many(text: &str) -> String {
    format!("`{text}` has more than {MAX_COLUMNS} values")
}

fn value(text: &str) -> Result<SweptValue, String> {
    text.parse().map_err(|()| {
        format!(
            "`{text}` is not a limit: a number from 0 to {}, or a time such as `5m`; {FORM}",
            u32::MAX
        )
    })
}

/// The whole numbers of a range, both ends included.
fn range(part: &str, (from, to): (&str, &str)) -> Result<Vec<SweptValue>, String> {
    let (to, step) = to.split_once(':').unwrap_or((to, "1"));
    let number = |text: &str| {
        value(text)?.as_count().ok_or_else(|| {
            format!("range `{part}` is not of whole numbers: write a list, such as `1m,5m,30m`")
        })
    };
    let (from, to) = (number(from)?, number(to.strip_prefix('=').unwrap_or(to))?);
    let step = number(step)? as usize;
    if step == 0 {
        return Err(format!("range `{part}` has the step 0"));
    }
    if to < from {
        return Err(format!("range `{part}` is empty"));
    }
    if (to - from) as usize / step >= MAX_COLUMNS {
        return Err(too_many(part));
    }
    Ok((from..=to).step_by(step).map(SweptValue::count).collect())
}

/// The limits of a system by their paths in some documents: without a name, of each document if there are several, and
/// of each item of lists.
pub(in crate::commands) fn paths_of_documents(
    system: SystemName,
    documents: &Documents,
) -> Vec<String> {
    with_system!(
        system,
        Armada => {
            let policies = documents.policies.iter();
            let named = policies.map(|it| (it.policy.name.as_str(), &it.document.root));
            paths(LIMITS, &named.collect::<Vec<_>>())
        },
        S => {
            let own = documents.others.iter().filter(|it| S::DESCRIPTION.has_document(it));
            let named = own.map(|it| (profile::name(&it.document), &it.document.root));
            paths(S::LIMITS, &named.collect::<Vec<_>>())
        },
    )
}

/// The limits of all systems that are no limits of the items of lists.
pub(in crate::commands) fn paths_of_all_systems() -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for system in SystemName::all() {
        let paths = paths_of_documents(system, &Documents::default());
        let new: Vec<String> = paths.into_iter().filter(|path| !all.contains(path)).collect();
        all.extend(new);
    }
    all
}

fn paths(limits: &'static [Limit], documents: &[(&str, &Node)]) -> Vec<String> {
    let mut paths = limit_names(limits);
    paths.retain(|path| !path.contains('['));
    for (name, root) in documents {
        let owner = if documents.len() > 1 { format!("{name}.") } else { String::new() };
        for limit in limits.iter().filter(|limit| limit.name != GLOBAL_LIMIT) {
            match limit.list() {
                Some(list) => paths.extend(
                    limit
                        .items(root)
                        .iter()
                        .map(|it| format!("{owner}{list}[{it}].{}", limit.name)),
                ),
                None if documents.len() > 1 => paths.push(format!("{owner}{}", limit.name)),
                None => {}
            }
        }
    }
    paths
}
