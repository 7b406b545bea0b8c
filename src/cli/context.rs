//! The context of a command: streams, global flags, and the definition of the command line.

use super::Globals;
use crate::report::Layout;
use crate::ui::Ui;

/// The context that a command gets besides its arguments.
pub struct Context<'a> {
    /// The streams.
    pub ui: &'a mut Ui,
    /// The global flags.
    pub globals: &'a Globals,
    /// Makes the definition of the command line: for help, manual pages and completion scripts.
    pub definition: fn() -> clap::Command,
}

impl Context<'_> {
    /// The layout of a table: that of the terminal and the global flags.
    pub fn layout(&self, wide: bool) -> Layout {
        Layout {
            wide,
            headers: !self.globals.no_headers,
            width: Ui::width(),
            style: self.ui.style(),
        }
    }
}
