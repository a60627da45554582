//! How the parts of the storage ask the database.

/// Carries out what changes something with the connection that writes.
macro_rules! writing {
    ($store:expr, |$connection:ident| $act:expr) => {
        Box::pin(async move {
            let (mut writing, mut held) = $store.take().await?;
            let $connection = &mut held;
            // One that hangs is given up in the end, and with it its connection: all others wait for it.
            let done = $store.within_writing(async { $act }).await;
            $crate::sql::give_back(&mut writing, held, done).await
        })
    };
}

/// The same with the connection for leases.
macro_rules! leasing {
    ($store:expr, |$connection:ident| $act:expr) => {
        Box::pin(async move {
            let (mut writing, mut held) = $crate::sql::within($store.take_for_leases()).await?;
            let $connection = &mut held;
            // One that hangs is given up, and with it its connection.
            let done = $crate::sql::within(async { $act }).await;
            $crate::sql::give_back(&mut writing, held, done).await
        })
    };
}

/// Reads rows, within the time that reading may take.
macro_rules! reading {
    ($store:expr, $sql:expr, [$($value:expr),*], $read:expr) => {
        Box::pin($crate::sql::within(async move {
            let rows = sqlx::query(sqlx::AssertSqlSafe($sql))
                $(.bind($value))*
                .fetch_all($store.readers())
                .await?;
            Ok(rows.iter().map($read).collect::<Result<Vec<_>, sqlx::Error>>()?)
        }))
    };
}

/// The same where there is one row at most.
macro_rules! reading_one {
    ($($all:tt)*) => {{
        let rows: Answer<'_, Vec<_>> = reading!($($all)*);
        Box::pin(async move { Ok(rows.await?.pop()) })
    }};
}
