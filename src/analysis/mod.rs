//! What is found in policies themselves, of every system.
#![cfg_attr(not(feature = "internals"), allow(dead_code, reason = "called by `lint`"))]

pub mod suppression;
