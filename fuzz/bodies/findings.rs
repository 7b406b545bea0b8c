//! What must hold of the findings about any text.

use armadactl::internals::findings::{Style, human};
use document::diag::{Findings, short};

/// Each finding has a place in its text, and no renderer prints a control character.
pub fn check_findings(found: Findings) {
    let items = found.sorted();
    for item in &items {
        let place = item.place.as_ref().expect("a finding in a text has a place");
        assert!(place.source.text().get(place.span.range()).is_some(), "{item:?}");
        assert!(!item.message.is_empty(), "{item:?}");
    }
    for rendered in [human(&items, Style::Plain, Some(100)), short(&items)] {
        let is_control = |c: char| c.is_control() && c != '\n' && c != '\t';
        assert!(!rendered.contains(is_control), "{rendered:?}");
    }
}
