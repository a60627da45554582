//! What the processor can do, found at run time: the one module with unsafe code. Everything that makes or
//! lists moves is written once, generic over [`Cpu`], and compiled twice: for any processor and for one
//! that counts, finds, gathers and scatters bits in single instructions. Filling is compiled for AVX-512 as
//! well, and counting and perft once more for each of a few sets of needs ([`Needs`]). Measured gain: `docs/speed.md`.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;

use crate::tables::Needs;
#[cfg(target_arch = "x86_64")]
use avx512::Avx512;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256i, _mm256_and_si256, _mm256_or_si256, _mm256_set_epi64x, _mm256_sllv_epi64,
    _mm256_srlv_epi64,
};
use std::fmt::Debug;

/// The operations that differ. A value of a type proves that the processor has them.
pub(crate) trait Cpu: Copy + Debug {
    /// Whether bits are gathered and scattered fast; if not, lines are resolved by their first blockers.
    const GATHERS: bool;
    /// Whether eight words are processed as fast as a few; if not, filling is not worth while.
    const FILLS: bool;
    /// What the code looks for; the game has nothing else.
    const NEEDS: Needs = Needs::ALL;
    /// Eight words side by side.
    type Lanes: Lanes;
    /// The bits of the word under the mask, moved together at the low end.
    fn gather(self, word: u64, mask: u64) -> u64;
    /// The low bits of the word, moved under the mask: the reverse of [`Cpu::gather`].
    fn scatter(self, word: u64, mask: u64) -> u64;
    /// Runs work in a function of its own: large code that seldom runs would push frequent code out of the
    /// nearest caches.
    fn apart<T: Apart>(self, work: T, sets: Four) -> T::Out;
    /// The lanes of these words.
    fn lanes(self, words: &[u64; 8]) -> Self::Lanes;
    /// Lanes of two words: first, second, fifth and sixth, and the others.
    fn two(self, a: u64, b: u64) -> Self::Lanes;
    /// Shift distances: for the first four lanes 1 to 63 squares, for the others 64 less those.
    fn by(self, squares: &[u64; 8]) -> <Self::Lanes as Lanes>::By;
}

/// Eight words side by side, one for each direction: the first four go up in square numbers, the others down.
pub(crate) trait Lanes: Copy {
    /// Shift distances in the form that the instructions take.
    type By: Copy;
    /// Bits of both.
    fn and(self, other: Self) -> Self;
    /// Bits of either.
    fn or(self, other: Self) -> Self;
    /// Sets of one or two words, low word first, with all bits shifted up or down as the lane goes.
    fn shift<const W: usize>(words: [Self; W], by: Self::By) -> [Self; W];
    /// Number of bits.
    fn count(self) -> u32;
    /// Bits of any lane.
    fn any(self) -> u64;
}

/// Work that is compiled for each kind of processor. Everything it calls in a loop is `inline(always)`, since a
/// separate function would be compiled for the baseline processor.
pub(crate) trait Kernel {
    type Out;
    /// Copies that look only for what a game has, as far as they are worth it.
    const COPIES: &'static [Needs] = &[];
    fn run<C: Cpu>(self, cpu: C) -> Self::Out;
}

/// Work on four sets that is compiled as a function of its own. The function is given each word by itself, in registers as far
/// as there are enough: of words just written side by side, as many as a vector holds would be read at once, which has
/// to wait until all of them have reached the cache.
pub(crate) trait Apart {
    type Out;
    fn run<C: Cpu>(self, cpu: C, sets: Four) -> Self::Out;
}

/// Four sets, by word.
pub(crate) type Four = [[u64; 4]; 3];

/// Any processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Cpu for Portable {
    const GATHERS: bool = false;
    const FILLS: bool = false;
    type Lanes = [u64; 8];

    fn gather(self, word: u64, mask: u64) -> u64 {
        let (mut gathered, mut at, mut rest) = (0, 0, mask);
        while rest != 0 {
            gathered |= (word >> rest.trailing_zeros() & 1) << at;
            at += 1;
            rest &= rest - 1;
        }
        gathered
    }

    fn scatter(self, word: u64, mask: u64) -> u64 {
        let (mut scattered, mut at, mut rest) = (0, 0, mask);
        while rest != 0 {
            scattered |= (word >> at & 1) << rest.trailing_zeros();
            at += 1;
            rest &= rest - 1;
        }
        scattered
    }

    fn apart<T: Apart>(self, work: T, sets: Four) -> T::Out {
        work.run(self, sets)
    }

    fn lanes(self, words: &[u64; 8]) -> [u64; 8] {
        *words
    }

    fn two(self, a: u64, b: u64) -> [u64; 8] {
        [a, a, b, b, a, a, b, b]
    }

    fn by(self, squares: &[u64; 8]) -> [u64; 8] {
        *squares
    }
}

