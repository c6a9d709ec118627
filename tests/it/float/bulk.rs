//! Slices and blocks.

use calibor::float::{block::Block, *};

use super::{EFFORT, Random};

/// Values of all magnitudes that the formats tell apart, and some that are none.
fn values() -> Vec<f32> {
    let random = Random(8).take(20_000 * EFFORT).map(|bits| {
        let exponent = 127 - 30 + (bits >> 40) as u32 % 60;
        f32::from_bits((bits as u32) & 0x807f_ffff & !0 << (bits >> 50) % 24 | exponent << 23)
    });
    let any = Random(9).take(20_000).map(|bits| f32::from_bits(bits as u32));
    random.chain(any).chain([0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN]).collect()
}

#[test]
fn slices_are_the_scalars_side_by_side() {
    fn check<T: SmallFloat>() {
        let single = values();
        let double: Vec<f64> = single.iter().map(|&x| f64::from(x) * 1.000_000_000_1).collect();
        for overflow in [Overflow::Ieee, Overflow::Saturate] {
            let mut out = vec![T::MAX; single.len()];
            let same = |got: Vec<T>, want: &dyn Fn(usize) -> T| {
                for (i, x) in got.iter().enumerate() {
                    assert_eq!(x.to_bits_u16(), want(i).to_bits_u16(), "{} {i}", T::NAME);
                }
            };
            let number = |x: f64| Number::from(x).round_with::<T>(overflow).0;
            same(slice::from_f32(&single, overflow), &|i| number(single[i].into()));
            same(slice::from_f64(&double, overflow), &|i| number(double[i]));
            slice::from_f32_into(&single, &mut out, overflow).expect("equal lengths");
            same(out.clone(), &|i| number(single[i].into()));
            slice::from_f64_into(&double, &mut out, overflow).expect("equal lengths");
            same(out.clone(), &|i| number(double[i]));
            assert!(slice::from_f32_into(&single[1..], &mut out, overflow).is_err());
        }
        let all: Vec<T> = (0..=u16::MAX >> (16 - T::BITS)).map(T::from_bits_u16).collect();
        let mut out = vec![0.0; all.len()];
        slice::to_f32_into(&all, &mut out).expect("equal lengths");
        for ((x, wide), (into, double)) in
            all.iter().zip(slice::to_f32(&all)).zip(out.iter().zip(slice::to_f64(&all)))
        {
            assert_eq!(wide.to_bits(), x.to_f32().to_bits());
            assert_eq!(into.to_bits(), wide.to_bits());
            assert_eq!(double.to_bits(), x.to_f64().to_bits());
        }
        let bytes = slice::to_le_bytes(&all);
        let bits = |all: &[T]| all.iter().map(|x| x.to_bits_u16()).collect::<Vec<_>>();
        assert_eq!(bits(&slice::from_le_bytes::<T>(&bytes).expect("whole")), bits(&all));
        let bytes = slice::to_be_bytes(&all);
        assert_eq!(bits(&slice::from_be_bytes::<T>(&bytes).expect("whole")), bits(&all));
        let mut back = vec![T::MAX; all.len()];
        slice::from_be_bytes_into(&bytes, &mut back).expect("whole");
        assert_eq!(bits(&back), bits(&all));
        assert!(slice::from_le_bytes_into(&bytes[size_of::<T>()..], &mut back).is_err());
    }
    for_all!(check);
}

/// Every upper half of a binary32 with lower halves beside the ties of the formats, in an order that puts all
/// kinds, NaNs among them, side by side.
fn shuffled() -> Vec<f32> {
    const LOWER: [u32; 12] =
        [0, 1, 0x0800, 0x0fff, 0x1000, 0x1001, 0x2000, 0x3000, 0x7fff, 0x8000, 0x8001, 0xffff];
    let (step, count) = (if EFFORT == 1 { 7 } else { 1 }, 12 * 65_536);
    let value = |i: u32| {
        // A prime, so that every number below the count comes once.
        let i = (u64::from(i) * 1_000_003 % u64::from(count)) as u32;
        f32::from_bits(i / 12 << 16 | LOWER[i as usize % 12])
    };
    (0..count).step_by(step).map(value).collect()
}

