#!/usr/bin/env python3
"""Every mutant of a file in one binary, behind a switch: hundreds of builds become one.

    python3 -m venv target/mutants/venv && target/mutants/venv/bin/pip install tree-sitter tree-sitter-rust
    target/mutants/venv/bin/python tests/mutants.py src/head.rs src/float/ladder.rs

`cargo mutants --list` says what to change. Each change is written beside the original, in a copy of the crate, and the
environment variable MUTANT chooses one when the tests run. What does not compile is found by `cargo check` and left
out as unviable. One run of each test alone records which mutants it reaches and how long it takes, so that a mutant is
held only against tests that can notice it, the quick ones first. A test that fails or takes longer than five times its
time and six seconds more has caught the mutant.

Constant evaluation cannot read the environment: there the switch is off (`const_eval_select`). So what survives is
built once more by itself, changed everywhere, and held against the same tests: all of those that reach the mutant, or
all there are if none does. `--only REGEX` limits the mutants, `--again` runs those that were missed in the last run.
The figures go to target/mutants/results.json, or results-float.json, and to the terminal.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

import tree_sitter
import tree_sitter_rust

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACE = ROOT / "target/mutants"
FEATURES = "edn,nfc,half,bytemuck,arith,arbitrary"
PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))
# Tests that measure time, or read the source of the crate, notice the switch itself.
NOT_FAIR = re.compile(r"hostile|^rooms|million|hundred_thousand|a_large_file|real_files|allocat")

SWITCH = """
#[doc(hidden)]
#[allow(warnings)]
pub mod mutant_switch {
    use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
    extern crate std;
    static ACTIVE: AtomicU32 = AtomicU32::new(u32::MAX);
    static SEEN: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];
    const COUNT: usize = @COUNT@;
    const TRACE: u32 = u32::MAX - 1;

    // Before main, so that no test sees the allocations.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static AT_START: extern "C" fn() = start;
    extern "C" fn start() {
        let active = match std::env::var("MUTANT").as_deref() {
            Ok("trace") => TRACE,
            Ok(number) => number.parse().unwrap(),
            Err(_) => 0,
        };
        ACTIVE.store(active, Relaxed);
    }

    #[inline(always)]
    pub const fn on(number: u32) -> bool {
        core::intrinsics::const_eval_select((number,), never, at_run_time)
    }
    const fn never(_: u32) -> bool {
        false
    }
    #[inline(always)]
    fn at_run_time(number: u32) -> bool {
        let active = ACTIVE.load(Relaxed);
        active == number || (active >= TRACE && trace(number))
    }
    #[cold]
    #[inline(never)]
    fn trace(number: u32) -> bool {
        use std::io::Write;
        if ACTIVE.load(Relaxed) == u32::MAX {
            start();
            return ACTIVE.load(Relaxed) == number;
        }
        if !SEEN[number as usize].swap(true, Relaxed) {
            let path = std::env::var_os("MUTANT_TRACE").unwrap();
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
            std::writeln!(file, "{number}").unwrap();
        }
        false
    }
}
"""


def run(command, **more):
    return subprocess.run(["nice", "-n", "6", *command], **more)


def library(files):
    """The crate's root: floats need nothing of the rest, and are built by themselves in a few seconds."""
    text = (ROOT / "src/lib.rs").read_text().replace('#![cfg_attr(not(feature = "simd"), forbid(unsafe_code))]', "")
    if all(file.startswith("src/float") for file in files):
        text = '#![no_std]\nextern crate alloc;\n#[cfg(feature = "std")]\nextern crate std;\npub mod float;\n'
    return text


def copy(to, rooms=()):
    """The crate without what is built, and with the tests of some rooms, or of all."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", ".", ":!fuzz"], cwd=ROOT, check=True,
                           stdout=subprocess.PIPE, text=True).stdout.splitlines()
    for old in [path for part in ("src", "tests") for path in (to / part).rglob("*") if path.is_file()]:
        if str(old.relative_to(to)) not in (*names, "tests/it/part.rs"):
            old.unlink()
    for name in (name for name in names if (ROOT / name).is_file()):
        text = (ROOT / name).read_bytes()
        if name == "src/lib.rs":
            continue
        if name == "Cargo.toml":
            manifest = text.decode()
        elif not (to / name).exists() or (to / name).read_bytes() != text:
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            (to / name).write_bytes(text)
    main = (to / "tests/it/main.rs").read_text()
    if rooms:
        main = re.sub(r"(?m)^mod (\w+);\n", lambda m: m[0] if m[1] in rooms else "", main)
    put(to / "tests/it/part.rs", main)
    manifest = manifest.replace('name = "it"\npath = "tests/it/main.rs"', 'name = "it"\npath = "tests/it/part.rs"')
    # All copies share a target directory, and must not be taken for each other.
    manifest = re.sub(r'(?m)^version = "(.*)"', rf'version = "\1-{to.name}"', manifest, count=1)
    profile = "opt-level = 1\ndebug = false\nincremental = true\n"
    manifest = re.sub(r"(?ms)^\[profile\.dev\]\n.*?\n\n", f"[profile.dev]\n{profile}\n", manifest)
    put(to / "Cargo.toml", manifest)


def put(path, text):
    """What is the same is not touched, so that cargo does not build it again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


