//! So much at once, so much waiting, and a fault that stays one.

use super::*;
use std::time::Duration;

type Tested = Result<(), Box<dyn std::error::Error>>;

#[tokio::test]
async fn a_few_at_once_and_a_bounded_number_waits() -> Tested {
    let work = Work::new();
    let (at_once, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut jobs = Vec::new();
    for _ in 0..30 {
        let (work, at_once, most) = (work.clone(), at_once.clone(), most.clone());
        jobs.push(tokio::spawn(async move {
            work.run(Weight::Heavy, move || {
                most.fetch_max(at_once.fetch_add(1, Relaxed) + 1, Relaxed);
                std::thread::sleep(Duration::from_millis(20));
                at_once.fetch_sub(1, Relaxed);
            })
            .await
        }));
    }
    let (mut done, mut busy) = (0, 0);
    for job in jobs {
        match job.await? {
            Ok(()) => done += 1,
            Err(WorkError::Busy) => busy += 1,
            Err(error) => return Err(error.into()),
        }
    }
    assert_eq!((done, busy, most.load(Relaxed)), (18, 12, 2));
    // Nobody waits any more, and light work never did.
    assert_eq!(work.run(Weight::Light, || 7).await?, 7);
    assert_eq!(work.run(Weight::Heavy, || 8).await?, 8);
    assert_eq!(work.heavy.waiting.load(Relaxed), 0);
    Ok(())
}

#[tokio::test]
async fn who_goes_away_does_not_wait_any_more() -> Tested {
    let work = Work::new();
    let sleep = || std::thread::sleep(Duration::from_millis(300));
    for _ in 0..40 {
        // Dropped after the first poll, as a request whose sender has gone.
        let job = work.run(Weight::Heavy, sleep);
        let _ = tokio::time::timeout(Duration::from_millis(1), job).await;
    }
    work.run(Weight::Heavy, || ()).await?;
    Ok(())
}

#[tokio::test]
async fn a_fault_is_told_and_frees_its_place() -> Tested {
    let work = Work::new();
    for _ in 0..5 {
        let broken: Result<(), WorkError> = work.run(Weight::Heavy, || panic!("on purpose")).await;
        assert_eq!(broken, Err(WorkError::Fault));
    }
    work.run(Weight::Heavy, || ()).await?;
    Ok(())
}

#[test]
fn memory_is_given_back() -> Tested {
    let budget = Budget::new(10 * BLOCK);
    let share = budget.take(6 * BLOCK + 1)?;
    assert_eq!(budget.free(), 3 * BLOCK);
    assert_eq!(budget.take(4 * BLOCK).err(), Some(WorkError::Busy));
    drop(share);
    assert!(budget.take(10 * BLOCK).is_ok());
    assert_eq!(budget.take(usize::MAX).err(), Some(WorkError::Busy));
    Ok(())
}

/// However many texts wait to be read, people can sign in.
#[tokio::test]
async fn passwords_do_not_wait_for_texts() -> Result<(), WorkError> {
    let work = Work::new();
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let wait = std::sync::Arc::new(std::sync::Mutex::new(wait));
    let mut texts = Vec::new();
    for _ in 0..HEAVY.0 + HEAVY.1 {
        let (work, wait) = (work.clone(), wait.clone());
        texts.push(tokio::spawn(async move {
            let hold = move || drop(wait.lock().map(|wait| wait.recv()));
            work.run(Weight::Heavy, hold).await
        }));
    }
    while work.heavy.waiting.load(Relaxed) < HEAVY.1 {
        tokio::task::yield_now().await;
    }
    assert_eq!(work.run(Weight::Heavy, || ()).await, Err(WorkError::Busy));
    assert_eq!(work.run(Weight::Password, || 7).await, Ok(7));
    drop(go);
    for text in texts {
        assert!(text.await.is_ok());
    }
    Ok(())
}
