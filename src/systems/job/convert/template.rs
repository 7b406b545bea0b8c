//! The containers of a pod template: which of them rules look at.

use crate::document::Node;

/// The containers of a template, as far as its manifest names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::systems) struct Template {
    containers: Vec<Box<str>>,
    init_containers: usize,
}

impl Template {
    /// The template of a Job's `spec`.
    pub fn of(spec: &Node) -> Self {
        let list = |key: &str| {
            let list = spec.at(&["template", "spec", key]);
            list.map(Node::items).unwrap_or_default()
        };
        let name = |node: &Node| node.get("name").and_then(Node::text).unwrap_or_default().into();
        Self {
            containers: list("containers").iter().map(name).collect(),
            init_containers: list("initContainers").len(),
        }
    }

    /// The only container there is.
    pub fn only(&self) -> Option<&str> {
        match self.containers.as_slice() {
            [only] if self.init_containers == 0 => Some(only),
            _ => None,
        }
    }

    /// The container whose code a rule looks at, given the one it names; `None` if it is any of
    /// several.
    pub fn scope<'t>(&'t self, named: Option<&'t str>) -> Option<&'t str> {
        named.or(self.only())
    }
}