impl Lanes for [u64; 8] {
    type By = [u64; 8];

    fn and(self, other: Self) -> Self {
        std::array::from_fn(|i| self[i] & other[i])
    }

    fn or(self, other: Self) -> Self {
        std::array::from_fn(|i| self[i] | other[i])
    }

    fn shift<const W: usize>(words: [Self; W], by: [u64; 8]) -> [Self; W] {
        std::array::from_fn(|w| {
            std::array::from_fn(|i| {
                let (n, rest) = (by[i % 4], by[4 + i % 4]);
                match (i < 4, w) {
                    (true, 0) => words[0][i] << n,
                    (true, _) => words[w][i] << n | words[w - 1][i] >> rest,
                    (false, _) if w + 1 < W => words[w][i] >> n | words[w + 1][i] << rest,
                    (false, _) => words[w][i] >> n,
                }
            })
        })
    }

    fn count(self) -> u32 {
        self.iter().map(|word| word.count_ones()).sum()
    }

    fn any(self) -> u64 {
        self.iter().fold(0, |all, word| all | word)
    }
}

/// An x86-64 processor with BMI1, BMI2, LZCNT, POPCNT and AVX2; made only by [`Level::detect`].
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bmi2 {
    /// The same with AVX-512, if it is: only what runs apart is compiled for that, as all else gains nothing.
    wide: Option<Avx512>,
}

#[cfg(target_arch = "x86_64")]
impl Cpu for Bmi2 {
    const GATHERS: bool = true;
    const FILLS: bool = true;
    type Lanes = Two;

    #[inline(always)]
    fn gather(self, word: u64, mask: u64) -> u64 {
        // SAFETY: a `Bmi2` exists only where the processor was found to have BMI2.
        unsafe { std::arch::x86_64::_pext_u64(word, mask) }
    }

    #[inline(always)]
    fn scatter(self, word: u64, mask: u64) -> u64 {
        // SAFETY: as above.
        unsafe { std::arch::x86_64::_pdep_u64(word, mask) }
    }

    #[inline(always)]
    fn apart<T: Apart>(self, work: T, [low, middle, high]: Four) -> T::Out {
        let [a, b, c, d] = low;
        let [e, f, g, h] = middle;
        let [i, j, k, l] = high;
        match self.wide {
            // SAFETY: an `Avx512` exists only where the processor was found to have what the function is compiled for.
            Some(wide) => unsafe { apart_avx512(work, wide, a, b, c, d, e, f, g, h, i, j, k, l) },
            // SAFETY: the same holds of a `Bmi2`.
            None => unsafe { apart_bmi2(work, self, a, b, c, d, e, f, g, h, i, j, k, l) },
        }
    }

    #[inline(always)]
    fn lanes(self, words: &[u64; 8]) -> Two {
        let [a, b, c, d, e, f, g, h] = *words;
        Two(four([a, b, c, d]), four([e, f, g, h]))
    }

    #[inline(always)]
    fn two(self, a: u64, b: u64) -> Two {
        let lanes = four([a, a, b, b]);
        Two(lanes, lanes)
    }

    #[inline(always)]
    fn by(self, squares: &[u64; 8]) -> By {
        let [a, b, c, d, e, f, g, h] = *squares;
        By {
            squares: four([a, b, c, d]),
            rest: four([e, f, g, h]),
        }
    }
}

/// A [`Bmi2`], which it holds as the same proof, for games that have at most the needs of these bits: for any other game
/// moves would be missed, no more.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
struct Fitted<const NEEDS: u8>(Bmi2);

#[cfg(target_arch = "x86_64")]
impl<const NEEDS: u8> Cpu for Fitted<NEEDS> {
    const GATHERS: bool = true;
    const FILLS: bool = true;
    const NEEDS: Needs = Needs(NEEDS);
    type Lanes = Two;

