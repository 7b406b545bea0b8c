//! The pages of the ids of findings, which `explain` prints.

use document::diag::Code;

macro_rules! pages {
    ($($folder:literal: { $($(#[$doc:meta])* $name:ident = $id:literal, $title:literal;)+ })+) => {
        /// The page of an id, in Markdown.
        pub fn page(code: Code) -> &'static str {
            match code {
                $($(Code::$name => include_str!(concat!("../../docs/", $folder, "/", $id, ".md")),)+)+
            }
        }
    };
}

document::codes!(pages);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_begin_with_their_titles() {
        for code in Code::ALL {
            let heading = format!("# {}: {}\n", code.id(), code.title());
            assert!(page(*code).starts_with(&heading), "{} begins with its title", code.id());
        }
    }
}
