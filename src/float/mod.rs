//! The numeric core.
