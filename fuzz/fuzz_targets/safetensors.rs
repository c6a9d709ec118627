#![cfg_attr(fuzzing, no_main)]

calibor_fuzz::main!(safetensors);
