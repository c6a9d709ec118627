//! Tensors of every dtype and shape: nothing changes a byte, nothing is called an integer that is none.

use calibor::array::{Binary128, ByteOrder, Clamped, DType, Elements, Scalar, Tensor, TypedArray};
use calibor::float::{
    BF16, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F8E8M0FNU, F16,
    SmallFloat, block,
};
use calibor::{Profile, Value};

use super::{SHAPES, tensor_bytes};
use crate::support::{hex, to_hex};

#[test]
fn every_dtype_keeps_every_byte() {
    for &dtype in DType::ALL {
        for shape in SHAPES {
            let data = tensor_bytes(dtype, shape, 7);
            let tensor = Tensor::new(dtype, shape, &data[..]).unwrap();
            let wire = calibor::to_vec(&tensor).unwrap();
            Profile::CORE.tag_validity().check(&wire).unwrap();
            let read: Tensor<'_> = calibor::from_slice(&wire).unwrap();
            assert_eq!(read, tensor);
            assert_eq!(read.data(), data);
            assert!(matches!(read.into_data(), std::borrow::Cow::Borrowed(_)), "copied");
            // Through a tree and through a reader.
            let tree: Value = calibor::from_slice(&wire).unwrap();
            assert_eq!(calibor::to_vec(&tree).unwrap(), wire);
            let Kept(read) = Profile::CORE.decode_from(&wire[..]).unwrap();
            assert_eq!(calibor::to_vec(&read).unwrap(), wire);
            assert_eq!(Profile::CORE.canonicalize(&wire).unwrap(), wire);
            // Under a tag that says integer stands an integer, and nothing else.
            let tagged = wire.first() == Some(&0xd8);
            assert_eq!(tagged, dtype.tag().is_some() && !shape.contains(&0), "{dtype} {shape:?}");
        }
    }
}

struct Kept(Tensor<'static>);

impl<'de> serde::Deserialize<'de> for Kept {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Tensor::deserialize(deserializer).map(|tensor| Kept(tensor.into_owned()))
    }
}

#[test]
fn views_are_of_the_type_and_no_other() {
    fn hold<T: Scalar>() {
        let dtype = T::DTYPE.unwrap();
        let data = tensor_bytes(dtype, &[3, 5], 3);
        let tensor = Tensor::new(dtype, [3, 5], &data[..]).unwrap();
        let elements = tensor.elements::<T>().unwrap();
        assert_eq!((elements.len(), elements.as_bytes()), (15, &data[..]));
        let values = elements.to_vec();
        let again = Tensor::from_elements([3, 5], &values).unwrap();
        assert_eq!(again.data(), data, "{dtype}");
        for &other in DType::ALL.iter().filter(|&&other| other != dtype) {
            let data = tensor_bytes(other, &[8], 3);
            assert!(Tensor::new(other, [8], data).unwrap().elements::<T>().is_err());
        }
    }
    hold::<u8>();
    hold::<i8>();
    hold::<u16>();
    hold::<i16>();
    hold::<u32>();
    hold::<i32>();
    hold::<u64>();
    hold::<i64>();
    hold::<F16>();
    hold::<BF16>();
    hold::<f32>();
    hold::<f64>();
    hold::<F8E4M3FN>();
    hold::<F8E5M2>();
    hold::<F8E4M3FNUZ>();
    hold::<F8E5M2FNUZ>();
    hold::<F8E8M0FNU>();
    hold::<[f32; 2]>();
}

