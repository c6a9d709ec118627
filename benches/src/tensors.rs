//! 100 MB of f16 in one byte string, beside the array of floats that has to be read one by one.

use crate::codecs::*;
use crate::measure::{Against, Case, Context, Goal, Line, Run};
use calibor::array::{ByteOrder, Packed, TypedArray};
use calibor::float::{F16, Overflow, slice};
use std::hint::black_box;
use std::rc::Rc;

pub const WORK: &str = "W12-f16-array";

/// 100 MB of binary16.
const COUNT: usize = 50_000_000;

/// What memory allows: a copy of the bytes that are read, and one of the vector that is made.
const INPUT: &str = "copy of the input";
const RESULT: &str = "copy of the result";
const ONE_BY_ONE: &str = "calibor, one by one";

struct Data {
    codes: Vec<F16>,
    values: Vec<f32>,
    /// 84(h'...'), behind `before` bytes, so that the elements are aligned.
    typed: Vec<u8>,
    before: usize,
    /// [float, ...]
    plain: Vec<u8>,
}

impl Data {
    fn make(count: usize) -> Self {
        let period: Vec<f32> = (0..1_000u16).map(|i| f32::from(i) / 16.0 - 30.0).collect();
        let values: Vec<f32> = period.into_iter().cycle().take(count).collect();
        let codes: Vec<F16> = slice::from_f32(&values, Overflow::Ieee);
        let array = calibor::to_vec(&TypedArray::from_elements(&codes, ByteOrder::Little));
        let array = array.expect("workloads can be encoded");
        let before = (array.len() - size_of_val(&codes[..])) % 2;
        let mut typed = vec![0; before];
        typed.extend(array);
        let plain = calibor::to_vec(&codes).expect("workloads can be encoded");
        Data { codes, values, typed, before, plain }
    }

    fn typed(&self) -> &[u8] {
        &black_box(&self.typed)[self.before..]
    }

    fn array(&self) -> TypedArray<'_, F16> {
        calibor::from_slice(self.typed()).expect("it was written here")
    }
}

fn case(codec: &'static str, kind: Kind, data: &Rc<Data>, run: fn(&Data)) -> Case {
    let data = Rc::clone(data);
    let run: Run = Box::new(move || run(&data));
    Case { codec, kind, own: false, short: false, run }
}

macro_rules! push_one_by_one {
    ($codec:ident $context:ident $line:ident $data:ident) => {
        // Those that refuse some of the floats, or a float where another width is asked for, are left out.
        let reads = |data: &Data| {
            $codec::decode::<Vec<f32>>(&data.plain).is_some_and(|read| read == data.values)
        };
        if $codec::KIND == Kind::Plain && $context.wants_codec($codec::NAME) && reads(&$data) {
            $line.cases.push(case($codec::NAME, $codec::KIND, &$data, |data| {
                drop(black_box($codec::decode::<Vec<f32>>(black_box(&data.plain))));
            }));
        }
    };
}

pub fn lines(context: &Context) -> Vec<Line> {
    let ops = ["as a slice", "to Vec<F16>", "to Vec<f32>", "encode"];
    if !ops.iter().any(|op| context.wants(WORK, op)) {
        return Vec::new();
    }
    let data = Rc::new(Data::make(context.size(COUNT)));
    assert!(data.array().elements().as_slice() == Some(&data.codes[..]), "it is aligned");
    let mut lines = Vec::new();
    for op in ops.into_iter().filter(|op| context.wants(WORK, op)) {
        let copy = |most, of| vec![Goal::new(most, Against::Case(of))];
        let (goals, cases) = match op {
            "as a slice" => (
                // A microsecond, where the copy takes ten milliseconds.
                copy(1e-3, INPUT),
                vec![case("calibor", Kind::Ours, &data, |data| {
                    black_box(data.array().elements().as_slice());
                })],
            ),
            "to Vec<F16>" => (
                copy(1.25, RESULT),
                vec![
                    case("calibor", Kind::Ours, &data, |data| {
                        drop(black_box(calibor::from_slice::<Packed<F16>>(data.typed())));
                    }),
                    case(RESULT, Kind::Limit, &data, |data| {
                        drop(black_box(black_box(&data.codes).clone()));
                    }),
                    case(ONE_BY_ONE, Kind::Limit, &data, |data| {
                        drop(black_box(calibor::from_slice::<Vec<F16>>(black_box(&data.plain))));
                    }),
                ],
            ),
            "to Vec<f32>" => (
                copy(1.25, RESULT),
                vec![
                    case("calibor", Kind::Ours, &data, |data| {
                        drop(black_box(data.array().elements().to_f32()));
                    }),
                    case(RESULT, Kind::Limit, &data, |data| {
                        drop(black_box(black_box(&data.values).clone()));
                    }),
                    case(ONE_BY_ONE, Kind::Limit, &data, |data| {
                        drop(black_box(calibor::from_slice::<Vec<f32>>(black_box(&data.plain))));
                    }),
                ],
            ),
            _ => (
                copy(1.25, INPUT),
                vec![
                    case("calibor", Kind::Ours, &data, |data| {
                        let array =
                            TypedArray::from_elements(black_box(&data.codes), ByteOrder::Little);
                        drop(black_box(calibor::to_vec(&array)));
                    }),
                    case(ONE_BY_ONE, Kind::Limit, &data, |data| {
                        drop(black_box(calibor::to_vec(black_box(&data.codes))));
                    }),
                ],
            ),
        };
        let mut line = Line { work: WORK, op, goals, cases };
        if matches!(op, "as a slice" | "encode") {
            line.cases.push(case(INPUT, Kind::Limit, &data, |data| {
                drop(black_box(data.typed().to_vec()));
            }));
        }
        line.cases.retain(|case| context.wants_codec(case.codec));
        if op == "to Vec<f32>" {
            each_cbor!(push_one_by_one!(context line data));
        }
        lines.push(line);
    }
    lines
}
