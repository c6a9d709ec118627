#!/usr/bin/env bash
# Builds the library and the tool with the oldest versions of their dependencies that Cargo.toml allows, in a copy below
# target/: a bound that lies fails here. Needs a nightly compiler, for the resolver only. What only the tests depend on is
# left out, since nobody who uses the crate has it.
set -eu
cd "$(dirname "$0")/.."
copy=target/minimal-versions
rm -rf "$copy"
mkdir -p "$copy"
cp -r src README.md docs "$copy"
# Up to the next table; and without the targets whose files are not there.
sed -e '/^\[dev-dependencies\]/,/^\[lints/{/^\[lints/!d}' -e '/^\[\[test\]\]/,/^$/d' -e '/^\[\[example\]\]/,/^$/d' \
    Cargo.toml >"$copy/Cargo.toml"
cd "$copy"
cargo +nightly update --quiet -Zdirect-minimal-versions
cargo tree --depth 1 --all-features --edges normal
CARGO_TARGET_DIR=build cargo build --all-features
printf '{1: 1.5, "a": [true]}' | build/debug/calibor canon --in edn --out hex
