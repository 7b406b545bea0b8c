//! The runs that a thread has looked up among the signatures lately: three of four records of a fleet repeat one of a few
//! hundred, but for their unit, their times and their node.

use crate::history::RecordFields;
use hashbrown::DefaultHashBuilder;

/// Runs that are known at a time.
const PLACES: usize = 1 << 9;

/// Known runs, at places by the hash of their fields.
#[derive(Debug)]
pub(super) struct KnownRuns<F> {
    hasher: DefaultHashBuilder,
    places: Vec<Place<F>>,
}

#[derive(Debug)]
struct Place<F> {
    /// The hash of the last run that was looked up here.
    hash: u64,
    /// A run, if one was looked up twice in a row.
    known: Option<Known<F>>,
}

#[derive(Debug)]
struct Known<F> {
    own: F,
    /// The number of the policies that apply to its unit, and of its signature.
    routes: u32,
    signature: u32,
}

/// Without places, which the first run adds.
impl<F> Default for KnownRuns<F> {
    fn default() -> Self {
        Self { hasher: DefaultHashBuilder::default(), places: Vec::new() }
    }
}

impl<F: RecordFields> KnownRuns<F> {
    /// The signature of a run of a unit to which the policies of a number apply; from `find` if it is not known.
    #[inline]
    pub(super) fn signature(
        &mut self,
        own: &F,
        routes: u32,
        find: impl FnOnce() -> Option<u32>,
    ) -> Option<u32> {
        let hash = own.hash_fields(&self.hasher)?;
        if self.places.is_empty() {
            self.places.resize_with(PLACES, || Place { hash: 0, known: None });
        }
        // A place holds the last run with such a hash; others are found anew.
        let place = usize::try_from(hash).unwrap_or_default() % PLACES;
        let Place { hash: last, known } = &mut self.places[place];
        if *last != hash {
            // A run that comes once, such as by a number in its message, is not worth a copy.
            *last = hash;
            return find();
        }
        if let Some(known) = known
            && known.routes == routes
            // Equal hashes are not enough: a wrong signature would be a wrong decision.
            && known.own == *own
        {
            return Some(known.signature);
        }
        let signature = find()?;
        *known = Some(Known { own: own.clone(), routes, signature });
        Some(signature)
    }
}
