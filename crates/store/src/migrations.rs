//! The steps from an empty database to today's tables, in the files of `migrations/`.

use sqlx::SqlSafeStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// Version, what it is for, SQL; made by `build.rs`.
const FILES: &[(i64, &str, &str)] = &include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

/// All of them, in their order.
pub(super) fn migrator() -> Migrator {
    let step = |&(version, description, sql): &(i64, &'static str, &'static str)| {
        let sql = sql.into_sql_str();
        Migration::new(
            version,
            description.into(),
            MigrationType::Simple,
            sql,
            false,
        )
    };
    Migrator::with_migrations(FILES.iter().map(step).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A version that is there twice would be left out of some databases.
    #[test]
    fn versions_are_counted_without_a_gap() {
        let versions: BTreeSet<i64> = FILES.iter().map(|f| f.0).collect();
        let wanted: BTreeSet<i64> = (1..=FILES.len() as i64).collect();
        assert_eq!(versions, wanted);
        let ordered: Vec<i64> = migrator().iter().map(|m| m.version).collect();
        assert!(ordered.is_sorted(), "{ordered:?}");
    }
}