/// The same and their neighbours in binary64, and what binary32 has no exponent for.
fn shuffled_double() -> Vec<f64> {
    let double = |(i, x): (usize, f32)| {
        let bits = f32_to_f64_bits(x.to_bits());
        f64::from_bits(match i % 8 {
            0 | 1 => bits,
            2 => bits ^ 1,
            3 => bits.wrapping_sub(1),
            4 => bits ^ 1 << 28,
            5 => bits ^ 1 << 32,
            6 => bits | 1 << 31,
            _ => u64::from(x.to_bits()) << 32 | i as u64 & 1,
        })
    };
    shuffled().into_iter().enumerate().map(double).collect()
}

#[test]
fn every_loop_has_the_bits_of_the_scalars() {
    fn check<T: SmallFloat>() {
        let (single, double) = (shuffled(), shuffled_double());
        let code = |x: &T| x.to_bits_u16();
        for overflow in [Overflow::Ieee, Overflow::Saturate] {
            for (got, x) in slice::from_f32::<T>(&single, overflow).iter().zip(&single) {
                let want = T::from_f32_with(*x, overflow);
                assert_eq!(code(got), code(&want), "{} {:08x}", T::NAME, x.to_bits());
            }
            for (got, x) in slice::from_f64::<T>(&double, overflow).iter().zip(&double) {
                let want = T::from_f64_with(*x, overflow);
                assert_eq!(code(got), code(&want), "{} {:016x}", T::NAME, x.to_bits());
            }
        }
        // Odd and even, so that NaNs stand in every place of a block and beside all others.
        let codes = u32::from(u16::MAX >> (16 - T::BITS)) + 1;
        for factor in [1, 40_503] {
            let all: Vec<T> = (0..codes.max(256))
                .map(|i| T::from_bits_u16((i.wrapping_mul(factor) % codes) as u16))
                .collect();
            let (single, double) = (slice::to_f32(&all), slice::to_f64(&all));
            for (x, (single, double)) in all.iter().zip(single.iter().zip(double)) {
                assert_eq!(single.to_bits(), x.to_f32().to_bits(), "{} {x:?}", T::NAME);
                assert_eq!(double.to_bits(), x.to_f64().to_bits(), "{} {x:?}", T::NAME);
            }
        }
    }
    for_all!(check);
}

/// Loops end where slices do, wherever they begin.
#[test]
fn slices_of_every_length_and_place() {
    fn check<T: SmallFloat>() {
        let single: Vec<f32> = shuffled().into_iter().take(300).collect();
        let double: Vec<f64> = shuffled_double().into_iter().take(300).collect();
        let codes = |all: &[T]| all.iter().map(|x| x.to_bits_u16()).collect::<Vec<_>>();
        for start in 0..4 {
            for end in (start..40).chain(120..300) {
                let mut to = [T::MAX; 304];
                let (x, room) = (&single[start..end], start + 1..end + 1);
                slice::from_f32_into(x, &mut to[room.clone()], Overflow::Ieee).expect("as long");
                let want: Vec<T> = x.iter().map(|&x| T::from_f32_with(x, Overflow::Ieee)).collect();
                assert_eq!(codes(&to[room.clone()]), codes(&want));
                assert_eq!(codes(&slice::from_f32::<T>(x, Overflow::Ieee)), codes(&want));
                let outside = to[..=start].iter().chain(&to[end + 1..]);
                assert!(outside.into_iter().all(|x| x.to_bits_u16() == T::MAX.to_bits_u16()));
                let x = &double[start..end];
                let want: Vec<T> = x.iter().map(|&x| T::from_f64_with(x, Overflow::Ieee)).collect();
                assert_eq!(codes(&slice::from_f64::<T>(x, Overflow::Ieee)), codes(&want));
                let mut wide = [1.5; 304];
                slice::to_f32_into(&want, &mut wide[room.clone()]).expect("as long");
                for (got, want) in wide[room].iter().zip(&want) {
                    assert_eq!(got.to_bits(), want.to_f32().to_bits());
                }
                assert!(wide[..=start].iter().chain(&wide[end + 1..]).all(|&x| x == 1.5));
            }
        }
    }
    for_all!(check);
}

