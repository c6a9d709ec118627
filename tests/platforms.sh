#!/usr/bin/env bash
# The tests of the codec and of the floats on a big-endian machine (s390x) and a 32-bit one (i686), under emulation, with
# the oldest compiler that Cargo.toml promises: `tests/platforms.sh [s390x|i686...]`. And the lines of the crate that its
# tests and examples reach on this machine, by the same compiler: `tests/platforms.sh coverage`.
#
# For Debian 12. The compiler is Debian's rustc-web (1.85, LLVM 19), unpacked below target/ and not installed, so that it
# takes nobody's place. As root, once:
#
#   dpkg --add-architecture s390x; dpkg --add-architecture i386; apt-get update
#   apt-get install libllvm19 llvm-19 qemu-user gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-i686-linux-gnu libc6-dev-i386-cross
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- s390x i686

place=$PWD/target/platforms
if [ ! -x "$place/usr/bin/rustc" ]; then
    mkdir -p "$place/debs"
    (cd "$place/debs" && apt-get download libstd-rust-web-1.85 {rustc-web,libstd-rust-web-dev{,:s390x,:i386}}='1.85.*')
    for package in "$place"/debs/*.deb; do
        dpkg -x "$package" "$place"
    done
fi
export RUSTC=$place/usr/bin/rustc RUSTDOC=$place/usr/bin/rustdoc
export LD_LIBRARY_PATH=$place/usr/lib/x86_64-linux-gnu
export CARGO_TARGET_DIR=$place/target
export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER=s390x-linux-gnu-gcc
export CARGO_TARGET_I686_UNKNOWN_LINUX_GNU_LINKER=i686-linux-gnu-gcc
"$RUSTC" --version

features=edn,nfc,half,bytemuck,arbitrary,arith,safetensors,simd

# The tests as a binary. Cargo says which one it made.
binary() {
    cargo test --quiet --features "$features" --test it --no-run --message-format json "$@" |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1
}

# Everything that runs lines of the crate: unit tests, `it`, the tool under its own tests, and the examples in the docs.
coverage() {
    local at=$place/coverage
    export CARGO_TARGET_DIR=$at RUSTFLAGS=-Cinstrument-coverage LLVM_PROFILE_FILE=$at/profiles/%m.profraw
    # Examples are kept as binaries by an unstable option of rustdoc.
    export RUSTC_BOOTSTRAP=1
    export RUSTDOCFLAGS="-Cinstrument-coverage -Zunstable-options --persist-doctests $at/examples"
    local tests=(cargo test --quiet --features "$features,cli")
    "${tests[@]}" --lib --test it --test cli --no-run
    rm -rf "$at/profiles" "$at/examples"
    "${tests[@]}" --lib --test it --test cli
    "${tests[@]}" --doc
    # The loops over slices once more, on a processor without the instructions that feature `simd` looks for.
    qemu-x86_64 -cpu Nehalem "$("${tests[@]}" --test it --no-run --message-format json |
        sed -n 's/.*"executable":"\([^"]*\/it-[^"]*\)".*/\1/p')" --quiet float::bulk
    llvm-profdata-19 merge "$at"/profiles/*.profraw -o "$at/all.profdata"
    # One binary after the other, since the crate is compiled in several ways; a line that one of them reached is reached.
    local binary
    for binary in $("${tests[@]}" --lib --test it --test cli --no-run --message-format json |
        sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | sort -u) $(find "$at/examples" -type f -perm -u+x); do
        llvm-cov-19 export -format=lcov -instr-profile "$at/all.profdata" "$binary" 2>/dev/null
    done | awk -F '[:,]' -v root="$PWD/" -v gaps="$at/gaps" '
        /^SF:/ { file = substr($0, 4); ours = index(file, root "src/") == 1 && file !~ "/src/bin/"; sub(root, "", file) }
        ours && /^DA:/ { line = file ":" $2; lines[line] = file; if ($3 > 0) reached[line] = 1 }
        END {
            printf "" >gaps
            for (line in lines) {
                of[lines[line]]++; total++
                if (line in reached) { hit[lines[line]]++; hits++ } else { print line | "sort -V >>" gaps }
            }
            for (file in of) { printf "%6.2f %5d of %5d  %s\n", 100 * hit[file] / of[file], hit[file], of[file], file | "sort -n" }
            close("sort -n")
            printf "%6.2f %% of %d lines; the others stand in %s\n", 100 * hits / total, total, gaps
        }'
}

for target; do
    case $target in
    s390x) qemu=qemu-s390x root=/usr/s390x-linux-gnu ;;
    i686) qemu=qemu-i386 root=/usr/i686-linux-gnu ;;
    coverage)
        coverage
        continue
        ;;
    *)
        echo "usage: tests/platforms.sh [s390x|i686|coverage...]" >&2
        exit 2
        ;;
    esac
    it=$(binary --target "$target-unknown-linux-gnu")
    # Not the one that compares times, which an emulator has its own of.
    env -u LD_LIBRARY_PATH "$qemu" -L "$root" "$it" --skip time_grows_with_the_input
done
