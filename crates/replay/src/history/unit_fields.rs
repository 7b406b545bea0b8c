//! The fields of a unit as a whole.

/// Fields of a unit, each of which a record may leave out.
pub trait UnitFields: Sized {
    /// These fields, with those of `other` where these are absent.
    #[must_use]
    fn or(self, other: Self) -> Self;

    /// The fields for which a later record has another value. A field that it leaves out does not differ.
    fn differences(&self, later: &Self) -> Vec<&'static str>;
}

/// The units of systems whose records have no fields of a unit but its queue.
impl UnitFields for () {
    fn or(self, (): Self) -> Self {}

    fn differences(&self, (): &Self) -> Vec<&'static str> {
        Vec::new()
    }
}
