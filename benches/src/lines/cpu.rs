//! Work compiled for three kinds of processor, and the instructions that the compiler does not find by
//! itself. The one place with `unsafe`; the values that stand for a processor's features are made by
//! [`levels`] alone, after it was asked for them.
#![allow(unsafe_code)]

use std::arch::x86_64::*;

/// Work to compile for each kind. What it calls is `inline(always)`: a function of its own would be
/// compiled for any processor.
pub trait Task {
    /// Does it and gives a number that depends on all of it.
    fn run(self) -> u64;
}

/// BMI1, BMI2, LZCNT, POPCNT and AVX2, as the library's fast way asks for.
#[derive(Clone, Copy)]
pub struct Bmi2(());

/// Those and AVX-512 with its byte shifts and population counts.
#[derive(Clone, Copy)]
pub struct Avx512(());

/// A kind of processor.
#[derive(Clone, Copy)]
pub enum Level {
    /// Any x86-64.
    Plain,
    /// See [`Bmi2`].
    Bmi2(Bmi2),
    /// See [`Avx512`].
    Avx512(Avx512),
}

macro_rules! has {
    ($($name:tt)*) => { true $(&& is_x86_feature_detected!($name))* };
}

/// Those that this processor is.
pub fn levels() -> (Option<Bmi2>, Option<Avx512>) {
    let bmi2 = has!("bmi1" "bmi2" "lzcnt" "popcnt" "avx2");
    let wide =
        bmi2 && has!("avx512f" "avx512vl" "avx512bw" "avx512dq" "avx512vbmi2" "avx512vpopcntdq");
    (bmi2.then_some(Bmi2(())), wide.then_some(Avx512(())))
}

impl Level {
    /// Its name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Level::Plain => "x86-64",
            Level::Bmi2(_) => "BMI2, AVX2",
            Level::Avx512(_) => "AVX-512",
        }
    }

    /// Runs the work compiled for it.
    pub fn run<T: Task>(self, task: T) -> u64 {
        match self {
            Level::Plain => plain(task),
            // SAFETY: the value shows that the processor has the features.
            Level::Bmi2(_) => unsafe { bmi2(task) },
            // SAFETY: as above.
            Level::Avx512(_) => unsafe { avx512(task) },
        }
    }
}

#[inline(never)]
fn plain<T: Task>(task: T) -> u64 {
    task.run()
}

#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx2")]
fn bmi2<T: Task>(task: T) -> u64 {
    task.run()
}

#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx2")]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512dq,avx512vbmi2,avx512vpopcntdq")]
fn avx512<T: Task>(task: T) -> u64 {
    task.run()
}

impl Bmi2 {
    /// The bits of the word where the mask has one, side by side.
    #[inline(always)]
    pub fn gather(self, word: u64, mask: u64) -> u64 {
        // SAFETY: a `Bmi2` exists only where the processor has the instruction.
        unsafe { _pext_u64(word, mask) }
    }

    /// The lowest bits of the word, put where the mask has one.
    #[inline(always)]
    pub fn scatter(self, word: u64, mask: u64) -> u64 {
        // SAFETY: as above.
        unsafe { _pdep_u64(word, mask) }
    }
}

/// Eight words, one for each direction: the first four go up in square numbers, the others down.
pub trait Lanes: Copy {
    /// Shows that the processor can.
    type Cpu: Copy;
    /// How far to shift, as the instructions want it.
    type By: Copy;

    /// Of these words.
    fn new(cpu: Self::Cpu, words: [u64; 8]) -> Self;
    /// A shift by so many squares, 1 to 63, up or down as the lane goes.
    fn by(cpu: Self::Cpu, squares: [u64; 8]) -> Self::By;
    /// Bits of both.
    fn and(self, other: Self) -> Self;
    /// Bits of either.
    fn or(self, other: Self) -> Self;
    /// All bits moved; what leaves on one side may come in on the other. Lowest words first.
    fn shift<const W: usize>(words: [Self; W], by: Self::By) -> [Self; W];
    /// Number of bits.
    fn count(self) -> u32;
}

/// As the compiler likes it.
impl Lanes for [u64; 8] {
    type Cpu = ();
    type By = [u64; 8];

    #[inline(always)]
    fn new((): (), words: [u64; 8]) -> Self {
        words
    }
    fn by((): (), squares: [u64; 8]) -> [u64; 8] {
        squares
    }
    #[inline(always)]
    fn and(mut self, other: Self) -> Self {
        for i in 0..8 {
            self[i] &= other[i];
        }
        self
    }
    #[inline(always)]
    fn or(mut self, other: Self) -> Self {
        for i in 0..8 {
            self[i] |= other[i];
        }
        self
    }
    #[inline(always)]
    fn shift<const W: usize>(words: [Self; W], by: [u64; 8]) -> [Self; W] {
        let (low, high) = (words[0], words[W - 1]);
        let mut moved = words;
        for i in 0..4 {
            moved[0][i] = low[i] << (by[i] & 63);
        }
        for i in 4..8 {
            moved[W - 1][i] = high[i] >> (by[i] & 63);
        }
        if W > 1 {
            for i in 0..4 {
                moved[1][i] = high[i] << (by[i] & 63) | low[i] >> ((64 - by[i]) & 63);
            }
            for i in 4..8 {
                moved[0][i] = low[i] >> (by[i] & 63) | high[i] << ((64 - by[i]) & 63);
            }
        }
        moved
    }
    #[inline(always)]
    fn count(self) -> u32 {
        let mut n = 0;
        for word in self {
            n += word.count_ones();
        }
        n
    }
}

