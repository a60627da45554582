//! The queue to notices.

use super::*;

fn happening(n: usize) -> Happening {
    Happening {
        kind: Kind::YourTurn,
        person: format!("p{n}"),
        subject: "game.x".into(),
        text: "Ann has moved.".into(),
        address: "/game/x".into(),
        slow: true,
        at_board: false,
        shown: false,
        by: None,
        lasts: Duration::from_secs(60),
    }
}

#[tokio::test]
async fn who_tells_never_waits_and_what_does_not_fit_is_lost() {
    let happenings = Happenings::holding(3);
    for n in 0..5 {
        happenings.tell(happening(n));
    }
    let next = async || happenings.inbox.next().await.map(|one| one.person);
    for expected in ["p0", "p1", "p2"] {
        assert_eq!(next().await.as_deref(), Some(expected));
    }
    // There is room again.
    happenings.tell(happening(5));
    assert_eq!(next().await.as_deref(), Some("p5"));
}