/// One value among many that are exact decides, wherever it stands.
#[test]
fn each_is_exact_where_it_survives() {
    fn check<T: SmallFloat>() {
        let one = T::from_f64_with(1.0, Overflow::Ieee).to_f64();
        let step = if T::BITS == 16 { 1 } else { 16 };
        for (i, x) in shuffled().into_iter().enumerate().step_by(step) {
            let mut all = [one as f32; 34];
            all[i % 34] = x;
            let back = T::from_f32_with(x, Overflow::Ieee).to_f32();
            let survives = back.to_bits() == x.to_bits();
            assert_eq!(slice::all_exact::<T>(&all), survives, "{} {:08x}", T::NAME, x.to_bits());
        }
        for (i, x) in shuffled_double().into_iter().enumerate().step_by(step) {
            let mut all = [one; 34];
            all[i % 34] = x;
            let back = T::from_f64_with(x, Overflow::Ieee).to_f64();
            let survives = back.to_bits() == x.to_bits();
            let got = slice::all_exact_f64::<T>(&all);
            assert_eq!(got, survives, "{} {:016x}", T::NAME, x.to_bits());
        }
    }
    for_all!(check);
    for (i, x) in shuffled_double().into_iter().enumerate() {
        let mut all = [1.0; 34];
        all[i % 34] = x;
        assert_eq!(slice::all_exact_f32(&all), is_exact_f32(x.to_bits()), "{:016x}", x.to_bits());
    }
}

#[test]
fn all_are_exact_or_one_is_not() {
    fn check<T: SmallFloat>() {
        let all: Vec<f32> =
            (0..=u16::MAX >> (16 - T::BITS)).map(|c| T::from_bits_u16(c).to_f32()).collect();
        assert!(slice::all_exact::<T>(&all), "{}", T::NAME);
        let double: Vec<f64> = all.iter().map(|&x| x.into()).collect();
        for at in [0, 1, all.len() / 2, all.len() - 1] {
            let mut spoilt = all.clone();
            spoilt[at] = 1.000_001;
            assert!(!slice::all_exact::<T>(&spoilt), "{} {at}", T::NAME);
            let mut spoilt = double.clone();
            spoilt[at] = 1.000_000_000_000_1;
            assert!(!slice::all_exact_f64::<T>(&spoilt) && !slice::all_exact_f32(&spoilt));
        }
    }
    for_all!(check);
    assert!(slice::all_exact::<F16>(&[]));
}

#[test]
fn each_value_is_exact_where_its_number_is() {
    fn check<T: SmallFloat>() {
        for value in values() {
            let (_, exact) = Number::from(value).round::<T>();
            assert_eq!(slice::all_exact::<T>(&[value]), exact, "{} {value:e}", T::NAME);
            assert_eq!(slice::all_exact_f64::<T>(&[value.into()]), slice::all_exact::<T>(&[value]));
        }
    }
    for_all!(check);
}

