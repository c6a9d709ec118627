// A test says what must hold: an unwrap that fails is the failure it reports.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod canonical;
mod hostile;
mod malformed;
mod profiles_differ;
mod realworld;
mod rooms;
mod serde_cases;
mod support;
mod verdicts;
