//! Everything that is public inside the crate, for its own tests, benches, fuzz targets and tools.
//!
//! The feature `internals` adds it; it is no part of the API and changes without notice.

/// Re-exports the public items of each folder under the folder's name.
macro_rules! folders {
    ($($folder:ident)*) => {
        $(
            #[expect(missing_docs, reason = "the folder documents itself")]
            pub mod $folder {
                pub use crate::$folder::*;
            }
        )*
    };
}

folders! {
    analysis cli commands findings input project report ui
}
