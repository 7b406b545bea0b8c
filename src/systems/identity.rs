//! What manifests and units are called, and which manifest judges which unit.
//!
//! Kubernetes names an object by its namespace and its name. A unit on record may be called by
//! both, `ml/train`, or by its name alone; a manifest may leave its namespace to whoever applies it.

/// A namespace and a name in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity<'a> {
    /// The namespace; empty if it is not said.
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
}

impl<'a> Identity<'a> {
    /// What a unit is called: `ml/train` is `train` of the namespace `ml`.
    pub fn of_unit(unit: &'a str) -> Self {
        // Most have no namespace, and whole fleets of them are asked about.
        if memchr::memchr(b'/', unit.as_bytes()).is_none() {
            return Self { namespace: "", name: unit };
        }
        let (before, name) = unit.rsplit_once('/').unwrap_or(("", unit));
        Self { namespace: before.rsplit_once('/').map_or(before, |(_, last)| last), name }
    }

    /// Whether the two may be one object: what is not said may be anything.
    pub fn fits(self, other: Self) -> bool {
        let anywhere = self.namespace.is_empty() || other.namespace.is_empty();
        self.name == other.name && (anywhere || self.namespace == other.namespace)
    }

    /// The place of the manifest that a unit is judged by: the one of this very identity, else the
    /// first that fits.
    pub fn among(self, manifests: impl Iterator<Item = Self> + Clone) -> Option<usize> {
        let same = manifests.clone().position(|other| other == self);
        same.or_else(|| manifests.into_iter().position(|other| self.fits(other)))
    }
}

/// The name of a unit that may be called after its namespace: `ml/train` is `train`.
pub fn without_namespace(unit: &str) -> &str {
    Identity::of_unit(unit).name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_judged_by_the_manifest_of_its_namespace() {
        let all = [("", "train"), ("ml", "train"), ("bio", "train"), ("ml", "test")];
        let all = all.map(|(namespace, name)| Identity { namespace, name });
        let of = |unit, from: usize| Identity::of_unit(unit).among(all[from..].iter().copied());
        assert_eq!(of("ml/train", 0), Some(1));
        assert_eq!(of("east/bio/train", 0), Some(2));
        assert_eq!(of("train", 0), Some(0));
        assert_eq!(of("other/train", 0), Some(0));
        assert_eq!(of("other/train", 1), None);
        assert_eq!(of("test", 1), Some(2));
    }
}
