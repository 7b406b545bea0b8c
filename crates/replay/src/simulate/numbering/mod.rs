//! Numbers of names and codes in figures that leave the process: numbers depend on the order in which threads find names,
//! so that figures are written and read by other ones. Types of figures use this module; `partial` has the names.

mod codes;

pub(super) use codes::{read_code, read_codes};

use std::cell::Cell;

/// The error of a number that no name has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumberError;

/// The new number of each old one, and whether it was looked up.
#[derive(Debug, Clone, Default)]
pub struct NewNumbers(Vec<(u32, Cell<bool>)>);

impl FromIterator<u32> for NewNumbers {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        Self(numbers.into_iter().map(|number| (number, Cell::new(false))).collect())
    }
}

/// New numbers of the names that figures count by.
#[derive(Debug, Clone, Default)]
pub struct Numbers {
    pub(super) queues: NewNumbers,
    pub(super) categories: NewNumbers,
    /// None if there are too many nodes: their counts are dropped.
    pub(super) nodes: Option<NewNumbers>,
    pub(super) groups: NewNumbers,
    pub(super) kinds: NewNumbers,
}

impl NewNumbers {
    /// The new number of an old one.
    pub(super) fn of(&self, old: u32) -> Result<u32, NumberError> {
        let (new, is_used) = self.0.get(old as usize).ok_or(NumberError)?;
        is_used.set(true);
        Ok(*new)
    }

    /// Marks all numbers as looked up.
    pub(super) fn use_all(&self) {
        self.0.iter().for_each(|(_, is_used)| is_used.set(true));
    }

    /// The items whose numbers were looked up, each once and in their order; and their numbers there.
    pub(super) fn sorted<T: Ord + Clone>(&self, items: &[T]) -> (Vec<T>, Self) {
        let used = items.iter().zip(&self.0).filter(|(_, (_, is_used))| is_used.get());
        let mut list: Vec<T> = used.map(|(item, _)| item.clone()).collect();
        list.sort_unstable();
        list.dedup();
        let number = |item: &T| list.binary_search(item).ok().and_then(|at| u32::try_from(at).ok());
        // A number that no figure uses has none in the list.
        let numbers = items.iter().map(|item| number(item).unwrap_or(u32::MAX)).collect();
        (list, numbers)
    }

    /// A list by the new numbers. The items of two old numbers that have the same new one are added.
    pub(super) fn list<T: Default + Clone + PartialEq>(
        &self,
        old: Vec<T>,
        add: impl Fn(&mut T, T),
    ) -> Result<Vec<T>, NumberError> {
        let (mut list, none) = (Vec::new(), T::default());
        for (number, item) in (0..).zip(old) {
            // Items that count nothing would make the list longer, and its bytes depend on the old numbers.
            if item != none {
                let number = self.of(number)? as usize;
                if list.len() <= number {
                    list.resize(number + 1, T::default());
                }
                add(&mut list[number], item);
            }
        }
        Ok(list)
    }
}

impl Numbers {
    pub(super) fn list_of_nodes<T: Default + Clone + PartialEq>(
        &self,
        old: Vec<T>,
        add: impl Fn(&mut T, T),
    ) -> Result<Vec<T>, NumberError> {
        self.nodes.as_ref().map_or(Ok(Vec::new()), |nodes| nodes.list(old, add))
    }
}
