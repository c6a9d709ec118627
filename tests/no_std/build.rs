//! Without `main` there is none of the startup of C, and nothing to link it with.

fn main() {
    for argument in ["-nostartfiles", "-static", "-no-pie"] {
        println!("cargo::rustc-link-arg-bins={argument}");
    }
}
