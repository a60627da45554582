//! The tags that say when a game began, in universal time.

/// Seconds of a day.
const DAY: u64 = 86_400;

/// `Date`, `UTCDate` and `UTCTime` of an instant, given in seconds of Unix time.
///
/// ```
/// let tags = husun::pgn::date_tags(951_786_061);
/// assert_eq!(tags[0], ("Date", "2000.02.29".into()));
/// assert_eq!(tags[1], ("UTCDate", "2000.02.29".into()));
/// assert_eq!(tags[2], ("UTCTime", "01:01:01".into()));
/// ```
pub fn date_tags(unix: u64) -> [(&'static str, String); 3] {
    let (year, month, day) = civil(unix / DAY);
    let date = format!("{year:04}.{month:02}.{day:02}");
    let (hour, minute, second) = (unix % DAY / 3600, unix % 3600 / 60, unix % 60);
    [
        ("Date", date.clone()),
        ("UTCDate", date),
        ("UTCTime", format!("{hour:02}:{minute:02}:{second:02}")),
    ]
}

/// Year, month and day of a number of days since 1970-01-01 (H. Hinnant, days_from_civil reversed).
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    (year + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_016), (2000, 2, 29));
        assert_eq!(civil(20_454), (2026, 1, 1));
    }
}
