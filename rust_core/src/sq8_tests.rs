use super::*;
use proptest::prelude::*;

fn exact_cosine(a: &[f32], b: &[f32]) -> f64 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(p, q)| f64::from(*p) * f64::from(*q)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

#[test]
fn the_layout_is_a_header_of_sixteen_bytes_and_one_byte_a_component() {
    let blob = encode(&[127.0, -127.0, 2.5, 3.5, -0.5]).unwrap();
    assert_eq!(&blob[..12], b"MSQ8\x01\0\0\0\x05\0\0\0");
    assert_eq!(blob[12..16], 1.0f32.to_le_bytes());
    assert_eq!(blob[16..], [127, 129, 2, 4, 0], "halves go to the even neighbour");
}

#[test]
fn what_has_no_direction_or_is_not_finite_is_refused() {
    for bad in [vec![], vec![0.0, 0.0], vec![1.0, f32::NAN], vec![f32::INFINITY, 1.0], vec![1e-44, 0.0]] {
        assert!(matches!(encode(&bad), Err(CoreError::InvalidInput { field: "vector", .. })), "{bad:?}");
    }
}

#[test]
fn the_largest_and_the_smallest_scales_round_trip() {
    for x in [f32::MAX, 1e-35] {
        let back = decode(&encode(&[x, -x / 2.0]).unwrap()).unwrap();
        assert!((back[0] / x - 1.0).abs() < 1e-6 && back[1].is_finite());
    }
}

#[test]
fn every_truncation_and_every_header_fault_is_an_error() {
    let good = encode(&[1.0, -2.0, 3.0]).unwrap();
    for length in 0..good.len() {
        assert!(matches!(decode(&good[..length]), Err(CoreError::Corrupt { .. })), "{length}");
    }
    let damage = |at: usize, bytes: &[u8]| {
        let mut blob = good.clone();
        blob[at..at + bytes.len()].copy_from_slice(bytes);
        decode(&blob)
    };
    assert!(damage(0, b"X").is_err());
    assert!(damage(4, &[2]).is_err());
    assert!(damage(8, &[4]).is_err());
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert!(damage(12, &scale.to_le_bytes()).is_err(), "{scale}");
    }
    assert!(damage(16, &[128]).is_err(), "-128");
    assert!(damage(16, &[0, 0, 0]).is_err(), "no direction");
    assert!(decode(&[&good[..], &[1]].concat()).is_err(), "one byte too many");
}

#[test]
fn two_dimensions_have_no_cosine() {
    let (a, b) = (encode(&[1.0]).unwrap(), encode(&[1.0, 2.0]).unwrap());
    assert_eq!(cosine(&a, &b), Err(CoreError::Dimension { field: "blob_b", expected: 1, got: 2 }));
}

#[test]
fn a_long_vector_has_the_sum_of_all_its_products() {
    let quantized = Sq8::quantize(&vec![1.0; 200_000]).unwrap();
    assert_eq!(quantized.norm(), (127.0f64 * 127.0 * 200_000.0).sqrt());
}

#[test]
fn the_largest_component_is_told_and_what_is_not_finite() {
    assert_eq!(largest(&[]), 0.0);
    assert_eq!(largest(&[0.0, -0.0]), 0.0);
    assert_eq!(largest(&[1.0, -3.5, 2.0]), 3.5);
    assert_eq!(largest(&[f32::MIN, 1e-40]), f32::MAX);
    for broken in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        assert!(largest(&[1.0, broken, f32::MAX]).is_nan());
    }
}

proptest! {
    #[test]
    fn rounding_is_that_of_the_standard_library(x in prop_oneof![-127.4f64..127.4, (-254i32..=254).prop_map(|i| f64::from(i) / 2.0)]) {
        prop_assert_eq!(nearest(x), x.round_ties_even() as i8);
    }

    #[test]
    fn a_round_trip_moves_no_component_by_more_than_half_a_step(v in prop::collection::vec(-9f32..9.0, 1..99)) {
        prop_assume!(v.iter().any(|x| *x != 0.0));
        let max = v.iter().fold(0f32, |m, x| m.max(x.abs()));
        prop_assume!(max > 1e-30);
        for (x, y) in v.iter().zip(decode(&encode(&v).unwrap()).unwrap()) {
            prop_assert!((x - y).abs() <= max / 127.0 * 0.5001);
        }
    }

    #[test]
    fn encoding_what_was_decoded_gives_the_same_integers(v in prop::collection::vec(-9f32..9.0, 1..99)) {
        prop_assume!(v.iter().any(|x| x.abs() > 1e-3));
        let once = encode(&v).unwrap();
        let twice = encode(&decode(&once).unwrap()).unwrap();
        prop_assert_eq!(&once[HEADER_BYTES..], &twice[HEADER_BYTES..]);
    }

    #[test]
    fn the_cosine_is_within_a_hundredth_of_the_exact_one(
        pair in prop::collection::vec((-1f32..1.0, -1f32..1.0), 64..400)
    ) {
        let (a, b): (Vec<f32>, Vec<f32>) = pair.into_iter().unzip();
        let fast = cosine(&encode(&a).unwrap(), &encode(&b).unwrap()).unwrap();
        prop_assert!((fast - exact_cosine(&a, &b)).abs() < 0.01);
        prop_assert!((cosine(&encode(&a).unwrap(), &encode(&a).unwrap()).unwrap() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let mut framed = encode(&[1.0]).unwrap()[..HEADER_BYTES].to_vec();
        framed.extend_from_slice(&bytes);
        if let Ok(vector) = decode(&bytes).or_else(|_| decode(&framed)) {
            prop_assert!(vector.iter().all(|x| x.is_finite()));
        }
    }
}

proptest! {
    #[test]
    fn a_blob_quantised_again_is_its_vector_quantised(
        scale in prop_oneof![1e-37_f32..1e-36, 1e-6_f32..10.0, 1e35_f32..2e36],
        values in prop::collection::vec(-127_i8..=127, 1..80), whole in any::<bool>()
    ) {
        let mut values = values;
        if whole || values.iter().all(|q| *q == 0) {
            values[0] = 127;
        }
        let blob = Sq8 { scale, values }.to_bytes().unwrap();
        let (again, slowly) = (Sq8::again(&blob).unwrap(), Sq8::quantize(&decode(&blob).unwrap()).unwrap());
        prop_assert_eq!(again.values, slowly.values);
    }
}
