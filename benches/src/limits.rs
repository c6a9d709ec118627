//! What the work cannot be done without, in safe code: the floor below every codec.

use crate::data::Log;
use calibor::float::narrowest;
use serde::Serialize;

/// An array of unsigned integers: one reservation, one store of nine bytes for each.
pub fn write_heads(values: &[u64]) -> Vec<u8> {
    let mut out = vec![0; values.len() * 9 + 9];
    let mut at = 0;
    for &value in std::iter::once(&(values.len() as u64)).chain(values) {
        // Bytes of the argument, and the additional information that says so.
        let (width, info): (u32, u8) = match value {
            0..24 => (0, value as u8),
            24..0x100 => (1, 24),
            0x100..0x1_0000 => (2, 25),
            0x1_0000..0x1_0000_0000 => (4, 26),
            _ => (8, 27),
        };
        let aligned = value.checked_shl(64 - 8 * width).unwrap_or(0);
        out[at] = info;
        out[at + 1..at + 9].copy_from_slice(&aligned.to_be_bytes());
        at += 1 + width as usize;
    }
    out.truncate(at);
    out
}

/// An array of floats, each in its shortest form.
pub fn write_floats(values: &[f64]) -> Vec<u8> {
    let mut out = vec![0; values.len() * 9 + 9];
    let mut at = 9;
    for value in values {
        let (width, bits) = narrowest(value.to_bits());
        let len = 1usize << width;
        let aligned = bits << (64 - 8 * len);
        out[at] = 0xf8 + width as u8;
        out[at + 1..at + 9].copy_from_slice(&aligned.to_be_bytes());
        at += 1 + len;
    }
    out.truncate(at);
    out
}

/// UTF-8 validation of each string, and nothing else.
pub fn validate_each(strings: &[String]) {
    for string in strings {
        assert!(std::str::from_utf8(string.as_bytes()).is_ok());
    }
}

/// The log as some encoders write it: indefinite array and maps, fields in the order of the struct.
pub fn indefinite(log: &[Log]) -> Vec<u8> {
    fn field(out: &mut Vec<u8>, name: &str, value: &impl Serialize) {
        out.extend(calibor::to_vec(name).expect("text can be encoded"));
        out.extend(calibor::to_vec(value).expect("fields can be encoded"));
    }
    let mut out = vec![0x9f];
    for record in log {
        out.push(0xbf);
        field(&mut out, "address", &record.address);
        field(&mut out, "identity", &record.identity);
        field(&mut out, "userid", &record.userid);
        field(&mut out, "date", &record.date);
        field(&mut out, "request", &record.request);
        field(&mut out, "code", &record.code);
        field(&mut out, "size", &record.size);
        field(&mut out, "referer", &record.referer);
        field(&mut out, "duration", &record.duration);
        out.push(0xff);
    }
    out.push(0xff);
    out
}
