use super::*;

fn leaps(text: &str) -> Vec<Vector> {
    let mut all: Vec<Vector> = parse(text)
        .unwrap()
        .into_iter()
        .map(|p| match p.way {
            Way::Leap(v) => v,
            other => panic!("{text}: {other:?}"),
        })
        .collect();
    all.sort();
    all
}

#[test]
fn directions_of_leapers() {
    assert_eq!(leaps("fW"), [(0, 1)]);
    assert_eq!(leaps("fF"), [(-1, 1), (1, 1)]);
    assert_eq!(leaps("frF"), [(1, 1)]);
    assert_eq!(leaps("sW"), [(-1, 0), (1, 0)]);
    assert_eq!(leaps("fbW"), [(0, -1), (0, 1)]);
    assert_eq!(leaps("fN"), [(-1, 2), (1, 2)]);
    assert_eq!(leaps("ffN"), [(-1, 2), (1, 2)]);
    assert_eq!(leaps("fsN"), [(-2, 1), (2, 1)]);
    assert_eq!(leaps("fhN"), [(-2, 1), (-1, 2), (1, 2), (2, 1)]);
    assert_eq!(leaps("sN"), [(-2, -1), (-2, 1), (2, -1), (2, 1)]);
    assert_eq!(leaps("vN"), [(-1, -2), (-1, 2), (1, -2), (1, 2)]);
    assert_eq!(leaps("K").len(), 8);
    assert_eq!(leaps("N").len(), 8);
    assert_eq!(leaps("FL").len(), 12);
    assert_eq!(leaps("FC"), leaps("FL"));
    assert_eq!(leaps("JZ"), leaps("Z"));
}

#[test]
fn riders_and_bends() {
    assert_eq!(parse("Q").unwrap().len(), 8);
    assert_eq!(parse("WW").unwrap(), parse("R").unwrap());
    assert_eq!(parse("F0").unwrap(), parse("B").unwrap());
    let bent = parse("yafsF").unwrap();
    assert_eq!(bent, parse("[F-fsR]").unwrap());
    assert_eq!(bent.len(), 8);
    assert!(bent.iter().all(|p| matches!(
        p.way,
        Way::Bent { first: (x, y), stop: false, step: (a, b), max: 0 }
            if (a == 0) != (b == 0) && (a == x || b == y)
    )));
    assert_eq!(parse("yafsW").unwrap(), parse("[W-fsB]").unwrap());
    let prince = parse("[N?fR]").unwrap();
    assert_eq!(prince.len(), 8);
    let way = |first, step| Way::Bent {
        first,
        stop: true,
        step,
        max: 0,
    };
    assert!(prince.iter().any(|p| p.way == way((1, 2), (0, 1))));
    assert!(prince.iter().any(|p| p.way == way((-2, 1), (-1, 0))));
    let princess = parse("[N?fB]").unwrap();
    assert!(princess.iter().any(|p| p.way == way((1, 2), (1, 1))));
    let sorted = |text| {
        let mut parts = parse(text).unwrap();
        parts.sort();
        parts
    };
    assert_eq!(sorted("nN"), sorted("afsW"));
    assert_eq!(parse("mRcpR").unwrap().len(), 8);
    assert_eq!(
        parse("R4").unwrap()[0].way,
        Way::Ride {
            step: (0, 1),
            max: 4,
            hop: false,
            skip: 0
        }
    );
}

#[test]
fn errors_say_what_and_where() {
    for (text, message) in [
        (
            "",
            "the notation is empty: expected atoms such as K, R or mfWcfF",
        ),
        (
            "RX",
            "unknown atom `X` at character 2: expected one of W F D N A H C L Z J G K Q R B",
        ),
        (
            "qR",
            "modifier `q` at character 1 is not understood: expected directions f b l r v s h, modes m c, p, n, or a chain such as yafs",
        ),
        ("Rf", "modifiers at the end have no atom after them"),
        (
            "pN",
            "`p` cannot be combined with atom `N`: p is for sliders and riders",
        ),
        (
            "nH",
            "`n` cannot be combined with atom `H`: n is for D, A and N",
        ),
        (
            "R99",
            "range 99 of atom `R` is out of bounds: expected 0 (no limit) to 15",
        ),
        (
            "[N?fQ]",
            "bracket at character 1: expected a form such as [N?fR] or [F-fsR]",
        ),
        (
            "[N",
            "bracket at character 1: expected a form such as [N?fR] or [F-fsR]",
        ),
        ("hF", "directions `h` do not apply to atom `F`"),
    ] {
        assert_eq!(parse(text).unwrap_err().to_string(), message, "{text}");
    }
}