/// `to_f32` is the scalar conversion of each element, NaN bits included.
#[test]
fn to_f32_is_exact() {
    fn hold<T: Scalar + SmallFloat>() {
        let data = tensor_bytes(T::DTYPE.unwrap(), &[9001], 1);
        let tensor = Tensor::new(T::DTYPE.unwrap(), [9001], &data[..]).unwrap();
        let wide: Vec<u32> = tensor.to_f32().unwrap().into_iter().map(f32::to_bits).collect();
        let each = tensor.elements::<T>().unwrap();
        let each: Vec<u32> = each.iter().map(|code| code.to_f32().to_bits()).collect();
        assert_eq!(wide, each);
        // The most significant byte first goes through no view.
        let codes = tensor.elements::<T>().unwrap().to_vec();
        let swapped: Vec<u8> = data.chunks(T::SIZE).flat_map(|c| c.iter().rev().copied()).collect();
        let big = Elements::<T>::new(&swapped, ByteOrder::Big).unwrap();
        assert_eq!(big.to_f32().iter().map(|x| x.to_bits()).collect::<Vec<_>>(), wide);
        assert_eq!(big.to_vec().len(), codes.len());
    }
    hold::<F16>();
    hold::<BF16>();
    hold::<F8E4M3FN>();
    hold::<F8E5M2>();
    hold::<F8E4M3FNUZ>();
    hold::<F8E5M2FNUZ>();
    hold::<F8E8M0FNU>();
    for &dtype in DType::ALL {
        let exact = dtype.bits() <= 16 && dtype != DType::Bool || dtype == DType::F32;
        let tensor = Tensor::new(dtype, [8], tensor_bytes(dtype, &[8], 1)).unwrap();
        assert_eq!(tensor.to_f32().is_ok(), exact, "{dtype}");
    }
}

#[test]
fn sub_byte_elements_are_packed_as_named() {
    let f4: Vec<F4E2M1FN> = (0..16).chain(0..3).map(F4E2M1FN::from_bits).collect();
    let packed = Tensor::pack_f4([19], &f4).unwrap();
    assert_eq!(to_hex(packed.data()), "1032547698badcfe1002");
    assert_eq!(packed.unpack_f4().unwrap(), f4);
    assert!(packed.unpack_f6::<F6E2M3FN>().is_err());
    assert!(Tensor::pack_f4([18], &f4).is_err());
    assert!(Tensor::pack_f4([20], &f4).is_err(), "20 have as many bytes as 19");

    let f6: Vec<F6E3M2FN> = [1, 2, 3, 4, 63].map(F6E3M2FN::from_bits).to_vec();
    let packed = Tensor::pack_f6([5], &f6).unwrap();
    assert_eq!(to_hex(packed.data()), "8130103f");
    assert_eq!(packed.unpack_f6::<F6E3M2FN>().unwrap(), f6);
    assert!(packed.unpack_f6::<F6E2M3FN>().is_err());
    let bad = Tensor::new(DType::F6E3M2, [5], hex("8130107f")).unwrap_err();
    assert!(bad.to_string().contains("bits past its end"), "{bad}");
}

#[test]
fn blocks_are_dequantized_by_their_scales() {
    let values: Vec<f32> = (0_u8..128).map(|i| (f32::from(i) - 64.0) / 8.0).collect();
    let blocks = block::quantize::<F8E4M3FN>(&values);
    let codes: Vec<F8E4M3FN> = blocks.iter().flat_map(|block| block.elements).collect();
    let scales: Vec<F8E8M0FNU> = blocks.iter().map(|block| block.scale).collect();
    let elements = Tensor::from_elements([2, 64], &codes).unwrap();
    let scales = Tensor::from_elements([2, 2], &scales).unwrap();
    assert_eq!(elements.dequantize_mx(&scales).unwrap(), block::dequantize(&blocks));
    for shape in [&[4][..], &[4, 1], &[2, 1, 2]] {
        let scales = Tensor::new(DType::F8E8M0, shape, scales.data()).unwrap();
        assert!(elements.dequantize_mx(&scales).is_err(), "{shape:?}");
    }
    let odd = Tensor::new(DType::F8E4M3, [33], vec![0; 33]).unwrap();
    assert!(odd.dequantize_mx(&scales).is_err());
    let scalar = Tensor::new(DType::F8E4M3, [], vec![0; 1]).unwrap();
    assert!(scalar.dequantize_mx(&scales).is_err());
    assert_eq!((scales.shape(), scalar.shape()), (&[2, 2][..], &[][..]));

    // 1.5 in each of the formats times 2^2; bytes are no elements of a block.
    let four = Tensor::new(DType::F8E8M0, [1], vec![129]).unwrap();
    let f6 = |x| F6E2M3FN::from_f32(x);
    for elements in [
        Tensor::pack_f4([32], &[F4E2M1FN::from_f32(1.5); 32]).unwrap(),
        Tensor::pack_f6([32], &[f6(1.5); 32]).unwrap(),
        Tensor::pack_f6([32], &[F6E3M2FN::from_f32(1.5); 32]).unwrap(),
        Tensor::from_elements([32], &[F8E4M3FN::from_f32(1.5); 32]).unwrap(),
        Tensor::from_elements([32], &[F8E5M2::from_f32(1.5); 32]).unwrap(),
    ] {
        assert_eq!(elements.dequantize_mx(&four).unwrap(), [6.0; 32], "{}", elements.dtype());
    }
    let bytes = Tensor::from_elements([32], &[1_u8; 32]).unwrap();
    let error = bytes.dequantize_mx(&four).unwrap_err();
    assert_eq!(error.to_string(), "no block of OCP MX has elements of U8");
}

