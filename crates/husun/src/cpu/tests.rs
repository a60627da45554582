//! The kinds of processor agree, and each copy is reached.

use super::*;

struct Both(u64, u64);
impl Kernel for Both {
    type Out = (u64, u64);
    fn run<C: Cpu>(self, cpu: C) -> (u64, u64) {
        (cpu.gather(self.0, self.1), cpu.scatter(self.0, self.1))
    }
}

struct Looks;
impl Kernel for Looks {
    type Out = Needs;
    const COPIES: &'static [Needs] = &Needs::COPIES;
    fn run<C: Cpu>(self, _: C) -> Needs {
        C::NEEDS
    }
}

/// Whatever a game needs is looked for, by no other copy than its own where the processor has copies.
#[test]
fn every_copy_is_reached() {
    for bits in 0..=Needs::ALL.0 {
        let needs = Needs(bits);
        assert_eq!(
            Level::Portable.fitted(needs, Looks::COPIES).run(Looks),
            Needs::ALL
        );
        let expected = match Level::detect() {
            Level::Portable => Needs::ALL,
            #[cfg(target_arch = "x86_64")]
            Level::Bmi2(..) => needs.copy(Looks::COPIES),
        };
        assert_eq!(
            Level::detect().fitted(needs, Looks::COPIES).run(Looks),
            expected,
            "{bits}"
        );
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
