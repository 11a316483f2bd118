use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::sq8;

fn engine(precision: Precision, rows: &[(i64, Vec<f32>)]) -> IntentEngine {
    let dimension = rows.first().map_or(3, |row| row.1.len());
    let mut engine = IntentEngine::new(dimension, precision).unwrap();
    let ids: Vec<i64> = rows.iter().map(|row| row.0).collect();
    engine.add(&ids, &rows.iter().flat_map(|row| row.1.clone()).collect::<Vec<_>>()).unwrap();
    engine
}

fn exact(a: &[f32], b: &[f32]) -> f64 {
    let dot = |x: &[f32], y: &[f32]| x.iter().zip(y).map(|(p, q)| f64::from(*p) * f64::from(*q)).sum::<f64>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}

const BOTH: [Precision; 2] = [Precision::F32, Precision::Sq8];

#[test]
fn the_nearest_come_first_and_ties_go_to_the_lower_id() {
    for precision in BOTH {
        let rows = [(9, vec![2.0, 0.0]), (4, vec![7.0, 0.0]), (5, vec![0.0, 1.0]), (6, vec![-1.0, 0.0])];
        let found = engine(precision, &rows).search(&[3.0, 0.0], 3, None).unwrap();
        assert_eq!(found, Nearest { ids: vec![4, 9, 5], cosines: vec![1.0, 1.0, 0.0] });
    }
}

#[test]
fn an_id_that_is_there_gets_the_new_vector() {
    for precision in BOTH {
        let mut engine = engine(precision, &[(1, vec![1.0, 0.0]), (2, vec![0.0, 1.0]), (1, vec![-1.0, 0.0])]);
        assert_eq!((engine.len(), engine.cosines(&[1.0, 0.0]).unwrap()), (2, vec![-1.0, 0.0]));
        engine.add(&[2], &[5.0, 0.0]).unwrap();
        assert_eq!(engine.cosines(&[1.0, 0.0]).unwrap(), vec![-1.0, 1.0]);
        assert_eq!(engine.vectors(&[2, 1]).unwrap(), vec![1.0, 0.0, -1.0, 0.0]);
    }
}

#[test]
fn a_user_with_few_rows_among_many_gets_all_of_them() {
    for precision in BOTH {
        let rows: Vec<(i64, Vec<f32>)> = (0..200).map(|i| (i, vec![1.0, i as f32])).collect();
        let found = engine(precision, &rows).search(&[0.0, 1.0], 5, Some(&[3, 190, 999, 3, 7])).unwrap();
        assert_eq!(found.ids, vec![190, 7, 3]);
    }
}

#[test]
fn bad_rows_are_named_and_leave_the_engine_as_it_was() {
    let mut engine = engine(Precision::Sq8, &[(1, vec![1.0, 2.0])]);
    for (bad, text) in [
        ([0.0, 0.0], "vectors: row 1: a vector of zeros"),
        ([1.0, f32::NAN], "vectors: row 1: NaN at 1"),
        ([f32::NEG_INFINITY, 1.0], "vectors: row 1: -inf at 0"),
    ] {
        let error = engine.add(&[7, 8], &[&[1.0, 1.0], &bad[..]].concat()).unwrap_err();
        assert!(error.to_string().starts_with(text), "{error}");
    }
    assert!(engine.add(&[-1], &[1.0, 1.0]).is_err());
    assert_eq!(engine.add(&[7], &[1.0; 3]), Err(CoreError::Dimension { field: "vectors", expected: 2, got: 3 }));
    assert_eq!(engine.ids(), vec![1]);
}

#[test]
fn bad_queries_and_counts_are_named() {
    let engine = engine(Precision::F32, &[(1, vec![1.0, 2.0])]);
    let fails = |query: &[f32], k, field: &str| {
        let error = engine.search(query, k, None).unwrap_err();
        assert!(error.to_string().starts_with(field), "{error}");
    };
    fails(&[1.0], 1, "query: dimension 1");
    fails(&[0.0, 0.0], 1, "query: a vector of zeros");
    fails(&[f32::NAN, 0.0], 1, "query: NaN at 0");
    fails(&[1.0, 0.0], 0, "k");
    assert!(engine.search(&[1.0, 0.0], 1, Some(&[-3])).is_err());
    assert!(engine.vectors(&[2]).unwrap_err().to_string().starts_with("ids: 2"));
    assert!(IntentEngine::new(0, Precision::F32).is_err());
    assert!(IntentEngine::new(65_537, Precision::F32).is_err());
}

