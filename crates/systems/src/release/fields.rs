//! The fields of a document that a row is about.

use super::difference::{Difference, Effect, EffectAction, Needs, Owner};
use document::Node;

impl Difference {
    /// Returns whether it is about fields of some documents only.
    pub(super) fn has_fields(&self) -> bool {
        !self.needs.is_empty() || !self.effects.is_empty()
    }

    /// Returns whether a document has the fields that the row is about.
    pub(super) fn concerns(&self, root: &Node) -> bool {
        self.needs.iter().any(|needs| needs.are_in(root))
            || self.effects.iter().any(|effect| effect.concerns(root))
    }
}

impl Needs {
    fn are_in(&self, root: &Node) -> bool {
        let has = |part: &Node, field: &str| match field.strip_prefix('!') {
            Some(absent) => !has_field(part, absent),
            None => has_field(part, field),
        };
        parts(root, self.of).iter().any(|part| self.fields.iter().all(|field| has(part, field)))
    }
}

impl Effect {
    fn concerns(&self, root: &Node) -> bool {
        parts(root, self.of).iter().any(|part| match self.action {
            EffectAction::Refuse(values) if !values.is_empty() => {
                values.iter().any(|value| has_field(part, &format!("{}={value}", self.path)))
            }
            _ => has_field(part, self.path),
        })
    }
}

/// Returns the parts of a document that paths begin in.
fn parts(root: &Node, owner: Owner) -> Vec<&Node> {
    let is_set = root.get("kind").and_then(Node::text) == Some("JobSet");
    let spec = || root.get("spec").into_iter().collect();
    match (owner, is_set) {
        (Owner::Document, _) => vec![root],
        (Owner::JobSpec, false) | (Owner::SetSpec, true) => spec(),
        (Owner::JobSpec | Owner::JobSpecOfSet, true) => {
            let jobs = root.at(&["spec", "replicatedJobs"]).map(Node::items).unwrap_or_default();
            jobs.iter().filter_map(|job| job.at(&["template", "spec"])).collect()
        }
        (Owner::JobSpecOfSet | Owner::SetSpec, false) => Vec::new(),
    }
}

/// Returns whether a node has a field: `a.b[].c`, or `a.b[].c=value`.
fn has_field(node: &Node, path: &str) -> bool {
    let (path, value) = path.split_once('=').map_or((path, None), |(path, it)| (path, Some(it)));
    has_path(node, &path.split('.').collect::<Vec<_>>(), value)
}

fn has_path(node: &Node, path: &[&str], value: Option<&str>) -> bool {
    let [step, rest @ ..] = path else {
        let text = node.scalar().map(|scalar| &*scalar.text);
        return value.is_none_or(|value| text == Some(value));
    };
    let (key, is_list) = step.strip_suffix("[]").map_or((*step, false), |key| (key, true));
    let Some(found) = node.get(key).filter(|found| !found.is_null()) else { return false };
    let nodes = if is_list { found.items() } else { std::slice::from_ref(found) };
    nodes.iter().any(|node| has_path(node, rest, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::diag::Source;
    use document::{Limits, parse};

    fn root(text: &str) -> Node {
        parse(&Source::new("a.yaml", text), Limits::POLICY).0.remove(0).root
    }

    #[test]
    fn a_path_names_a_field_an_item_or_a_value() {
        let root = root("{a: {b: [{c: x}, {d: 1, e: [y]}], n: null}}");
        for path in ["a", "a.b", "a.b[]", "a.b[].c", "a.b[].d=1", "a.b[].e[]=y", "a.b[].c=x"] {
            assert!(has_field(&root, path), "{path}");
        }
        for path in ["b", "a.c", "a.n", "a.b[].f", "a.b[].c=y", "a.b[].e[]=x", "a.b.c"] {
            assert!(!has_field(&root, path), "{path}");
        }
    }

    #[test]
    fn fields_of_one_job_are_needed_together() {
        const BOTH: Needs = Needs::in_job(&["x", "y"]);
        const FIRST: Needs = Needs::in_job(&["x", "!y"]);
        let set = |first: &str, second: &str| {
            root(&format!(
                "{{kind: JobSet, spec: {{replicatedJobs: [{{template: {{spec: {first}}}}}, {{template: {{spec: {second}}}}}]}}}}"
            ))
        };
        assert!(!BOTH.are_in(&set("{x: 1}", "{y: 1}")));
        assert!(BOTH.are_in(&set("{z: 1}", "{x: 1, y: 1}")));
        assert!(FIRST.are_in(&set("{x: 1}", "{y: 1}")));
        let job = root("{kind: Job, spec: {x: 1, y: 1}}");
        assert!(BOTH.are_in(&job) && !FIRST.are_in(&job) && !Needs::in_set(&["x"]).are_in(&job));
    }
}