/// What a block cannot hold: an infinity stays one under every scale, and a scale of NaN makes all NaN.
#[test]
fn blocks_of_what_is_not_finite() {
    let elements = [F8E5M2::INFINITY; 32];
    let block = block::Block { scale: F8E8M0FNU::from_f32(0.5), elements };
    assert_eq!(block.dequantize(), [f32::INFINITY; 32]);
    let block = block::Block { scale: F8E8M0FNU::NAN, elements };
    assert!(block.dequantize().iter().all(|x| x.is_nan()));
}

#[test]
fn elements_that_no_tensor_has() {
    let error = Tensor::from_elements([1], &[Clamped(1)]).unwrap_err();
    assert_eq!(error.to_string(), "no tensor has elements of clamped u8");
    let error = Tensor::from_elements([1], &[Binary128([0; 16])]).unwrap_err();
    assert_eq!(error.to_string(), "no tensor has elements of binary128");
    // A view is copied as a reference is, whatever its elements; one of nothing is a slice in either order.
    fn again<T: Clone>(view: &T) -> T {
        view.clone()
    }
    let view = Elements::<u32>::new(&[1, 0, 0, 0], ByteOrder::Little).unwrap();
    assert_eq!(again(&view).to_vec(), [1]);
    for order in [ByteOrder::Little, ByteOrder::Big] {
        assert_eq!(Elements::<u32>::new(&[], order).unwrap().as_slice(), Some(&[][..]));
    }
}

/// A tensor with the most significant byte first is read, and written in its own order.
#[test]
fn either_byte_order_is_read() {
    for (big, little) in [
        ("d828828102d850443c00c100", "d828828102d85444003c00c1"),
        ("d828828101d851447f800001", "d828828101d855440100807f"),
        ("d828828101d852487ff0000000000001", "d828828101d85648010000000000f07f"),
    ] {
        let wire = hex(big);
        let tensor: Tensor<'_> = calibor::from_slice(&wire).unwrap();
        assert_eq!(to_hex(&calibor::to_vec(&tensor).unwrap()), little);
    }
}

/// As many bytes as a head: the elements are looked at where they are.
#[test]
fn a_long_array_is_not_touched_to_be_read() {
    let mut wire = hex("d8545a04000000");
    wire.resize(wire.len() + 0x0400_0000, 0x3c);
    let info = allocation_counter::measure(|| {
        let array: TypedArray<'_, F16> = calibor::from_slice(&wire).unwrap();
        assert_eq!(array.elements().get(0x01ff_ffff), Some(F16::from_bits(0x3c3c)));
        if cfg!(feature = "bytemuck") {
            // The content begins at an odd byte here, so that one of two copies of the input is aligned.
            let aligned = array.as_bytes().as_ptr().addr() % 2 == 0;
            assert_eq!(array.elements().as_slice().is_some(), aligned);
        }
    });
    assert!(info.bytes_max < 1024, "{} bytes", info.bytes_max);
}
