//! The tool, run as people run it: the pages beside this file are its manual, and each example in them is a test.
// A test says what must hold: an unwrap that fails is the failure it reports.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod realworld;
mod streams;
mod support;
mod tensors;

#[test]
fn pages() {
    trycmd::TestCases::new().case("tests/cli/*.md");
}

/// The page of errors has every rule, with the line that `check` prints for it, in the order of the rules.
#[test]
fn every_rule_has_an_example() {
    let page = include_str!("errors.md");
    let mut rest = page;
    for rule in calibor::Rule::ALL {
        let heading = format!("\n## {rule}\n");
        let at =
            rest.find(&heading).unwrap_or_else(|| panic!("errors.md lacks {rule}, or not here"));
        rest = &rest[at + heading.len()..];
        let part = rest.split("\n## ").next().unwrap();
        assert!(part.contains("$ calibor check "), "{rule} has no example");
        assert!(part.contains(&format!(": {rule}: ")), "the example of {rule} shows another rule");
    }
    assert_eq!(rest.matches("\n## ").count(), 1, "errors.md has rules that are none");
}

/// Each command's help has examples, and each of them is a command line that is understood.
#[cfg(unix)]
#[test]
fn every_help_has_examples_that_run() {
    let tool = std::path::Path::new(env!("CARGO_BIN_EXE_calibor"));
    let folder = std::env::temp_dir().join(format!("calibor-help-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let commands = support::text(&["--help"], b"", 0);
    let commands = commands.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = commands
        .lines()
        .filter(|line| !line.starts_with("   "))
        .map(|line| line.split_whitespace().next().unwrap());
    let mut examples = 0;
    for name in names.filter(|&name| name != "help") {
        let help = support::text(&[name, "--help"], b"", 0);
        assert!(help.contains("Examples:\n  "), "{name} --help has no example");
        let lines = help.split("Examples:\n").nth(1).unwrap().lines();
        for line in lines.take_while(|line| line.starts_with("  ")) {
            // Up to what explains it, and without the files that are not there.
            let line = line.trim().split("   ").next().unwrap();
            let ends = [" | ", " < ", " > "].map(|mark| line.find(mark).unwrap_or(line.len()));
            let line = &line[..ends.into_iter().min().unwrap()];
            let run = std::process::Command::new("/bin/sh")
                .args(["-c", line])
                .current_dir(&folder)
                .env("PATH", tool.parent().unwrap())
                .env("HOME", &folder)
                .stdin(std::process::Stdio::null())
                .output()
                .unwrap();
            let told = String::from_utf8_lossy(&run.stderr);
            let pasted = line.starts_with("pbpaste");
            assert!(pasted || !matches!(run.status.code(), Some(2 | 127)), "{line}: {told}");
            examples += 1;
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
    assert!(examples > 30, "{examples}");
}

/// Every shell gets its completions, and every command its page of the manual.
#[test]
fn completions_and_manual_have_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = support::text(&["completions", shell], b"", 0);
        for word in ["from-json", "--embedded", "--profile"] {
            assert!(script.contains(word.trim_start_matches('-')), "{shell} lacks {word}");
        }
    }
    let folder = std::env::temp_dir().join(format!("calibor-man-{}", std::process::id()));
    assert_eq!(support::text(&["man", "-d", folder.to_str().unwrap()], b"", 0), "");
    for name in ["", "-show", "-check", "-diff", "-get", "-seq", "-from-json"] {
        let page = std::fs::read_to_string(folder.join(format!("calibor{name}.1"))).unwrap();
        assert!(page.contains(".TH calibor"), "{name}");
        assert!(page.contains("Exit status") || page.contains("Examples"), "{name}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
