//! Sorting: by text, eight bytes at a time; and with little code.
//!
//! In: numbers, and the text of each. Out: the numbers in the order of their texts. A sort that
//! compares pairs reads the same bytes again and again if texts begin alike, as paths do. Here, a
//! text's next eight bytes are one number, and only texts in which those are equal are compared
//! further. The work is linear in the bytes, except for the sorting of numbers.
//!
//! The standard library's sorts are compiled anew for each type, 4 KB each in WebAssembly. Where not
//! every question waits for them, the functions `sort…` there share one that sorts places.

#[cfg(not(target_arch = "wasm32"))]
use std::cmp::Ordering;

/// Sort, equal items in any order.
#[cfg(not(target_arch = "wasm32"))]
pub fn sort<T: Ord>(items: &mut [T]) {
    items.sort_unstable();
}

/// Sort by a comparison, equal items in any order.
#[cfg(not(target_arch = "wasm32"))]
pub fn sort_unstable_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    items.sort_unstable_by(compare);
}

/// The same; equal items keep their order.
#[cfg(not(target_arch = "wasm32"))]
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    items.sort_by(compare);
}

/// Sort by a key that is made once for each item; equal items keep their order.
#[cfg(not(target_arch = "wasm32"))]
pub fn sort_by_cached_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    items.sort_by_cached_key(key);
}

/// Sort, and keep one of equal items.
pub fn sort_unique<T: Ord>(items: &mut Vec<T>) {
    sort(items);
    items.dedup();
}

#[cfg(target_arch = "wasm32")]
pub use little::{sort, sort_by, sort_by as sort_unstable_by, sort_by_cached_key};

/// The same, with little code for each type.
#[cfg(any(test, target_arch = "wasm32"))]
mod little {
    use std::cmp::Ordering;

    pub fn sort<T: Ord>(items: &mut [T]) {
        sort_by(items, T::cmp);
    }

    pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
        let order = sorted(items.len(), &|one, other| compare(&items[one], &items[other]));
        arrange(order, &mut |one, other| items.swap(one, other));
    }

    pub fn sort_by_cached_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
        let keys: Vec<K> = items.iter().map(key).collect();
        let order = sorted(items.len(), &|one, other| keys[one].cmp(&keys[other]));
        arrange(order, &mut |one, other| items.swap(one, other));
    }

    /// Places in the order of what is there.
    fn sorted(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
        let mut order: Vec<usize> = (0..len).collect();
        order.sort_by(|one, other| compare(*one, *other));
        order
    }

    /// Bring what is at each place of an order to the place of that place.
    fn arrange(mut order: Vec<usize>, swap: &mut dyn FnMut(usize, usize)) {
        for start in 0..order.len() {
            let mut at = start;
            while order[at] != start {
                let from = std::mem::replace(&mut order[at], at);
                swap(at, from);
                at = from;
            }
            order[at] = at;
        }
    }
}

/// Sort numbers by their texts; those of equal texts by themselves.
pub fn sort_by_text<'t>(numbers: &mut [u32], text: impl Fn(u32) -> &'t [u8]) {
    if numbers.len() < FEW {
        return numbers.sort_unstable_by_key(|number| (text(*number), *number));
    }
    let mut keys: Vec<u128> = numbers.iter().map(|number| *number as u128).collect();
    let mut waiting = vec![(0..keys.len(), 0)];
    while let Some((range, from)) = waiting.pop() {
        let start = range.start;
        let run = &mut keys[range];
        run.iter_mut().for_each(|key| *key = key_at(text(*key as u32), from, *key as u32));
        run.sort_unstable();
        let mut at = start;
        for same in run.chunk_by(|a, b| a >> 32 == b >> 32) {
            if same.len() > 1 && goes_on(same[0]) {
                waiting.push((at..at + same.len(), from + WORD));
            }
            at += same.len();
        }
    }
    numbers.iter_mut().zip(keys).for_each(|(number, key)| *number = key as u32);
}

const WORD: usize = 8;
/// Fewer texts are compared pair by pair.
const FEW: usize = 8;

/// The bytes of a text at a place, how many there are, and its number.
fn key_at(text: &[u8], from: usize, number: u32) -> u128 {
    let rest = text.get(from..).unwrap_or(b"");
    let (word, bytes) = match rest.first_chunk::<WORD>() {
        Some(word) => (*word, WORD + (rest.len() > WORD) as usize),
        None => {
            let mut word = [0; WORD];
            word[..rest.len()].copy_from_slice(rest);
            (word, rest.len())
        }
    };
    (u64::from_be_bytes(word) as u128) << 64 | (bytes as u128) << 32 | number as u128
}

/// Whether the text of a key is longer than the part in the key.
fn goes_on(key: u128) -> bool {
    (key >> 32) as u32 as usize > WORD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_code_sorts_the_same() {
        let items: Vec<(u32, usize)> =
            (0..200_usize).map(|at| (at as u32 * 7_919 % 31, at)).collect();
        for len in (0..9).chain([200]) {
            let (mut sorted, mut expected) = (items[..len].to_vec(), items[..len].to_vec());
            let (mut cached, mut whole) = (sorted.clone(), sorted.clone());
            expected.sort_by_key(|(key, _)| *key);
            little::sort_by(&mut sorted, |one, other| one.0.cmp(&other.0));
            little::sort_by_cached_key(&mut cached, |(key, _)| *key);
            little::sort(&mut whole);

            assert_eq!([&sorted, &cached, &whole], [&expected; 3]);
        }
    }

    #[test]
    fn numbers_stand_in_the_order_of_their_texts() {
        let mut texts: Vec<Vec<u8>> = vec![b"".to_vec(), b"\0".to_vec(), b"/a\0".to_vec()];
        for len in 0..40_usize {
            for byte in [0, b'/', 0xff] {
                texts.push(vec![b'/'; len]);
                texts.push([&vec![b'/'; len][..], &[byte, b'x']].concat());
            }
        }
        let mut sorted: Vec<u32> = (0..texts.len() as u32).rev().collect();
        let mut expected = sorted.clone();
        expected.sort_by_key(|number| (&texts[*number as usize], *number));
        sort_by_text(&mut sorted, |number| &texts[number as usize]);

        assert_eq!(sorted, expected);
    }
}