/// GGUF's MXFP4: a byte has an element of the first half in its low nibble, and one of the second in its high one.
#[test]
fn halves_share_their_bytes() {
    let code = |i: usize| u8::try_from((i * 5 + i / 16) % 16).expect("a nibble");
    let codes: [F4E2M1FN; 32] = std::array::from_fn(|i| F4E2M1FN::from_bits(code(i)));
    let bytes: [u8; 16] = std::array::from_fn(|i| code(i) + 16 * code(i + 16));
    assert_eq!(block::f4_to_halves(&codes), bytes);
    assert_eq!(block::f4_from_halves(&bytes).map(F4E2M1FN::to_bits), codes.map(F4E2M1FN::to_bits));
    let values: [f32; 32] = std::array::from_fn(|i| [0.5, -6.0, 3.0][i % 3]);
    let packed = Block::<F4E2M1FN>::quantize(&values);
    // 6.0 is the largest: the scale is 1, which is 2^0 and so 127.
    assert_eq!(packed.to_gguf()[0], 127);
    assert_eq!(packed.to_gguf()[1..], block::f4_to_halves(&values.map(F4E2M1FN::from_f32)));
    assert_eq!(Block::from_gguf(&packed.to_gguf()).dequantize(), values);
}

#[test]
fn errors_say_what_is_wrong() {
    let inexact = F16::try_from(0.1_f64).expect_err("no f16");
    assert_eq!(inexact.to_string(), "the value is not exact in f16");
    let odd = slice::from_le_bytes::<F16>(&[0, 60, 0]).expect_err("an odd number");
    assert_eq!(odd.to_string(), "3 bytes are no whole number of f16");
    let mut two = [F16::MAX; 2];
    let short = slice::from_le_bytes_into(&[0, 60], &mut two).expect_err("one for two");
    assert_eq!(short.to_string(), "1 elements do not fill 2");
}

/// Every exponent of binary64, with the fractions that are the last to fit each format and those beside them.
#[test]
fn a_binary64_of_any_size_is_exact_where_it_survives() {
    fn check<T: SmallFloat>() {
        let fractions = [0, 1 << 51, 1 << 45, 1 << 44, 1 << 42, 1 << 41, 1 << 29, 1, (1 << 52) - 1];
        for (field, fraction) in (0..0x800_u64).flat_map(|field| fractions.map(|f| (field, f))) {
            for sign in [0, 1 << 63] {
                let bits = sign | field << 52 | fraction;
                let back = T::from_f64_with(f64::from_bits(bits), Overflow::Ieee).to_f64();
                let got = slice::all_exact_f64::<T>(&[f64::from_bits(bits)]);
                assert_eq!(got, back.to_bits() == bits, "{} {bits:016x}", T::NAME);
            }
        }
    }
    for_all!(check);
}

#[test]
fn packing_is_in_the_order_that_is_named() {
    let f4: Vec<_> = (0..16).map(F4E2M1FN::from_bits).collect();
    assert_eq!(block::f4_to_pairs(&f4), [0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe]);
    for len in 0..=16 {
        let bytes = block::f4_to_pairs(&f4[..len]);
        let back = block::f4_from_pairs(&bytes, len).expect("as many as were written");
        assert_eq!(slice::to_le_bytes(&back), slice::to_le_bytes(&f4[..len]));
        assert!(block::f4_from_pairs(&bytes, len + 2).is_none());
    }
    // b0 = v0 | v1 << 6, b1 = v1 >> 2 | v2 << 4, b2 = v2 >> 4 | v3 << 2
    let f6 = [0b00_0001, 0b10_0010, 0b11_0011, 0b01_0100].map(F6E3M2FN::from_bits);
    assert_eq!(block::f6_to_bytes(&f6), [0b1000_0001, 0b0011_1000, 0b0101_0011]);
    let all: Vec<_> = (0..64).map(F6E2M3FN::from_bits).collect();
    for len in 0..=64 {
        let bytes = block::f6_to_bytes(&all[..len]);
        assert_eq!(bytes.len(), (6 * len).div_ceil(8));
        let back = block::f6_from_bytes(&bytes, len).expect("as many as were written");
        assert_eq!(slice::to_le_bytes::<F6E2M3FN>(&back), slice::to_le_bytes(&all[..len]));
    }
    assert!(block::f6_from_bytes::<F6E2M3FN>(&[0; 3], 5).is_none());
}

