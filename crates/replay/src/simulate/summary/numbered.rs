//! Lists of counts by a number: of a rule, a queue, a node.

/// The count of a number. The list is extended up to it.
pub(in crate::simulate) fn at<T: Default + Clone>(counts: &mut Vec<T>, number: u32) -> &mut T {
    grown(counts, number as usize)
}

/// The same for a number of another type.
pub(super) fn grown<T: Default + Clone>(counts: &mut Vec<T>, number: usize) -> &mut T {
    if counts.len() <= number {
        extend(counts, number);
    }
    &mut counts[number]
}

// Out of line, so that the code of counting stays in the cache.
#[cold]
#[inline(never)]
fn extend<T: Default + Clone>(counts: &mut Vec<T>, number: usize) {
    counts.resize(number + 1, T::default());
}

/// Adds the counts of one list to those of another, number by number.
pub(in crate::simulate) fn add_each<T: Default + Clone>(
    own: &mut Vec<T>,
    other: Vec<T>,
    add: impl Fn(&mut T, T),
) {
    if own.len() < other.len() {
        own.resize(other.len(), T::default());
    }
    for (own, other) in own.iter_mut().zip(other) {
        add(own, other);
    }
}
