//! The numbers that decide what the search leaves out: which can be tuned, by matches (`husun tune --search`), and within
//! which bounds.

/// A number of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, in words with underscores.
    pub name: &'static str,
    /// The least that it may be.
    pub least: i32,
    /// The most that it may be.
    pub most: i32,
    /// How far it is moved to see what that changes.
    pub step: i32,
}

macro_rules! parameters {
    ($($(#[doc = $doc:literal])* $name:ident: $value:literal, $least:literal..=$most:literal by $step:literal;)*) => {
        /// The numbers that decide what the search leaves out.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct SearchParameters {
            $($(#[doc = $doc])* pub $name: i32,)*
        }

        impl Default for SearchParameters {
            fn default() -> SearchParameters {
                SearchParameters { $($name: $value,)* }
            }
        }

        impl SearchParameters {
            /// Names, bounds and steps, in the order of [`SearchParameters::list`].
            pub const ALL: &[Parameter] = &[$(Parameter {
                name: stringify!($name),
                least: $least,
                most: $most,
                step: $step,
            },)*];

            /// All values.
            pub fn list(&self) -> Vec<i32> {
                vec![$(self.$name,)*]
            }

            /// From all values, in the order of [`SearchParameters::ALL`]; those beyond a bound are brought to it, and those
            /// that are missing are the usual ones.
            pub fn of_list(list: &[i32]) -> SearchParameters {
                let mut parameters = SearchParameters::default();
                let mut given = list.iter();
                $(if let Some(&value) = given.next() {
                    parameters.$name = value.clamp($least, $most);
                })*
                parameters
            }
        }
    };
}

parameters! {
    /// Centipawns above beta for each ply that is left, at which a node is not searched.
    above_margin: 95, 20..=200 by 10;
    /// Centipawns below alpha for each ply that is left, at which only captures are looked at.
    below_margin: 220, 80..=500 by 25;
    /// What a null move is reduced by, in 1024ths of a ply.
    null_base: 3328, 1536..=5120 by 256;
    /// What a null move is reduced by more for each ply, in 1024ths.
    null_depth: 342, 128..=600 by 32;
    /// Centipawns above beta for which a null move is reduced by another ply.
    null_above: 200, 80..=500 by 25;
    /// Centipawns below beta at which a null move is still tried, at depth 0.
    null_margin: 100, 0..=300 by 20;
    /// By how much less of it for each ply.
    null_slope: 20, 5..=50 by 3;
    /// Hundredths of the number of quiet moves after which no more are searched.
    enough_moves: 100, 50..=250 by 10;
    /// The same where the side's evaluation has not risen.
    enough_if_worse: 100, 50..=250 by 10;
    /// Centipawns below alpha at which quiet moves are left out, at depth 0.
    quiet_margin: 100, 20..=300 by 15;
    /// By how much more of it for each ply.
    quiet_slope: 85, 30..=200 by 10;
    /// Below minus this history for each ply, a quiet move is left out.
    quiet_history: 3000, 1000..=8000 by 300;
    /// Centipawns that a quiet move may lose in exchanges, for the square of the plies.
    quiet_exchange: 22, 5..=60 by 3;
    /// Centipawns that a capture may lose in exchanges for each ply.
    capture_exchange: 90, 30..=250 by 12;
    /// 16ths of a centipawn for each ply by which the table's move is to be better than all others.
    singular_margin: 32, 8..=100 by 5;
    /// Centipawns more by which it is extended twice.
    singular_twice: 20, 5..=80 by 4;
    /// What late moves are reduced by at least, in 1024ths of a ply.
    late_base: 768, 0..=1800 by 80;
    /// Hundredths by which the product of the logarithms of depth and number of the move is divided for it.
    late_divisor: 200, 130..=450 by 12;
    /// Less for a node that was on the principal variation.
    late_principal: 1024, 0..=2500 by 100;
    /// More for a node that is expected to be cut off.
    late_cut: 1024, 0..=2500 by 100;
    /// More where the side's evaluation has not risen.
    late_worse: 700, 0..=2000 by 100;
    /// Less for a check.
    late_check: 900, 0..=2500 by 100;
    /// Less for a killer move.
    late_killer: 1000, 0..=2500 by 100;
    /// More where many nodes beside this one were cut off.
    late_cuts: 700, 0..=2000 by 100;
    /// Less for the history of a quiet move, in 4096ths of it.
    late_history: 419, 160..=1200 by 35;
    /// Less for the history of a capture, in 4096ths of it.
    late_capture: 466, 160..=1200 by 35;
    /// What a cutoff teaches for each ply.
    history_slope: 260, 50..=400 by 15;
    /// The most that a cutoff teaches.
    history_most: 2500, 600..=4000 by 150;
    /// What a position may gain in quiescence besides the captured piece.
    futile: 170, 50..=400 by 15;
    /// Half of the window around the score of the iteration before.
    window: 20, 5..=50 by 3;
}

/// Reductions of late moves by depth and number of the move, in 1024ths of a ply.
pub(crate) struct Reductions {
    base: i32,
    divisor: i32,
    table: Box<[[i32; 64]; 64]>,
}

impl Reductions {
    pub fn new(parameters: &SearchParameters) -> Reductions {
        let (base, divisor) = (parameters.late_base, parameters.late_divisor);
        let of = |depth: usize, n: usize| match depth.min(n) {
            0 => 0,
            _ => {
                let plies = (depth as f64).ln() * (n as f64).ln() * 100.0 / f64::from(divisor);
                (f64::from(base) + 1024.0 * plies) as i32
            }
        };
        Reductions {
            base,
            divisor,
            table: Box::new(std::array::from_fn(|depth| {
                std::array::from_fn(|n| of(depth, n))
            })),
        }
    }

    /// Whether they are those of these parameters.
    pub fn fit(&self, parameters: &SearchParameters) -> bool {
        (self.base, self.divisor) == (parameters.late_base, parameters.late_divisor)
    }

    #[inline(always)]
    pub fn of(&self, depth: i32, n: usize) -> i32 {
        self.table[depth.clamp(0, 63) as usize][n.min(63)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_parameters_say_the_same() {
        let usual = SearchParameters::default();
        let list = usual.list();
        assert_eq!(list.len(), SearchParameters::ALL.len());
        assert_eq!(SearchParameters::of_list(&list), usual);
        for (&value, p) in list.iter().zip(SearchParameters::ALL) {
            assert!(
                p.least + p.step <= value && value + p.step <= p.most,
                "{}",
                p.name
            );
        }
        let other: Vec<i32> = list.iter().map(|value| value + 1).collect();
        assert_eq!(SearchParameters::of_list(&other).list(), other);
        assert_eq!(SearchParameters::of_list(&[]), usual);
        let far = vec![i32::MAX; list.len()];
        let most: Vec<i32> = SearchParameters::ALL.iter().map(|p| p.most).collect();
        assert_eq!(SearchParameters::of_list(&far).list(), most);
    }

    #[test]
    fn reductions_grow_with_depth_and_number() {
        let reductions = Reductions::new(&SearchParameters::default());
        assert_eq!(reductions.of(0, 5), 0);
        assert_eq!(reductions.of(1, 1), SearchParameters::default().late_base);
        assert!(reductions.of(10, 10) > reductions.of(9, 10));
        assert!(reductions.of(10, 10) > reductions.of(10, 9));
        assert_eq!(reductions.of(100, 200), reductions.of(63, 63));
        let other = SearchParameters {
            late_divisor: 180,
            ..SearchParameters::default()
        };
        assert!(!reductions.fit(&other) && Reductions::new(&other).fit(&other));
        assert!(Reductions::new(&other).of(10, 10) > reductions.of(10, 10));
    }
}
