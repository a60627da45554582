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
    let mut inbox = happenings.inbox();
    assert!(happenings.inbox().is_none(), "it is taken once");
    let mut told = Vec::new();
    while let Some(Ok(one)) = inbox.as_mut().map(mpsc::Receiver::try_recv) {
        told.push(one.person);
    }
    assert_eq!(told, ["p0", "p1", "p2"]);
    // There is room again.
    happenings.tell(happening(5));
    let next = inbox.as_mut().map(mpsc::Receiver::try_recv);
    assert_eq!(
        next.and_then(Result::ok).map(|one| one.person),
        Some("p5".into())
    );
}
