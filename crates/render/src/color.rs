//! Colours: reading, mixing, contrast, and the nearest one of a terminal's 256.

use std::fmt;

/// A colour as red, green and blue; displays as `#rrggbb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Black.
    pub const BLACK: Rgb = Rgb(0, 0, 0);
    /// White.
    pub const WHITE: Rgb = Rgb(255, 255, 255);

    /// Reads `#rrggbb`.
    ///
    /// ```
    /// use husun_render::Rgb;
    /// assert_eq!(Rgb::parse("#0080ff"), Some(Rgb(0, 128, 255)));
    /// assert_eq!(Rgb::parse("#0080ff").unwrap().to_string(), "#0080ff");
    /// assert_eq!(Rgb::parse("blue"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Rgb> {
        let hex = text.strip_prefix('#')?;
        if hex.len() != 6 || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        let part = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
        Some(Rgb(part(0)?, part(2)?, part(4)?))
    }

    /// This colour mixed with `percent` hundredths (up to 100) of another.
    ///
    /// ```
    /// use husun_render::Rgb;
    /// assert_eq!(Rgb::BLACK.mix(Rgb(200, 100, 50), 50), Rgb(100, 50, 25));
    /// ```
    #[must_use]
    pub fn mix(self, other: Rgb, percent: u8) -> Rgb {
        let percent = u32::from(percent.min(100));
        let part = |a: u8, b: u8| {
            let sum = u32::from(a) * (100 - percent) + u32::from(b) * percent;
            u8::try_from((sum + 50) / 100).unwrap_or(u8::MAX)
        };
        Rgb(
            part(self.0, other.0),
            part(self.1, other.1),
            part(self.2, other.2),
        )
    }

    /// Relative luminance from 0 to 1, as the Web Content Accessibility Guidelines define it.
    pub fn luminance(self) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            if c <= 0.03928 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// Contrast ratio of two colours from 1 to 21, by the same guidelines.
    ///
    /// ```
    /// use husun_render::Rgb;
    /// assert_eq!(Rgb::BLACK.contrast(Rgb::WHITE).round(), 21.0);
    /// ```
    pub fn contrast(self, other: Rgb) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// This colour, moved towards another until it stands out from all the backgrounds at the contrast ratio, or as
    /// far as it can.
    #[must_use]
    pub fn readable_on(self, backgrounds: &[Rgb], towards: Rgb, ratio: f64) -> Rgb {
        (0..=10)
            .map(|tenths| self.mix(towards, tenths * 10))
            .find(|c| backgrounds.iter().all(|b| c.contrast(*b) >= ratio))
            .unwrap_or(towards)
    }

    /// Number of the nearest colour of a terminal's palette of 256: of its cube or its greys.
    ///
    /// ```
    /// use husun_render::Rgb;
    /// assert_eq!((Rgb::WHITE.ansi256(), Rgb(255, 0, 0).ansi256()), (231, 196));
    /// assert_eq!(Rgb(128, 128, 128).ansi256(), 244);
    /// ```
    pub fn ansi256(self) -> u8 {
        const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];
        let nearest = |c: u8| {
            let by_distance = |(_, step): &(u8, u8)| step.abs_diff(c);
            (0..).zip(STEPS).min_by_key(by_distance).unwrap_or((0, 0))
        };
        let (r, g, b) = (nearest(self.0), nearest(self.1), nearest(self.2));
        let cube = (16 + 36 * r.0 + 6 * g.0 + b.0, Rgb(r.1, g.1, b.1));
        let greys = (0..24u8).map(|i| (232 + i, Rgb(8 + 10 * i, 8 + 10 * i, 8 + 10 * i)));
        std::iter::once(cube)
            .chain(greys)
            .min_by_key(|(_, c)| self.distance(*c))
            .map_or(0, |(number, _)| number)
    }

    /// Square of the distance between two colours.
    pub(crate) fn distance(self, other: Rgb) -> u32 {
        let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
        square(self.0, other.0) + square(self.1, other.1) + square(self.2, other.2)
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}
