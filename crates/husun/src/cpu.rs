//! What the processor can do, found at run time: the one room with unsafe code. Everything that makes or
//! lists moves is written once, generic over [`Cpu`], and compiled twice: for any processor and for one
//! that counts, finds, gathers and scatters bits in single instructions. Measured gain: `docs/speed.md`.
#![allow(unsafe_code)]

use std::fmt::Debug;

/// The operations that differ. A value of a type proves that the processor has them.
pub(crate) trait Cpu: Copy + Debug {
    /// Whether bits are gathered and scattered fast; else lines are walked by their first blockers.
    const GATHERS: bool;
    /// The bits of the word under the mask, moved together at the low end.
    fn gather(self, word: u64, mask: u64) -> u64;
    /// The low bits of the word, moved under the mask: the reverse of [`Cpu::gather`].
    fn scatter(self, word: u64, mask: u64) -> u64;
}

/// Work that is compiled for each kind of processor. All that it calls in a loop is `inline(always)`,
/// since a function of its own would be compiled for any processor.
pub(crate) trait Task {
    type Out;
    fn run<C: Cpu>(self, cpu: C) -> Self::Out;
}

/// Any processor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Cpu for Portable {
    const GATHERS: bool = false;

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
}

/// An x86-64 processor with BMI1, BMI2, LZCNT, POPCNT and AVX2 (for copies of positions); made by [`Level::detect`] alone.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bmi2(());

#[cfg(target_arch = "x86_64")]
impl Cpu for Bmi2 {
    const GATHERS: bool = true;

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
}

/// Which of the two to use.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Level {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Bmi2(Bmi2),
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
            return Level::Bmi2(Bmi2(()));
        }
        Level::Portable
    }

    /// Runs the work, compiled for the processor.
    #[inline(always)]
    pub fn run<T: Task>(self, task: T) -> T::Out {
        match self {
            Level::Portable => task.run(Portable),
            #[cfg(target_arch = "x86_64")]
            Level::Bmi2(cpu) => {
                // SAFETY: a `Bmi2` exists only where the processor was found to have the features that
                // the function is compiled for.
                unsafe { run_bmi2(task, cpu) }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt,avx2")]
fn run_bmi2<T: Task>(task: T, cpu: Bmi2) -> T::Out {
    task.run(cpu)
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
mod tests {
    use super::*;

    struct Both(u64, u64);
    impl Task for Both {
        type Out = (u64, u64);
        fn run<C: Cpu>(self, cpu: C) -> (u64, u64) {
            (cpu.gather(self.0, self.1), cpu.scatter(self.0, self.1))
        }
    }

    #[test]
    fn levels_agree() {
        let mut x = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..1000 {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            let (word, mask) = (x, x.rotate_left(23) & x.wrapping_mul(0xd6e8_feb8_6659_fd93));
            let portable = Level::Portable.run(Both(word, mask));
            assert_eq!(portable, Level::detect().run(Both(word, mask)));
            let (gathered, scattered) = portable;
            assert_eq!(Portable.scatter(gathered, mask), word & mask);
            assert_eq!(scattered & !mask, 0);
        }
    }
}
