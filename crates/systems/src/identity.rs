//! The namespaces and names of manifests and units, and the choice of the manifest for a unit.
//!
//! Kubernetes names an object by its namespace and its name. A recorded unit may have both, `ml/train`, or
//! its name alone; a manifest may have no namespace until it is applied.

/// A namespace and a name in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity<'a> {
    /// The namespace; empty if absent.
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
}

impl<'a> Identity<'a> {
    /// Returns the identity of a unit: `ml/train` is `train` in the namespace `ml`.
    pub fn from_unit(unit: &'a str) -> Self {
        // Fast path: most units have no namespace, and a replay has millions.
        if memchr::memchr(b'/', unit.as_bytes()).is_none() {
            return Self { namespace: "", name: unit };
        }
        let (before, name) = unit.rsplit_once('/').unwrap_or(("", unit));
        Self { namespace: before.rsplit_once('/').map_or(before, |(_, last)| last), name }
    }

    /// Returns whether the two may be one object: an absent namespace matches any.
    pub fn fits(self, other: Self) -> bool {
        let anywhere = self.namespace.is_empty() || other.namespace.is_empty();
        self.name == other.name && (anywhere || self.namespace == other.namespace)
    }

    /// Returns the index of the manifest for a unit: the one of equal identity, else the first that fits.
    pub fn among(self, manifests: impl Iterator<Item = Self> + Clone) -> Option<usize> {
        let same = manifests.clone().position(|other| other == self);
        same.or_else(|| manifests.into_iter().position(|other| self.fits(other)))
    }
}

/// Returns the name of a unit without its namespace: `ml/train` is `train`.
pub fn without_namespace(unit: &str) -> &str {
    Identity::from_unit(unit).name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_judged_by_the_manifest_of_its_namespace() {
        let all = [("", "train"), ("ml", "train"), ("bio", "train"), ("ml", "test")];
        let all = all.map(|(namespace, name)| Identity { namespace, name });
        let of = |unit, from: usize| Identity::from_unit(unit).among(all[from..].iter().copied());
        assert_eq!(of("ml/train", 0), Some(1));
        assert_eq!(of("east/bio/train", 0), Some(2));
        assert_eq!(of("train", 0), Some(0));
        assert_eq!(of("other/train", 0), Some(0));
        assert_eq!(of("other/train", 1), None);
        assert_eq!(of("test", 1), Some(2));
    }
}