#[test]
fn an_empty_engine_finds_nothing() {
    for precision in BOTH {
        let engine = IntentEngine::new(2, precision).unwrap();
        assert!(engine.is_empty() && engine.ids().is_empty());
        assert_eq!(engine.search(&[1.0, 0.0], 3, None).unwrap(), Nearest::default());
    }
}

#[test]
fn many_threads_and_one_give_the_same_bits() {
    let rows: Vec<(i64, Vec<f32>)> =
        (0..9000).map(|i| (i, (0..1900).map(|j| ((i * 31 + j * 17) % 101) as f32 - 50.0).collect())).collect();
    for precision in BOTH {
        let engine = engine(precision, &rows);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let batch = engine.search_batch(&[&rows[7].1[..], &rows[8].1[..]].concat(), 10, None).unwrap();
                (engine.search(&rows[7].1, 9000, None).unwrap(), engine.cosines(&rows[7].1).unwrap(), batch)
            })
        };
        let one = run(1);
        assert_eq!((one.0.ids.len(), one.0.ids[0], one.2[1].ids[0]), (9000, 7, 8));
        assert!(one == run(3));
    }
}

/// Rows of 20 components, the later the nearer to a query of ones, so that every block has better ones than the last.
fn rising_rows(count: i64) -> Vec<(i64, Vec<f32>)> {
    let component = |i: i64, j: i64| (i + (i * 7919 + j * 31) % 97) as f32 - 500.0 * (j % 5 == 4) as i32 as f32;
    (0..count).map(|i| ((i * 7) % count, (0..20).map(|j| component(i, j)).collect())).collect()
}

/// The best of all cosines, by a plain sort.
fn plain(engine: &IntentEngine, query: &[f32], k: usize, allowed: Option<&[i64]>) -> Nearest {
    let mut all: Vec<(f32, i64)> = engine.cosines(query).unwrap().into_iter().zip(engine.ids()).collect();
    all.retain(|(_, id)| allowed.is_none_or(|ids| ids.contains(id)));
    all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    all.truncate(k);
    let (cosines, ids) = all.into_iter().unzip();
    Nearest { ids, cosines }
}

#[test]
fn what_is_passed_over_is_none_of_the_best() {
    for count in [1023, 1024, 5000] {
        let (rows, few) = (rising_rows(count), (0..count).step_by(9).collect::<Vec<_>>());
        let most: Vec<i64> = (0..count).filter(|id| id % 3 > 0).collect();
        for precision in BOTH {
            let engine = engine(precision, &rows);
            for query in [&rows[1].1, &vec![1.0; 20], &vec![-1.0; 20]] {
                for (k, allowed) in [(1, None), (40, None), (7, Some(&few)), (70, Some(&most)), (6000, None)] {
                    let allowed = allowed.map(Vec::as_slice);
                    let found = engine.search(query, k, allowed).unwrap();
                    assert_eq!(found, plain(&engine, query, k, allowed), "{precision:?} {count} {k}");
                }
            }
        }
    }
}

#[test]
fn a_batch_finds_what_its_queries_find_alone() {
    let rows = rising_rows(1500);
    for precision in BOTH {
        let engine = engine(precision, &rows);
        for count in [1, 2, 5, 33, 70] {
            let queries: Vec<f32> = rows.iter().step_by(21).take(count).flat_map(|row| row.1.clone()).collect();
            for allowed in [None, Some(&[3, 9, 700, 701, 702, 1400][..])] {
                let together = engine.search_batch(&queries, 9, allowed).unwrap();
                let alone = queries.chunks(20).map(|query| engine.search(query, 9, allowed).unwrap());
                assert_eq!(together, alone.collect::<Vec<_>>(), "{precision:?} {count}");
            }
        }
        assert_eq!(engine.search_batch(&[], 9, None).unwrap(), Vec::new());
        assert!(engine.search_batch(&[1.0; 30], 9, None).is_err());
    }
}