    #[inline(always)]
    fn gather(self, word: u64, mask: u64) -> u64 {
        self.0.gather(word, mask)
    }

    #[inline(always)]
    fn scatter(self, word: u64, mask: u64) -> u64 {
        self.0.scatter(word, mask)
    }

    #[inline(always)]
    fn apart<T: Apart>(self, work: T, sets: Four) -> T::Out {
        self.0.apart(work, sets)
    }

    #[inline(always)]
    fn lanes(self, words: &[u64; 8]) -> Two {
        self.0.lanes(words)
    }

    #[inline(always)]
    fn two(self, a: u64, b: u64) -> Two {
        self.0.two(a, b)
    }

    #[inline(always)]
    fn by(self, squares: &[u64; 8]) -> By {
        self.0.by(squares)
    }
}

/// Two AVX2 vectors: the lanes that go up and those that go down. Made only by a [`Bmi2`].
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Two(__m256i, __m256i);

/// Shifts, and what is left of 64.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct By {
    squares: __m256i,
    rest: __m256i,
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn four(words: [u64; 4]) -> __m256i {
    let [a, b, c, d] = words.map(|w| w as i64);
    // SAFETY: called by the methods of a `Bmi2` alone, which exists only where the processor was found to have AVX2.
    unsafe { _mm256_set_epi64x(d, c, b, a) }
}

#[cfg(target_arch = "x86_64")]
impl Lanes for Two {
    type By = By;

    #[inline(always)]
    fn and(self, other: Two) -> Two {
        // SAFETY: a `Two` is made by a `Bmi2` alone, so the processor has AVX2; so in all that follows.
        let and = |a, b| unsafe { _mm256_and_si256(a, b) };
        Two(and(self.0, other.0), and(self.1, other.1))
    }

    #[inline(always)]
    fn or(self, other: Two) -> Two {
        // SAFETY: as above.
        let or = |a, b| unsafe { _mm256_or_si256(a, b) };
        Two(or(self.0, other.0), or(self.1, other.1))
    }

    #[inline(always)]
    fn shift<const W: usize>(words: [Two; W], by: By) -> [Two; W] {
        let mut moved = words;
        for i in 0..W {
            // SAFETY: as above.
            unsafe {
                moved[i].0 = _mm256_sllv_epi64(words[i].0, by.squares);
                moved[i].1 = _mm256_srlv_epi64(words[i].1, by.squares);
                if i > 0 {
                    let carried = _mm256_srlv_epi64(words[i - 1].0, by.rest);
                    moved[i].0 = _mm256_or_si256(moved[i].0, carried);
                }
                if i + 1 < W {
                    let carried = _mm256_sllv_epi64(words[i + 1].1, by.rest);
                    moved[i].1 = _mm256_or_si256(moved[i].1, carried);
                }
            }
        }
        moved
    }

    #[inline(always)]
    fn count(self) -> u32 {
        // SAFETY: both types are 64 bytes of plain numbers.
        let words: [u64; 8] = unsafe { std::mem::transmute([self.0, self.1]) };
        let mut n = 0;
        for word in words {
            n += word.count_ones();
        }
        n
    }

    #[inline(always)]
    fn any(self) -> u64 {
        // SAFETY: both types are 32 bytes of plain numbers; the processor has AVX2, as above.
        let [a, b, c, d]: [u64; 4] =
            unsafe { std::mem::transmute(_mm256_or_si256(self.0, self.1)) };
        a | b | c | d
    }
}

/// Which of the implementations to use.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    Portable,
    /// With what its copy looks for.
    #[cfg(target_arch = "x86_64")]
    Bmi2(Bmi2, Needs),
}

impl Level {
    /// The best that the processor can do.
    pub fn detect() -> Level {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("avx2")
            && !gathers_slowly()
        {
            let wide = Avx512::detect();
            return Level::Bmi2(Bmi2 { wide }, Needs::ALL);
        }
        Level::Portable
    }

    /// Whether what runs apart is compiled for AVX-512.
    pub fn is_wide(self) -> bool {
        match self {
            Level::Portable => false,
            #[cfg(target_arch = "x86_64")]
            Level::Bmi2(cpu, _) => cpu.wide.is_some(),
        }
    }