#[test]
fn scales_follow_the_rule_of_ocp() {
    fn check<T: SmallFloat>(emax: i32) {
        let mut random = Random(10);
        for _ in 0..300 * EFFORT {
            let spread = random.next().expect("endless") as i32 % 100;
            let values: [f32; 32] = std::array::from_fn(|_| {
                let bits = random.next().expect("endless");
                (f64::from(bits as i32) * 2.0_f64.powi(spread - 31 - (bits >> 60) as i32)) as f32
            });
            let block = Block::<T>::quantize(&values);
            let largest = values.iter().fold(0.0_f32, |max, x| max.max(x.abs()));
            let exponent = f64::from(largest).log2().floor() as i32 - emax;
            assert_eq!(block.scale.to_f64(), 2.0_f64.powi(exponent.clamp(-127, 127)));
            for (value, (element, back)) in
                values.iter().zip(block.elements.iter().zip(block.dequantize()))
            {
                let scaled = f64::from(*value) / block.scale.to_f64();
                assert_eq!(
                    element.to_bits_u16(),
                    T::from_f64_with(scaled, Overflow::Saturate).to_bits_u16()
                );
                assert_eq!(f64::from(back), element.to_f64() * block.scale.to_f64());
            }
        }
    }
    check::<F8E4M3FN>(8);
    check::<F8E5M2>(15);
    check::<F6E2M3FN>(2);
    check::<F6E3M2FN>(4);
    check::<F4E2M1FN>(2);
}

#[test]
fn blocks_at_the_edges() {
    let zero = Block::<F4E2M1FN>::quantize(&[0.0; 32]);
    assert_eq!((zero.scale.to_bits(), zero.dequantize()), (0, [0.0; 32]));
    for odd in [f32::NAN, f32::INFINITY] {
        let mut values = [1.0; 32];
        values[7] = odd;
        let block = Block::<F8E5M2>::quantize(&values);
        assert!(block.scale.is_nan() && block.dequantize().iter().all(|x| x.is_nan()));
    }
    let tiny = Block::<F8E5M2>::quantize(&[f32::from_bits(1); 32]);
    assert_eq!(tiny.scale.to_bits(), 0);
    let huge = Block::<F8E4M3FN>::quantize(&[f32::MAX; 32]);
    assert_eq!(huge.dequantize(), [448.0 * 2.0_f32.powi(119); 32]);
    let tensor: Vec<f32> = (0..70).map(|i| i as f32).collect();
    let blocks = block::quantize::<F8E4M3FN>(&tensor);
    assert_eq!((blocks.len(), block::dequantize(&blocks).len()), (3, 96));
}

#[test]
#[cfg(feature = "half")]
fn the_half_crate_has_the_same_bits() {
    for bits in 0..=u16::MAX {
        assert_eq!(F16::from(half::f16::from_bits(bits)).to_bits(), bits);
        assert_eq!(half::bf16::from(BF16::from_bits(bits)).to_bits(), bits);
    }
    let theirs = [half::f16::ONE, half::f16::NEG_ZERO];
    let ours: Vec<F16> = slice::widen(&theirs);
    assert_eq!(ours.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), [0x3c00, 0x8000]);
}

#[test]
#[cfg(feature = "bytemuck")]
fn slices_are_cast_without_a_copy() {
    let codes = [F16::from_f32(1.0), F16::MAX];
    assert_eq!(bytemuck::cast_slice::<F16, u16>(&codes), [0x3c00, 0x7bff]);
    assert_eq!(bytemuck::cast_slice::<u16, BF16>(&[0x3f80]), [BF16::from_f32(1.0)]);
    // Below 8 bits there are bytes that are no code, so the cast goes one way only.
    assert_eq!(bytemuck::cast_slice::<F4E2M1FN, u8>(&[F4E2M1FN::MAX]), [7]);
}
