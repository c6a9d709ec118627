//! Writes the seeds of every target to `corpus/<target>/`, where `cargo fuzz run <target>` looks for them.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

fn main() -> std::io::Result<()> {
    for target in calibor_fuzz::TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
        fs::create_dir_all(&folder)?;
        let seeds = (target.seeds)();
        for seed in &seeds {
            // A name by content, as libFuzzer's own, so that writing again adds nothing.
            let mut hasher = DefaultHasher::new();
            seed.hash(&mut hasher);
            let name = hasher.finish();
            // The first two bytes of an input choose the question.
            let choice = &name.to_be_bytes()[..2];
            fs::write(folder.join(format!("seed-{name:016x}")), [choice, seed].concat())?;
        }
        println!("{}: {} seeds", target.name, seeds.len());
    }
    Ok(())
}
