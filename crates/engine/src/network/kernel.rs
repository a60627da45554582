//! The arithmetic of a network, in 16-bit integers. It is written once, plainly, and compiled twice: for any processor,
//! and for one with AVX2, which is found at run time; both give the same bits. Besides `cpu.rs` of the rules library
//! and `memory.rs` this is the one module with unsafe code: a function compiled for more than the program's own
//! processor can only be called so.
#![allow(unsafe_code)]
// Several slices are gone through at once.
#![allow(clippy::needless_range_loop)]

/// The value of a hidden unit that counts as 1.
pub const ONE: i16 = 255;

/// Which of the two is run. A value that says AVX2 proves that the processor has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kernel(Found);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Kernel {
    /// For any processor.
    pub const PORTABLE: Kernel = Kernel(Found::Portable);

    /// The best one for this processor.
    pub fn find() -> Kernel {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Kernel(Found::Avx2);
        }
        Kernel::PORTABLE
    }

    /// Writes the sums of `from` with the rows `on` added and the rows `off` taken away.
    #[inline(always)]
    pub fn update(self, to: &mut [i16], from: &[i16], rows: &[i16], on: &[u16], off: &[u16]) {
        match self.0 {
            Found::Portable => update(to, from, rows, on, off),
            // SAFETY: the variant is made only by `find`, where the processor was found to have AVX2.
            #[cfg(target_arch = "x86_64")]
            Found::Avx2 => unsafe { update_avx2(to, from, rows, on, off) },
        }
    }

    /// The output before its bias and scale: the weighed squares of the hidden units, each clipped to 0 to [`ONE`].
    #[inline(always)]
    pub fn output(self, sums: [&[i16]; 2], weights: &[i16]) -> i64 {
        match self.0 {
            Found::Portable => output(sums, weights),
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Found::Avx2 => unsafe { output_avx2(sums, weights) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn update_avx2(to: &mut [i16], from: &[i16], rows: &[i16], on: &[u16], off: &[u16]) {
    update(to, from, rows, on, off);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn output_avx2(sums: [&[i16]; 2], weights: &[i16]) -> i64 {
    output(sums, weights)
}

/// The number of hidden units that most networks have: for it the sums stay in registers.
const USUAL: usize = 64;

#[inline(always)]
fn update(to: &mut [i16], from: &[i16], rows: &[i16], on: &[u16], off: &[u16]) {
    let n = to.len();
    if n == USUAL
        && let (Some(to), Some(from)) = (to.first_chunk_mut(), from.first_chunk())
    {
        return update_usual(to, from, rows, on, off);
    }
    let row = |input: u16| &rows[usize::from(input) * n..][..n];
    to.copy_from_slice(&from[..n]);
    for &input in on {
        let row = row(input);
        for i in 0..n {
            to[i] = to[i].wrapping_add(row[i]);
        }
    }
    for &input in off {
        let row = row(input);
        for i in 0..n {
            to[i] = to[i].wrapping_sub(row[i]);
        }
    }
}

#[inline(always)]
fn update_usual(to: &mut [i16; USUAL], from: &[i16; USUAL], rows: &[i16], on: &[u16], off: &[u16]) {
    let (rows, _) = rows.as_chunks::<USUAL>();
    let mut sums = *from;
    for &input in on {
        let row = &rows[usize::from(input)];
        for i in 0..USUAL {
            sums[i] = sums[i].wrapping_add(row[i]);
        }
    }
    for &input in off {
        let row = &rows[usize::from(input)];
        for i in 0..USUAL {
            sums[i] = sums[i].wrapping_sub(row[i]);
        }
    }
    *to = sums;
}

#[inline(always)]
fn output(sums: [&[i16]; 2], weights: &[i16]) -> i64 {
    let half = weights.len() / 2;
    let (own, other) = weights.split_at(half);
    i64::from(weighed(sums[0], own)) + i64::from(weighed(sums[1], other))
}

/// A weight is one byte, so that it times a unit fits 16 bits, and the sum of 256 of them 32.
#[inline(always)]
fn weighed(sums: &[i16], weights: &[i16]) -> i32 {
    let n = weights.len();
    let sums = &sums[..n];
    let mut sum = 0_i32;
    for i in 0..n {
        let unit = sums[i].clamp(0, ONE);
        let part = unit.wrapping_mul(weights[i]);
        sum = sum.wrapping_add(i32::from(part) * i32::from(unit));
    }
    sum
}