    /// This for a game with these needs, of which there are these copies.
    pub fn fitted(self, needs: Needs, copies: &[Needs]) -> Level {
        match (self, needs.copy(copies)) {
            (Level::Portable, _) => Level::Portable,
            #[cfg(target_arch = "x86_64")]
            (Level::Bmi2(cpu, _), copy) => Level::Bmi2(cpu, copy),
        }
    }

    /// This without AVX-512.
    #[cfg(test)]
    pub fn narrow(self) -> Level {
        match self {
            Level::Portable => Level::Portable,
            #[cfg(target_arch = "x86_64")]
            Level::Bmi2(_, needs) => Level::Bmi2(Bmi2 { wide: None }, needs),
        }
    }

    /// Runs the work, compiled for the processor.
    #[inline(always)]
    pub fn run<T: Kernel>(self, kernel: T) -> T::Out {
        match self {
            Level::Portable => run_portable(kernel),
            #[cfg(target_arch = "x86_64")]
            Level::Bmi2(cpu, needs) => {
                // SAFETY: `cpu`, whatever it is wrapped in, exists only where the processor was found to have the
                // features that the functions are compiled for.
                unsafe {
                    match needs {
                        Needs::NONE if const { Needs::NONE.among(T::COPIES) } => {
                            run_bmi2(kernel, Fitted::<{ Needs::NONE.0 }>(cpu))
                        }
                        Needs::RIDERS_AND_CASTLE
                            if const { Needs::RIDERS_AND_CASTLE.among(T::COPIES) } =>
                        {
                            run_bmi2(kernel, Fitted::<{ Needs::RIDERS_AND_CASTLE.0 }>(cpu))
                        }
                        Needs::RIDERS_AND_ROYALS
                            if const { Needs::RIDERS_AND_ROYALS.among(T::COPIES) } =>
                        {
                            run_bmi2(kernel, Fitted::<{ Needs::RIDERS_AND_ROYALS.0 }>(cpu))
                        }
                        Needs::ODD if const { Needs::ODD.among(T::COPIES) } => {
                            run_bmi2(kernel, Fitted::<{ Needs::ODD.0 }>(cpu))
                        }
                        _ => run_bmi2(kernel, cpu),
                    }
                }
            }
        }
    }
}

/// A function that runs work apart, compiled for a kind of processor.
#[cfg(target_arch = "x86_64")]
macro_rules! apart {
    ($name:ident, $cpu:ty, $($features:literal),+) => {
        $(#[target_feature(enable = $features)])+
        #[inline(never)]
        #[expect(clippy::too_many_arguments, reason = "each word in a register: see Apart")]
        fn $name<T: Apart>(
            work: T, cpu: $cpu,
            a: u64, b: u64, c: u64, d: u64, e: u64, f: u64, g: u64, h: u64, i: u64, j: u64, k: u64, l: u64,
        ) -> T::Out {
            work.run(cpu, [[a, b, c, d], [e, f, g, h], [i, j, k, l]])
        }
    };
}

#[cfg(target_arch = "x86_64")]
apart!(apart_bmi2, Bmi2, "bmi1,bmi2,lzcnt,popcnt,avx2");
#[cfg(target_arch = "x86_64")]
apart!(
    apart_avx512,
    Avx512,
    "bmi1,bmi2,lzcnt,popcnt,avx2",
    "avx512f,avx512dq,avx512vbmi2,avx512vpopcntdq"
);

/// Not compiled into each function that asks for the work.
#[inline(never)]
fn run_portable<T: Kernel>(kernel: T) -> T::Out {
    kernel.run(Portable)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx2")]
fn run_bmi2<T: Kernel, C: Cpu>(kernel: T, cpu: C) -> T::Out {
    kernel.run(cpu)
}

/// Whether the processor is one of AMD's before family 19h, which gather bits in microcode, one by one.
#[cfg(target_arch = "x86_64")]
fn gathers_slowly() -> bool {
    use std::arch::x86_64::__cpuid;
    let vendor = __cpuid(0);
    if [vendor.ebx, vendor.edx, vendor.ecx] != [0x6874_7541, 0x6974_6e65, 0x444d_4163] {
        return false;
    }
    let signature = __cpuid(1).eax;
    let (family, extended) = (signature >> 8 & 15, signature >> 20 & 255);
    family + extended < 0x19
}

#[cfg(test)]
mod tests;
