//! `calibor float`: a number in every format.

use crate::console::{Console, Fault, HEADING, paint};
use crate::render::json_line;
use calibor::Value;
use calibor::edn;
use calibor::float::{
    BF16, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F16,
    Number, Shortest, SmallFloat, f16_to_f64_bits, f32_to_f64_bits, is_exact_f16, is_exact_f32,
    shortest_bits,
};
use core::fmt::Write as _;
use data_encoding::HEXLOWER;
use serde_json::json;

/// Shows a number in every float format: the ladder, the shortest CBOR, and the ten small formats
///
/// NUMBER is a decimal (`0.1`, `1e-7`, `-inf`, `nan`), which is rounded once for each format; the bits of a
/// binary16, 32 or 64 in hex (`0x3c00`, `0x3dcccccd`); or a CBOR float in hex (`fb3fb999999999999a`).
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The numbers to show
    #[arg(value_name = "NUMBER", required = true, allow_hyphen_values = true)]
    numbers: Vec<String>,

    /// Prints one JSON object for each number
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  calibor float 0.1
  calibor float 0x7e00
  calibor float fb400921fb54442d18";

/// A number as it was given.
enum Given {
    /// Exactly, which may need more than 64 bits.
    Decimal(String),
    /// A float's bits, widened to 64.
    Bits(u64),
}

/// A number in one format.
struct Row {
    name: &'static str,
    bits: String,
    value: String,
    error: Option<f64>,
}

impl Args {
    pub(crate) fn run(&self, console: &mut Console) -> Result<(), Fault> {
        for (index, text) in self.numbers.iter().enumerate() {
            let given = parse(text).ok_or_else(|| {
                Fault::Usage(format!("{text:?} is no number, no bits and no CBOR float"))
            })?;
            let rows = rows(&given);
            if self.json {
                console.line(report(text, &given, &rows)?)?;
                continue;
            }
            if index > 0 {
                console.line("")?;
            }
            print(console, &given, &rows)?;
        }
        Ok(())
    }
}

fn parse(text: &str) -> Option<Given> {
    if let Some(digits) = text.strip_prefix("0x") {
        let bits = u64::from_str_radix(digits, 16).ok()?;
        return Some(Given::Bits(match digits.len() {
            4 => f16_to_f64_bits(u16::try_from(bits).ok()?),
            8 => f32_to_f64_bits(u32::try_from(bits).ok()?),
            16 => bits,
            _ => return None,
        }));
    }
    let cbor = edn::parse_hex(text).ok().filter(|item| {
        matches!((item.first(), item.len()), (Some(0xf9), 3) | (Some(0xfa), 5) | (Some(0xfb), 9))
    });
    if let Some(item) = cbor {
        return match calibor::Profile::VALID.decode(&item).ok()? {
            Value::Float(float) => Some(Given::Bits(float.to_bits())),
            _ => None,
        };
    }
    text.parse::<f64>().ok().map(|_| Given::Decimal(text.to_owned()))
}

impl Given {
    /// The nearest binary64.
    fn to_bits(&self) -> u64 {
        match self {
            Given::Decimal(text) => text.parse::<f64>().unwrap_or(f64::NAN).to_bits(),
            Given::Bits(bits) => *bits,
        }
    }

    fn round<T: SmallFloat>(&self) -> Option<T> {
        match self {
            Given::Decimal(text) => text.parse().ok(),
            Given::Bits(bits) if f64::from_bits(*bits).is_nan() && !T::HAS_NAN => None,
            Given::Bits(bits) => Some(Number::from_f64_bits(*bits).round().0),
        }
    }

    fn row<T: SmallFloat>(&self) -> Row {
        let digits = usize::try_from(T::BITS.div_ceil(4)).unwrap_or_default();
        match self.round::<T>() {
            None => Row { name: T::NAME, bits: "-".into(), value: "no NaN".into(), error: None },
            Some(rounded) => Row {
                name: T::NAME,
                bits: format!("0x{:0digits$x}", rounded.to_bits_u16()),
                value: format!("{:?}", rounded.to_f64()),
                error: error(rounded.to_f64(), f64::from_bits(self.to_bits())),
            },
        }
    }
}

