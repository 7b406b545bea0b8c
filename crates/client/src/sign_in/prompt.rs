//! The request to a person.

/// The part of a sign-in that only a person can do.
#[derive(Debug, Clone, Copy)]
pub enum Prompt<'a> {
    /// To open an address in a browser on this machine.
    Browser {
        /// The address.
        address: &'a str,
    },
    /// To open an address in a browser on any machine, and to enter a code there.
    Device {
        /// The address.
        address: &'a str,
        /// The code.
        code: &'a str,
        /// The address with the code in it, if the provider has one.
        complete: Option<&'a str>,
    },
}