#[test]
fn bytes_take_a_quarter_of_the_memory_of_floats() {
    let rows: Vec<(i64, Vec<f32>)> = (0..64).map(|i| (i, vec![1.0; 384])).collect();
    let [floats, bytes] = BOTH.map(|precision| engine(precision, &rows).memory_bytes());
    assert!(floats >= 64 * 384 * 4 && bytes >= 64 * 384 && bytes < floats / 3, "{floats} {bytes}");
}

fn some_rows() -> impl Strategy<Value = Vec<(i64, Vec<f32>)>> {
    prop::collection::vec((0i64..60, prop::collection::vec(-1f32..1.0, 70)), 1..50)
}

proptest! {
    #[test]
    fn a_search_equals_the_plain_sort_of_all_cosines(
        rows in some_rows(), gone in prop::collection::vec(0i64..60, 0..20), k in 1usize..60,
        allowed in prop::option::of(prop::collection::vec(0i64..60, 0..40))
    ) {
        let query = rows[0].1.clone();
        let mut kept: BTreeMap<i64, Vec<f32>> = rows.iter().cloned().collect();
        kept.retain(|id, _| !gone.contains(id));
        for precision in BOTH {
            let mut engine = engine(precision, &rows);
            let before = engine.len();
            prop_assert_eq!(engine.remove(&gone).unwrap(), before - kept.len());
            prop_assert_eq!(engine.ids(), kept.keys().copied().collect::<Vec<_>>());
            let cosines = engine.cosines(&query).unwrap();
            let mut plain: Vec<(f64, i64)> = cosines.iter().zip(kept.keys()).map(|(c, id)| (f64::from(*c), *id))
                .filter(|(_, id)| allowed.as_ref().is_none_or(|ids| ids.contains(id))).collect();
            plain.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            plain.truncate(k);
            let found = engine.search(&query, k, allowed.as_deref()).unwrap();
            prop_assert_eq!(&found.ids, &plain.iter().map(|hit| hit.1).collect::<Vec<_>>());
            for (cosine, row) in cosines.iter().zip(kept.values()) {
                let (error, bound) = ((f64::from(*cosine) - exact(row, &query)).abs(), if precision == Precision::F32 { 1e-5 } else { 0.01 });
                prop_assert!(error < bound, "{precision:?} {error}");
            }
        }
    }

    #[test]
    fn the_order_of_insertion_changes_no_bit(rows in some_rows().prop_shuffle(), k in 1usize..60) {
        let distinct: BTreeMap<i64, Vec<f32>> = rows.iter().cloned().collect();
        let sorted: Vec<(i64, Vec<f32>)> = distinct.into_iter().collect();
        let mut other = sorted.clone();
        other.reverse();
        for precision in BOTH {
            let query = &rows[0].1;
            let answers = [&sorted, &other].map(|rows| engine(precision, rows).search(query, k, None).unwrap());
            prop_assert_eq!(&answers[0], &answers[1]);
        }
    }

    #[test]
    fn rows_of_bytes_have_the_cosines_of_their_blobs_also_when_loaded_from_them(rows in some_rows()) {
        let distinct: BTreeMap<i64, Vec<f32>> = rows.iter().cloned().collect();
        let blobs: Vec<Vec<u8>> = distinct.values().map(|row| sq8::encode(row).unwrap()).collect();
        let loaded: Vec<(i64, Vec<f32>)> =
            distinct.keys().copied().zip(blobs.iter().map(|blob| sq8::decode(blob).unwrap())).collect();
        let query = &rows[0].1;
        let asked = sq8::encode(query).unwrap();
        let expected: Vec<f32> = blobs.iter().map(|blob| sq8::cosine(blob, &asked).unwrap() as f32).collect();
        prop_assert_eq!(&engine(Precision::Sq8, &rows).cosines(query).unwrap(), &expected);
        prop_assert_eq!(&engine(Precision::Sq8, &loaded).cosines(query).unwrap(), &expected);
        let mut added = engine(Precision::Sq8, &rows[..rows.len().div_ceil(2)]);
        let (ids, views): (Vec<i64>, Vec<&[u8]>) = distinct.keys().zip(&blobs).map(|(id, blob)| (*id, &blob[..])).unzip();
        added.add_blobs(&ids, &views).unwrap();
        prop_assert_eq!(&added.cosines(query).unwrap(), &expected);
        prop_assert_eq!(added.vectors(&ids).unwrap(), engine(Precision::Sq8, &loaded).vectors(&ids).unwrap());
    }
}
