//! What is filled in AVX-512: eight words in one vector.

use super::{Apart, Bmi2, Cpu, Four, Lanes};
use std::arch::x86_64::{
    __m512i, __mmask8, _mm512_and_si512, _mm512_mask_blend_epi64, _mm512_mask_set1_epi64,
    _mm512_or_si512, _mm512_popcnt_epi64, _mm512_reduce_add_epi64, _mm512_reduce_or_epi64,
    _mm512_rolv_epi64, _mm512_set_epi64, _mm512_set1_epi64, _mm512_shldv_epi64,
};
use std::hint::black_box;

/// A [`Bmi2`] that has AVX-512 as well, with shifts of pairs of words and counts of bits; made only by [`Avx512::detect`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512 {
    // As constants they would be compiled to slower shuffles. First the lanes that go down, then those of the second of two words.
    down: __mmask8,
    second: __mmask8,
}

impl Avx512 {
    /// If the processor has it all.
    pub(super) fn detect() -> Option<Avx512> {
        let wide = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("avx512vpopcntdq");
        let down = black_box(0b1111_0000);
        let second = black_box(0b1100_1100);
        wide.then_some(Avx512 { down, second })
    }
}

impl Cpu for Avx512 {
    const GATHERS: bool = true;
    const FILLS: bool = true;
    type Lanes = One;

    #[inline(always)]
    fn gather(self, word: u64, mask: u64) -> u64 {
        Bmi2 { wide: Some(self) }.gather(word, mask)
    }

    #[inline(always)]
    fn scatter(self, word: u64, mask: u64) -> u64 {
        Bmi2 { wide: Some(self) }.scatter(word, mask)
    }

    #[inline(always)]
    fn apart<T: Apart>(self, work: T, sets: Four) -> T::Out {
        work.run(self, sets)
    }

    #[inline(always)]
    fn lanes(self, words: &[u64; 8]) -> One {
        let [a, b, c, d, e, f, g, h] = words.map(|w| w as i64);
        // SAFETY: an `Avx512` exists only where the processor was found to have AVX-512.
        One(unsafe { _mm512_set_epi64(h, g, f, e, d, c, b, a) })
    }

    #[inline(always)]
    fn two(self, a: u64, b: u64) -> One {
        let (a, b) = (a as i64, b as i64);
        // SAFETY: as above.
        One(unsafe { _mm512_mask_set1_epi64(_mm512_set1_epi64(a), self.second, b) })
    }

    #[inline(always)]
    fn by(self, squares: &[u64; 8]) -> Turns {
        Turns {
            up: self.lanes(squares).0,
            down: self.down,
        }
    }
}

/// One vector of AVX-512. Made only by an [`Avx512`].
#[derive(Clone, Copy)]
pub(crate) struct One(__m512i);

/// By how much words are turned up: those of lanes that go down by what is left of 64. Only the low six bits count.
#[derive(Clone, Copy)]
pub(crate) struct Turns {
    up: __m512i,
    down: __mmask8,
}

/// Shifts turn the words round: what leaves a set at one end comes in at the other, which filling masks out.
impl Lanes for One {
    type By = Turns;

    #[inline(always)]
    fn and(self, other: One) -> One {
        // SAFETY: a `One` is made by an `Avx512` alone, so the processor has AVX-512; so in all that follows.
        One(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn or(self, other: One) -> One {
        // SAFETY: as above.
        One(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn shift<const W: usize>(words: [One; W], by: Turns) -> [One; W] {
        let mut moved = words;
        if W == 1 {
            // SAFETY: as above.
            moved[0].0 = unsafe { _mm512_rolv_epi64(words[0].0, by.up) };
            return moved;
        }
        // Lanes that go down begin with the word after: turning all words down by n is turning them up by 64 - n from
        // there on.
        let mut turned = words;
        for i in 0..W {
            // SAFETY: as above.
            turned[i].0 =
                unsafe { _mm512_mask_blend_epi64(by.down, words[i].0, words[(i + 1) % W].0) };
        }
        for i in 0..W {
            let before = turned[(i + W - 1) % W].0;
            // SAFETY: as above.
            moved[i].0 = unsafe { _mm512_shldv_epi64(turned[i].0, before, by.up) };
        }
        moved
    }

    #[inline(always)]
    fn count(self) -> u32 {
        // SAFETY: as above.
        unsafe { _mm512_reduce_add_epi64(_mm512_popcnt_epi64(self.0)) as u32 }
    }

    #[inline(always)]
    fn any(self) -> u64 {
        // SAFETY: as above.
        unsafe { _mm512_reduce_or_epi64(self.0) as u64 }
    }
}
