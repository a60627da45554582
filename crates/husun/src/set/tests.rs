use super::*;
use proptest::prelude::*;

fn naive<const N: usize>(set: Words<N>) -> Vec<u8>
where
    Words<N>: Set,
{
    let squares = (0..(64 * N) as u8).map(Square);
    squares.filter(|&s| set.has(s)).map(|s| s.0).collect()
}

fn check<const N: usize>(words: [u64; N], delta: i8)
where
    Words<N>: Set,
{
    let set = Words(words);
    let all = naive(set);
    let top = (64 * N) as i32;
    assert_eq!(set.iter().map(|s| s.0).collect::<Vec<_>>(), all);
    assert_eq!(set.count() as usize, all.len());
    assert_eq!(set.first().map(|s| s.0), all.first().copied());
    assert_eq!(set.last().map(|s| s.0), all.last().copied());
    let first = all.first().map_or(top - 1, |&i| i32::from(i));
    let last = all.last().map_or(0, |&i| i32::from(i));
    assert_eq!(
        naive(set.through_first()),
        (0..=first as u8).collect::<Vec<_>>()
    );
    assert_eq!(
        naive(set.since_last()),
        (last as u8..top as u8).collect::<Vec<_>>()
    );
    let moved = |i: u8| i32::from(i) + i32::from(delta);
    let (stay, moved): (Vec<Square>, Vec<u8>) = all
        .iter()
        .filter(|&&i| (0..top).contains(&moved(i)))
        .map(|&i| (Square(i), moved(i) as u8))
        .unzip();
    assert_eq!(naive(Words::from_squares(stay).shifted(delta)), moved);
}

proptest! {
    #[test]
    fn agree_with_lists(a: u64, b: u64, c: u64, sparse: u64, d in 1i8..63, down: bool) {
        let d = if down { -d } else { d };
        for mask in [u64::MAX, sparse & sparse.rotate_left(7), 0] {
            check([a & mask], d);
            check([a & mask, b], d);
            check([a, b & mask], d);
            check([a & mask, b & mask, c], d);
            check([a, b & mask, c & mask], d);
            check([a & mask, b & mask, c & mask], d);
        }
    }
}