/// Two vectors of AVX2: the lanes that go up and those that go down.
#[derive(Clone, Copy)]
pub struct Two(__m256i, __m256i);

#[inline(always)]
fn four(w: &[u64]) -> __m256i {
    let [a, b, c, d] = [w[0] as i64, w[1] as i64, w[2] as i64, w[3] as i64];
    // SAFETY: called with a `Bmi2` at hand only.
    unsafe { _mm256_set_epi64x(d, c, b, a) }
}

impl Lanes for Two {
    type Cpu = Bmi2;
    /// The shifts and what is left of 64.
    type By = [Two; 2];

    #[inline(always)]
    fn new(_: Bmi2, words: [u64; 8]) -> Self {
        Two(four(&words[..4]), four(&words[4..]))
    }
    fn by(cpu: Bmi2, squares: [u64; 8]) -> [Two; 2] {
        [
            Self::new(cpu, squares),
            Self::new(cpu, squares.map(|s| 64 - s)),
        ]
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: a `Two` is made with a `Bmi2` only; so in all that follows.
        unsafe {
            Two(
                _mm256_and_si256(self.0, other.0),
                _mm256_and_si256(self.1, other.1),
            )
        }
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: as above.
        unsafe {
            Two(
                _mm256_or_si256(self.0, other.0),
                _mm256_or_si256(self.1, other.1),
            )
        }
    }
    #[inline(always)]
    fn shift<const W: usize>(words: [Self; W], [by, rest]: [Two; 2]) -> [Self; W] {
        let (low, high) = (words[0], words[W - 1]);
        let mut moved = words;
        // SAFETY: as above.
        unsafe {
            moved[0].0 = _mm256_sllv_epi64(low.0, by.0);
            moved[W - 1].1 = _mm256_srlv_epi64(high.1, by.1);
            if W > 1 {
                let (up, down) = (
                    _mm256_sllv_epi64(high.0, by.0),
                    _mm256_srlv_epi64(low.1, by.1),
                );
                moved[1].0 = _mm256_or_si256(up, _mm256_srlv_epi64(low.0, rest.0));
                moved[0].1 = _mm256_or_si256(down, _mm256_sllv_epi64(high.1, rest.1));
            }
        }
        moved
    }
    #[inline(always)]
    fn count(self) -> u32 {
        // SAFETY: as above; both types are 32 bytes of plain numbers.
        let words: [[u64; 4]; 2] = unsafe { std::mem::transmute([self.0, self.1]) };
        let mut n = 0;
        for word in words.as_flattened() {
            n += word.count_ones();
        }
        n
    }
}

/// One vector of AVX-512.
#[derive(Clone, Copy)]
pub struct One(__m512i);

/// The lanes that go down.
const DOWN: u8 = 0xf0;

impl Lanes for One {
    type Cpu = Avx512;
    /// Rotations up: those of the lanes that go down are what is left of 64.
    type By = One;

    #[inline(always)]
    fn new(_: Avx512, words: [u64; 8]) -> Self {
        let [a, b, c, d, e, f, g, h] = words.map(|w| w as i64);
        // SAFETY: an `Avx512` exists only where the processor has the instructions.
        One(unsafe { _mm512_set_epi64(h, g, f, e, d, c, b, a) })
    }
    fn by(cpu: Avx512, squares: [u64; 8]) -> One {
        let turn = |i: usize| if i < 4 { squares[i] } else { 64 - squares[i] };
        Self::new(cpu, std::array::from_fn(turn))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        // SAFETY: a `One` is made with an `Avx512` only; so in all that follows.
        One(unsafe { _mm512_and_si512(self.0, other.0) })
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        // SAFETY: as above.
        One(unsafe { _mm512_or_si512(self.0, other.0) })
    }
    #[inline(always)]
    fn shift<const W: usize>(words: [Self; W], by: One) -> [Self; W] {
        let (low, high) = (words[0].0, words[W - 1].0);
        let mut moved = words;
        // SAFETY: as above.
        unsafe {
            if W == 1 {
                moved[0].0 = _mm512_rolv_epi64(low, by.0);
            } else {
                // To turn 128 bits down by n is to swap the words and to turn them up by 64 - n.
                let first = _mm512_mask_blend_epi64(DOWN, low, high);
                let second = _mm512_mask_blend_epi64(DOWN, high, low);
                moved[0].0 = _mm512_shldv_epi64(first, second, by.0);
                moved[W - 1].0 = _mm512_shldv_epi64(second, first, by.0);
            }
        }
        moved
    }
    #[inline(always)]
    fn count(self) -> u32 {
        // SAFETY: as above.
        unsafe { _mm512_reduce_add_epi64(_mm512_popcnt_epi64(self.0)) as u32 }
    }
}
