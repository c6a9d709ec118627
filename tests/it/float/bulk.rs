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