class Mutant:
    def __init__(self, number, entry):
        self.number = number
        self.name = entry["name"]
        self.file = entry["file"]
        self.genre = entry["genre"]
        self.replacement = entry["replacement"]
        self.span = entry["span"]
        self.opaque = "impl " in (entry["function"] or {}).get("return_type", "")
        self.verdict = None
        self.by = None


def listed(files):
    """What cargo-mutants would change. It passes over every `fn new`, which is a fault here: `Rung::new` is a table."""
    place = PLACE / "list"
    copy(place)
    put(place / "src/lib.rs", library([""]))
    for file in files:
        source = (place / file).read_text()
        (place / file).write_text(re.sub(r"\bfn new\b", "fn neu", source))
    found = []
    for file in files:
        out = run(["cargo", "mutants", "--list", "--json", "--file", file, "--config", "/dev/null"], cwd=place, check=True, stdout=subprocess.PIPE)
        found += json.loads(out.stdout)
    return [Mutant(number + 1, entry) for number, entry in enumerate(found)]


class File:
    """One source file, and its mutants by where they begin."""

    def __init__(self, file, mutants):
        self.source = (ROOT / file).read_bytes()
        self.lines = [0]
        for line in self.source.split(b"\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)
        self.tree = PARSER.parse(self.source)
        self.by_genre = collections.defaultdict(list)
        self.used = set()
        for mutant in mutants:
            mutant.start, mutant.end = self.offset(mutant.span["start"]), self.offset(mutant.span["end"])
            self.by_genre[mutant.genre, mutant.start].append(mutant)

    def offset(self, position):
        start = self.lines[position["line"] - 1]
        line = self.source[start:].split(b"\n", 1)[0].decode()
        return start + len(line[: position["column"] - 1].encode())

    def plain(self, start, end):
        return self.source[start:end]

    def changed(self, mutant, start, end):
        """The text from start to end with the mutant in it."""
        return self.plain(start, mutant.start) + b" " + mutant.replacement.encode() + b" " + self.plain(mutant.end, end)

    def take(self, genre, start, dropped):
        here = [m for m in self.by_genre[genre, start] if m.number not in dropped]
        self.used.update(m.number for m in here)
        return here

    def choice(self, site, variants, original):
        text = b"".join(
            b"if crate::mutant_switch::on(%d) { /*<%d*/ %s /*%d>*/ } else " % (m.number, m.number, variant, m.number)
            for m, variant in variants)
        return b"/*[%d*/(" % site + text + b"{ " + original + b" })/*%d]*/" % site

    def render(self, dropped):
        self.used = set()
        return self.node(self.tree.root_node, dropped)

    def node(self, node, dropped):
        out, at = b"", node.start_byte
        for child in node.children:
            out += self.plain(at, child.start_byte) + self.child(node, child, dropped)
            at = child.end_byte
        out += self.plain(at, node.end_byte)
        if node.type in ("binary_expression", "compound_assignment_expr"):
            genre, token = "BinaryOperator", node.child_by_field_name("operator")
        elif node.type == "unary_expression":
            genre, token = "UnaryOperator", node.children[0]
        else:
            return self.statements(node, out, dropped)
        here = self.take(genre, token.start_byte, dropped)
        if not here:
            return out
        variants = [(m, b"(" + self.changed(m, node.start_byte, node.end_byte) + b")") for m in here]
        return self.choice(here[0].number, variants, b"(" + out + b")")

    def child(self, parent, child, dropped):
        if parent.type == "match_arm" and child.type == "match_pattern":
            return self.pattern(parent, child, dropped)
        if parent.type == "match_pattern" and parent.child_by_field_name("condition") == child:
            here = self.take("MatchArmGuard", child.start_byte, dropped)
            text = self.node(child, dropped)
            if here:
                return self.choice(here[0].number, [(m, m.replacement.encode()) for m in here], text)
            return text
        text = self.node(child, dropped)
        # The value a function is replaced by comes before its first statement.
        early = self.take("FnValue", child.start_byte, dropped) if parent.type == "block" else []
        for m in reversed(early):
            text = b"/*[%d*/if crate::mutant_switch::on(%d) { /*<%d*/ return %s; /*%d>*/ }/*%d]*/ " % (
                m.number, m.number, m.number, m.replacement.encode(), m.number, m.number) + text
        return text

    def pattern(self, arm, pattern, dropped):
        text = self.node(pattern, dropped)
        here = self.take("MatchArm", arm.start_byte, dropped)
        if not here:
            return text
        number = here[0].number
        condition = pattern.child_by_field_name("condition")
        off = b" if /*[%d*//*<%d*/!crate::mutant_switch::on(%d)/*%d>*//*%d]*/" % ((number,) * 5)
        if condition is None:
            return text + off
        at = pattern.children[[c.type for c in pattern.children].index("if")]
        head = self.plain(pattern.start_byte, at.start_byte)
        return head + off + b" && (" + self.child(pattern, condition, dropped) + b")"

    def statements(self, node, out, dropped):
        if node.type != "struct_expression":
            return out
        here = [m for (genre, start), ms in self.by_genre.items() if genre == "StructField"
                and node.start_byte <= start < node.end_byte for m in ms if m.number not in dropped]
        variants = []
        for m in here:
            # Its comma goes with it; the innermost expression has it.
            inner = [c for c in node.child_by_field_name("body").children if c.start_byte == m.start]
            if inner:
                self.used.add(m.number)
                rest = self.plain(m.end, node.end_byte).lstrip()
                variants.append((m, self.plain(node.start_byte, m.start) + rest.removeprefix(b",")))
        return self.choice(variants[0][0].number, variants, out) if variants else out


def write_tree(place, mutants, dropped):
    by_file = collections.defaultdict(list)
    for mutant in mutants:
        by_file[mutant.file].append(mutant)
    used = set()
    for name, ours in by_file.items():
        file = File(name, ours)
        text = file.render(dropped)
        used |= file.used
        if not (place / name).exists() or (place / name).read_bytes() != text:
            (place / name).write_bytes(text)
    lib = library(by_file)
    lib = lib.replace("#![no_std]", "#![no_std]\n#![feature(core_intrinsics, const_eval_select)]\n#![allow(internal_features)]")
    put(place / "src/lib.rs", lib + SWITCH.replace("@COUNT@", str(len(mutants) + 1)))
    return used


MARK = re.compile(rb"/\*(?:(<|\[)(\d+)|(\d+)(>|\]))\*/")


def enclosing(text, at):
    """The innermost mutant, and the innermost site, that stand around a place."""
    variants, sites = [], []
    for mark in MARK.finditer(text):
        if mark.start() >= at:
            break
        if mark[1]:
            (variants if mark[1] == b"<" else sites).append(int(mark[2]))
        else:
            (variants if mark[4] == b">" else sites).pop()
    return (variants[-1] if variants else None), (sites[-1] if sites else None)


def arms(text, at):
    """The mutants that delete an arm of the match whose value stands here."""
    node = PARSER.parse(text).root_node.descendant_for_byte_range(at, at + 1)
    while node.type != "match_expression":
        node = node.parent
    patterns = [arm.child_by_field_name("pattern") for arm in node.child_by_field_name("body").children if arm.type == "match_arm"]
    return [int(n) for pattern in patterns for n in re.findall(rb"!crate::mutant_switch::on\((\d+)\)", pattern.text)]


def cargo(place, command, timeout=None):
    env = dict(os.environ, RUSTC_BOOTSTRAP="calibor", CARGO_TARGET_DIR=str(PLACE / "target"), RUSTFLAGS="--cap-lints=allow")
    child = subprocess.Popen(["nice", "-n", "6", "cargo", *command, "--features", FEATURES, "--message-format=json"],
                             cwd=place, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        out, _ = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        # The compiler too, which evaluates a constant that never ends.
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        raise
    return subprocess.CompletedProcess(command, child.returncode, out)


def errors(out):
    for line in out.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-message" and message["message"]["level"] == "error":
            yield message["message"]


def make_viable(place, mutants):
    """Leaves out what does not compile, until the rest does: the binary, what is unviable, and what only a build alone can tell."""
    dropped = {}
    alone = {m.number: "impl Trait" for m in mutants if m.opaque}
    by_number = {m.number: m for m in mutants}
    while True:
        used = write_tree(place, mutants, dropped.keys() | alone.keys())
        out = cargo(place, ["check", "--lib"])
        if out.returncode == 0:
            break
        before = len(dropped) + len(alone)
        texts = {}
        for message in errors(out.stdout):
            code = (message["code"] or {}).get("code", "")
            for span in message["spans"]:
                if not span["is_primary"] or not (place / span["file_name"]).exists():
                    continue
                text = texts.setdefault(span["file_name"], (place / span["file_name"]).read_bytes())
                variant, site = enclosing(text, span["byte_start"])
                if code == "E0004":
                    # An arm that may be off no longer counts; without it the match would not be exhaustive.
                    dropped.update((number, f"{code} {message['message']}") for number in arms(text, span["byte_start"]))
                    continue
                if variant and code not in ("E0282", "E0283", "E0689", "E0381", "E0382"):
                    dropped[variant] = f"{code} {message['message']}"
                elif variant or site:
                    file = by_number[variant or site].file
                    first = by_number[site or variant]
                    same = [m for m in mutants if m.file == file and m.genre == first.genre and m.start == first.start]
                    alone.update((m.number, f"{code} {message['message']}") for m in same)
        print(f"  {len(dropped)} unviable, {len(alone)} alone", flush=True)
        if len(dropped) + len(alone) == before:
            sys.exit("does not compile:\n" + "\n".join(m["rendered"] for m in errors(out.stdout))[:5000])
    for m in mutants:
        if m.number not in used and m.number not in dropped:
            alone.setdefault(m.number, "no place found")
    return dropped, alone


def build(place, timeout=None):
    out = cargo(place, ["test", "--no-run", "--lib", "--test", "it"], timeout)
    if out.returncode != 0:
        return None, "\n".join(m["rendered"] for m in errors(out.stdout))
    found = []
    for line in out.stdout.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message.get("executable") and message["profile"]["test"]:
            found.append(str(shutil.copy(message["executable"], place / f"tests-{len(found)}")))
    return found, None


def limits():
    import resource

    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def test(binary, place, names, mutant, timeout, **env):
    """True if all pass, False if one fails, None if they take too long."""
    # What is unwound and printed a thousand times should cost nothing.
    env = dict(os.environ, MUTANT=str(mutant), RUST_BACKTRACE="0", PROPTEST_FAILURE_PERSISTENCE="off",
               CARGO_MANIFEST_DIR=str(place), **env)
    command = ["nice", "-n", "6", binary, "--exact", "--test-threads=2", "-Zunstable-options", "--fail-fast", *names]
    env["RUSTC_BOOTSTRAP"] = "1"
    child = subprocess.Popen(command, cwd=place, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limits)
    try:
        return child.wait(timeout=timeout) == 0
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return None


Test = collections.namedtuple("Test", "binary name seconds")


def trace(place, binaries):
    """Each test alone: how long it takes, and which mutants it reaches."""
    reached, tests = collections.defaultdict(list), []
    record = place / "trace"
    for index, binary in enumerate(binaries):
        names = subprocess.run([binary, "--list", "--format=terse"], cwd=place, check=True, stdout=subprocess.PIPE, text=True).stdout
        for name in (line.removesuffix(": test") for line in names.splitlines() if line.endswith(": test")):
            if NOT_FAIR.search(name):
                continue
            record.unlink(missing_ok=True)
            start = time.time()
            fine = test(binary, place, [name], "trace", 300, MUTANT_TRACE=str(record))
            one = Test(index, name, time.time() - start)
            if not fine:
                print(f"  {name} fails without a mutant, and is left out")
                continue
            tests.append(one)
            for number in record.read_text().split() if record.exists() else []:
                reached[int(number)].append(one)
    return reached, tests


def hold(binaries, place, tests, mutant, switch):
    """Holds one mutant against tests, the quick ones first."""
    tests = sorted(tests, key=lambda one: one.seconds)
    batches, batch, limit = [], [], 0.3
    for one in tests:
        batch.append(one)
        if sum(t.seconds for t in batch) > limit:
            batches.append(batch)
            batch, limit = [], limit * 4
    batches += [batch] if batch else []
    for batch in batches:
        for index, binary in enumerate(binaries):
            names = [one.name for one in batch if one.binary == index]
            if not names:
                continue
            seconds = sum(one.seconds for one in batch)
            fine = test(binary, place, names, switch, 6 + 5 * seconds)
            if not fine:
                mutant.verdict, mutant.by = ("caught" if fine is False else "timeout"), batch[0].name
                return
    mutant.verdict, mutant.by = "missed", f"{len(tests)} tests"


def alone(place, mutants, mutant, reached, tests, why):
    """Builds one mutant by itself, changed for constant evaluation too."""
    for name in {m.file for m in mutants}:
        text = (ROOT / name).read_bytes()
        if name == mutant.file:
            file = File(name, [mutant])
            end = mutant.end
            if mutant.genre == "StructField" and file.source[end:].lstrip().startswith(b","):
                end = file.source.index(b",", end) + 1
            text = file.plain(0, mutant.start) + mutant.replacement.encode() + file.plain(end, len(text))
        if (place / name).read_bytes() != text:
            (place / name).write_bytes(text)
    try:
        binaries, error = build(place, 300)
    except subprocess.TimeoutExpired:
        mutant.verdict = "timeout"
        return
    if binaries is None:
        mutant.verdict, mutant.by = "unviable", error[:300]
        return
    hold(binaries, place, reached.get(mutant.number) or tests, mutant, 0)
    mutant.by = f"alone ({why})"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("files", nargs="+")
    arguments.add_argument("--only", default="")
    arguments.add_argument("--again", action="store_true")
    arguments.add_argument("--quick", action="store_true", help="no builds of single mutants")
    arguments.add_argument("--unreached", action="store_true", help="builds of single mutants only where no test reaches them when it runs")
    arguments.add_argument("--tests", default="", help="modules of tests/it with what they need, all by default")
    options = arguments.parse_args()
    if not options.tests and all(file.startswith("src/float") for file in options.files):
        options.tests = "float"
    rooms = [room for room in options.tests.split(",") if room]
    results = PLACE / f"results{'-float' if all(f.startswith('src/float') for f in options.files) else ''}.json"
    known = json.loads(results.read_text()) if results.exists() else {}

    mutants = listed(options.files)
    chosen = [m for m in mutants if re.search(options.only, m.name)
              and (not options.again or known.get(m.name, ["new"])[0] in ("missed", "new", "alone"))]
    place = PLACE / options.tests.replace(",", "-") if options.tests else PLACE / "all"
    single = place.with_name(place.name + "-single")
    copy(place, rooms)
    print(f"{len(mutants)} mutants, {len(chosen)} to run", flush=True)
    unviable, by_themselves = make_viable(place, mutants)
    start = time.time()
    binaries, error = build(place)
    if binaries is None:
        sys.exit(error)
    print(f"built in {time.time() - start:.0f} s", *binaries, flush=True)
    if not chosen:
        return
    reached, tests = trace(place, binaries)
    (place / "reached.json").write_text(json.dumps({m.name: [t.name for t in reached[m.number]] for m in mutants if m.number in reached}))
    print(f"{len(tests)} tests, {sum(t.seconds for t in tests):.0f} s one by one; {len(reached)} mutants reached", flush=True)

    def note(mutant):
        known[mutant.name] = [mutant.verdict, mutant.by]
        results.write_text(json.dumps(known, indent=0))

    again = []
    start = time.time()
    for count, mutant in enumerate(chosen):
        if mutant.number in unviable:
            mutant.verdict, mutant.by = "unviable", unviable[mutant.number]
        elif mutant.number in by_themselves:
            mutant.verdict = "alone"
            again.append((mutant, by_themselves[mutant.number]))
        elif mutant.number not in reached:
            mutant.verdict, mutant.by = "missed", "not reached"
            again.append((mutant, "not reached when tests run"))
        else:
            hold(binaries, place, reached[mutant.number], mutant, mutant.number)
            if mutant.verdict == "missed":
                if not options.unreached:
                    again.append((mutant, "missed when tests run"))
        note(mutant)
        if count % 50 == 49:
            print(f"  {count + 1} in {time.time() - start:.0f} s, {len(again)} left", flush=True)
    if not options.quick:
        copy(single, rooms)
        put(single / "src/lib.rs", library(options.files))
        for mutant, why in again:
            start = time.time()
            alone(single, mutants, mutant, reached, tests, why)
            note(mutant)
            print(f"  {mutant.verdict} {time.time() - start:.0f} s {mutant.name} {mutant.by or ''}", flush=True)
    for file in options.files:
        ours = [known[m.name][0] for m in mutants if m.file == file and m.name in known]
        print(file, len(ours), dict(collections.Counter(ours)))
    for m in chosen:
        if known[m.name][0] in ("missed", "alone"):
            print(*known[m.name], m.name)


main()
