//! The content of registered tags.

pub(crate) fn fault(_tag: u64, _rest: &[u8]) -> Option<&'static str> {
    None
}
