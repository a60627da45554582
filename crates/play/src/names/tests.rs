//! What is a name, and what only looks like one.

use super::*;

#[test]
fn people_have_names() {
    for name in [
        "Ann",
        "Guest 0042",
        "Jean-Luc",
        "Nguyễn Thị Ánh",
        "Zoë",
        "حصون",
        "דוד",
        "王小明",
        "山田 太郎",
        "किरण",
        "김민준",
        "O'Neil",
        "x",
        "7",
        "ann_b (NL)",
        "Ян",
        "Hussein",
        "Susun",
        "Jusuf",
    ] {
        assert_eq!(name_of(name).as_deref(), Some(name), "{name}");
    }
}

#[test]
fn names_are_cleaned() {
    let long = "ab".repeat(40);
    for (text, name) in [
        ("  Ann \t\n B ", "Ann B"),
        ("A\u{200b}n\u{2060}n", "Ann"),
        ("\u{202e}nnA\u{202c}", "nnA"),
        ("\u{2067}Ann\u{2069}", "Ann"),
        ("A\u{3164}nn", "Ann"),
        ("Zoe\u{308}", "Zoë"),
        (
            "a\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}\u{307}",
            "á\u{302}\u{303}",
        ),
        ("\u{301}Ann", "Ann"),
        ("A\u{20dd}nn", "Ann"),
        (&long, &long[..30]),
    ] {
        assert_eq!(
            name_of(text).as_deref(),
            Some(name),
            "{}",
            text.escape_unicode()
        );
    }
}

#[test]
fn what_shows_nothing_is_no_name() {
    for text in [
        "",
        " ",
        "\u{3164}",
        "\u{115f}\u{1160}",
        "\u{ffa0}",
        "\u{2800}",
        "\u{200d}\u{200d}",
        "\u{202e}",
        "\u{301}",
        "...",
        "\u{e0041}",
        "\u{feff}",
        "\u{0}",
        "\u{17b5}",
        "\u{e000}",
    ] {
        assert_eq!(name_of(text), None, "{}", text.escape_unicode());
    }
}

#[test]
fn nobody_is_the_engine() {
    for text in [
        "Husun",
        "husun",
        "HUSUN",
        "Husun, level 8",
        "H u s u n",
        "h.u.s.u.n",
        "Hüsün",
        "Hu5un",
        "Hu$un",
        "Ｈｕｓｕｎ",
        "Ηusun",
        "Нusun",
        "Huѕun",
        "Hυsυn",
        "ʜᴜꜱᴜɴ",
        "𝐇𝐮𝐬𝐮𝐧",
        "Hu\u{200b}sun",
        "the real Husun",
        "Hu\u{301}sun",
    ] {
        assert_eq!(name_of(text), None, "{}", text.escape_unicode());
    }
}