/// How far the rounded value is from the number; none where that is no number.
fn error(rounded: f64, number: f64) -> Option<f64> {
    (rounded.is_finite() && number.is_finite()).then_some(rounded - number)
}

fn rows(given: &Given) -> Vec<Row> {
    let bits = given.to_bits();
    let number = f64::from_bits(bits);
    let (single, single_value) = match given {
        Given::Decimal(text) => {
            let value = text.parse::<f32>().unwrap_or(f32::NAN);
            (value.to_bits(), value)
        }
        Given::Bits(bits) => {
            let (value, _) = Number::from_f64_bits(*bits).to_f32();
            (value.to_bits(), value)
        }
    };
    vec![
        Row {
            name: "f64",
            bits: format!("0x{bits:016x}"),
            value: format!("{number:?}"),
            error: error(number, number),
        },
        Row {
            name: "f32",
            bits: format!("0x{single:08x}"),
            value: format!("{:?}", f64::from(single_value)),
            error: error(single_value.into(), number),
        },
        given.row::<F16>(),
        given.row::<BF16>(),
        given.row::<F8E4M3FN>(),
        given.row::<F8E5M2>(),
        given.row::<F8E4M3FNUZ>(),
        given.row::<F8E5M2FNUZ>(),
        given.row::<F6E2M3FN>(),
        given.row::<F6E3M2FN>(),
        given.row::<F4E2M1FN>(),
        given.row::<F8E8M0FNU>(),
    ]
}

/// The shortest CBOR float that keeps the number, head and bits.
fn shortest(bits: u64) -> Vec<u8> {
    let mut item = Vec::new();
    match shortest_bits(bits) {
        Shortest::F16(bits) => {
            item.push(0xf9);
            item.extend(bits.to_be_bytes());
        }
        Shortest::F32(bits) => {
            item.push(0xfa);
            item.extend(bits.to_be_bytes());
        }
        Shortest::F64(bits) => {
            item.push(0xfb);
            item.extend(bits.to_be_bytes());
        }
    }
    item
}

/// Down the ladder of RFC 8949 §4.2.1: which widths keep every bit.
fn ladder(bits: u64) -> String {
    let mut text = format!("f64 fb{bits:016x}");
    let steps = [("f32", is_exact_f32(bits)), ("f16", is_exact_f16(bits))];
    for (name, exact) in steps {
        if !exact {
            let _ = write!(text, ", {name} would change it");
            break;
        }
        let _ = write!(text, ", {name} keeps it");
    }
    text
}

fn print(console: &mut Console, given: &Given, rows: &[Row]) -> Result<(), Fault> {
    let bits = given.to_bits();
    console.line(format_args!("ladder    {}", ladder(bits)))?;
    console.line(format_args!("shortest  {}", HEXLOWER.encode(&shortest(bits))))?;
    console.line("")?;
    let width = rows.iter().map(|row| row.value.len()).max().unwrap_or_default().max(5);
    let heading = format!("{:<12}{:<20}{:<width$}  error", "format", "bits", "value");
    console.line(paint(HEADING, heading))?;
    for Row { name, bits, value, error } in rows {
        let error = match error {
            None => "-".to_owned(),
            Some(0.0) => "0".to_owned(),
            Some(error) => format!("{error:.3e}"),
        };
        console.line(format_args!("{name:<12}{bits:<20}{value:<width$}  {error}"))?;
    }
    Ok(())
}

fn report(text: &str, given: &Given, rows: &[Row]) -> Result<String, Fault> {
    let bits = given.to_bits();
    let formats: Vec<_> = rows
        .iter()
        .map(|row| json!({ "format": row.name, "bits": row.bits, "value": row.value, "error": row.error }))
        .collect();
    json_line(&[
        ("number", json!(text)),
        ("shortest", json!(HEXLOWER.encode(&shortest(bits)))),
        ("formats", json!(formats)),
    ])
}
