//! `husun admin`: accounts, bans, reports and announcements of a server: beside it while it runs, or in its storage
//! while it does not.

pub(crate) mod ask;
mod show;

use anyhow::{Context, Result, bail};
use ask::Way;
use clap::{Args, Subcommand};
use serde::Serialize;
use server::Config;
use server::wire::{BanKind, ModerationAct};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Look after a server: accounts, bans, reports, announcements
///
/// Works beside the server that uses the data folder, or in its storage if no server runs. Every act is logged.
#[derive(Args)]
pub struct Options {
    /// The server's data folder
    #[arg(long, value_name = "DIR", global = true)]
    data: Option<PathBuf>,
    /// Database instead of a file in the data folder, as given to the server
    #[arg(long, value_name = "URL", global = true)]
    database: Option<String>,
    /// The server's settings; options on the command line take precedence
    #[arg(long, value_name = "FILE", global = true)]
    config: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List accounts, or those whose names contain a text
    Accounts {
        /// Text that the name contains
        #[arg(value_name = "TEXT", default_value = "")]
        name: String,
    },
    /// Show an account: its bans, reports about it, what was done to it
    Account {
        /// Its name
        name: String,
    },
    /// Ban an account, a guest or a range of addresses
    Ban(Ban),
    /// Lift the bans of an account (and reopen it if it was closed), those of a range of addresses, or a single ban
    Unban {
        /// Name of the account
        #[arg(value_name = "NAME", required_unless_present_any = ["address", "ban"], conflicts_with_all = ["address", "ban"])]
        name: Option<String>,
        /// Range of addresses, such as 192.0.2.0/24
        #[arg(long, value_name = "RANGE", conflicts_with = "ban")]
        address: Option<String>,
        /// Id of a ban
        #[arg(long, value_name = "ID")]
        ban: Option<String>,
        /// Why, for the log
        #[arg(long, default_value = "")]
        reason: String,
    },
    /// List bans, latest first
    Bans,
    /// Close an account: nobody can sign in, but nothing of it is deleted
    Close {
        /// Its name
        name: String,
        /// Why: its owner is told
        #[arg(long)]
        reason: String,
    },
    /// Give an account another name
    Rename {
        /// Its name
        name: String,
        /// The new name
        to: String,
        /// Why, for the log
        #[arg(long)]
        reason: String,
    },
    /// Look at the chat of a game, or remove a line of it
    #[command(subcommand)]
    Chat(Chat),
    /// Show a line at the top of every page, or list and end announcements
    Announce {
        /// What it says
        #[arg(value_name = "TEXT", requires = "term")]
        text: Option<String>,
        /// For how long, such as 30m, 12h, 7d, 2w
        #[arg(long = "for", value_name = "TIME", value_parser = time, id = "term")]
        term: Option<Duration>,
        /// Begin after this time, such as 2h
        #[arg(long = "in", value_name = "TIME", value_parser = time, requires = "text")]
        begin: Option<Duration>,
        /// End the announcement with this id
        #[arg(long, value_name = "ID", conflicts_with = "text")]
        end: Option<String>,
    },
    /// Call off a vote that is open
    CallOff {
        /// Id of the vote, as in its address
        vote: String,
        /// Why, for the log
        #[arg(long)]
        reason: String,
    },
    /// Call off a tournament that has not begun
    CallOffTournament {
        /// Id of the tournament, as in its address
        tournament: String,
        /// Why, for the log
        #[arg(long)]
        reason: String,
    },
    /// List open reports
    Reports {
        /// List settled ones instead
        #[arg(long)]
        settled: bool,
    },
    /// Settle a report with an answer, which its author can read
    Settle {
        /// Id of the report
        report: String,
        /// The outcome
        answer: String,
    },
    /// List the accounts that moderate, add one or remove one
    #[command(subcommand)]
    Moderators(Moderators),
    /// What was done, by whom and why, latest first
    Log {
        /// Only acts on this account
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
}

/// Who is banned.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct Whom {
    /// Name of the account
    name: Option<String>,
    /// Number of a guest, as in reports
    #[arg(long, value_name = "NUMBER")]
    guest: Option<String>,
    /// Range of addresses, such as 192.0.2.0/24
    #[arg(long, value_name = "RANGE")]
    address: Option<String>,
}

#[derive(Args)]
struct Ban {
    #[command(flatten)]
    whom: Whom,
    /// Why: the banned person is told
    #[arg(long)]
    reason: String,
    /// For how long, such as 30m, 12h, 7d, 2w; for ever if not given
    #[arg(long = "for", value_name = "TIME", value_parser = time)]
    term: Option<Duration>,
    /// From chat only
    #[arg(long, conflicts_with_all = ["address", "resign"])]
    chat: bool,
    /// Games under way are resigned; otherwise they go on, and are lost on time
    #[arg(long, conflicts_with = "address")]
    resign: bool,
    /// Existing accounts may go on: no guests from there, and no new accounts
    #[arg(long, requires = "address")]
    only_new: bool,
}

#[derive(Subcommand)]
enum Chat {
    /// Show the chat of a game with the numbers of its lines
    Show {
        /// Id of the game
        game: String,
    },
    /// Remove a line
    Remove {
        /// Id of the game
        game: String,
        /// Number of the line, as `husun admin chat show` prints it
        line: u32,
        /// It is a line of those who watch
        #[arg(long)]
        watching: bool,
        /// Why, for the log
        #[arg(long)]
        reason: String,
    },
}

#[derive(Subcommand)]
enum Moderators {
    /// List them
    List,
    /// Let an account moderate
    Add {
        /// Its name
        name: String,
    },
    /// No longer let an account moderate
    Remove {
        /// Its name
        name: String,
    },
}

/// A length of time, such as `90m`.
fn time(text: &str) -> Result<Duration, String> {
    let wrong = || {
        format!("{text:?}, expected a number followed by m, h, d or w, such as 30m, 12h, 7d, 2w")
    };
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        'm' => 60,
        'h' => 3600,
        'd' => 24 * 3600,
        'w' => 7 * 24 * 3600,
        _ => return Err(wrong()),
    };
    let number = &text[..text.len() - unit.len_utf8()];
    let number: u32 = number.parse().map_err(|_| wrong())?;
    match number {
        0 => Err(wrong()),
        number => Ok(Duration::from_secs(u64::from(number) * seconds)),
    }
}

/// Milliseconds of Unix time after a length of time.
fn after(time: Duration) -> Result<i64> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let at = now.context("this machine's clock is set before 1970")? + time;
    i64::try_from(at.as_millis()).context("the time is too far away")
}

impl Options {
    fn config(&self) -> Result<Config> {
        let mut config = match &self.config {
            Some(path) => Config::read(path)?,
            None => Config::default(),
        };
        if let Some(data) = &self.data {
            config.data.clone_from(data);
        }
        if let Some(url) = &self.database {
            config.database = Some(url.clone());
        }
        Ok(config)
    }
}

pub fn run(options: &Options) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("no thread for the work")?;
    runtime.block_on(async {
        let way = Way::to(&options.config()?).await?;
        let done = carry_out(&way, options).await;
        way.close().await;
        done
    })
}

/// Where the output goes: to people as a table or words, to programs as JSON.
struct Out {
    json: bool,
}

impl Out {
    fn put<T: Serialize>(&self, value: &T, words: impl FnOnce(&T) -> String) -> Result<()> {
        let mut out = std::io::stdout().lock();
        match self.json {
            true => {
                serde_json::to_writer_pretty(&mut out, value)?;
                writeln!(out)?;
            }
            false => write!(out, "{}", words(value))?,
        }
        Ok(())
    }
}

async fn carry_out(way: &Way, options: &Options) -> Result<()> {
    let out = Out { json: options.json };
    let act = match &options.command {
        Command::Accounts { name } => {
            return out.put(&way.accounts(name).await?, |all| show::accounts(all));
        }
        Command::Account { name } => return out.put(&way.account(name).await?, show::account),
        Command::Bans => return out.put(&way.bans().await?, |all| show::bans(all)),
        Command::Reports { settled } => {
            return out.put(&way.reports(*settled).await?, |all| show::reports(all));
        }
        Command::Log { name } => {
            return out.put(&way.log(name.as_deref()).await?, |all| show::log(all));
        }
        Command::Chat(Chat::Show { game }) => {
            return out.put(&way.chat(game).await?, |all| show::chat(all));
        }
        Command::Moderators(Moderators::List) => {
            return out.put(&way.moderators().await?, |all| show::accounts(all));
        }
        Command::Announce {
            text: None,
            end: None,
            ..
        } => return out.put(&way.announcements().await?, |all| show::announcements(all)),
        Command::Ban(ban) => ModerationAct::Ban {
            account: ban.whom.name.clone(),
            guest: ban.whom.guest.clone(),
            addresses: ban.whom.address.clone(),
            kind: match ban.chat {
                true => BanKind::Chat,
                false => BanKind::Play,
            },
            only_new: ban.only_new,
            resign: ban.resign,
            until_ms: ban.term.map(after).transpose()?,
            reason: ban.reason.clone(),
        },
        Command::Unban {
            name,
            address,
            ban,
            reason,
        } => ModerationAct::Unban {
            ban: ban.clone(),
            account: name.clone(),
            addresses: address.clone(),
            reason: reason.clone(),
        },
        Command::Close { name, reason } => ModerationAct::Close {
            account: name.clone(),
            reason: reason.clone(),
        },
        Command::Rename { name, to, reason } => ModerationAct::Rename {
            account: name.clone(),
            name: to.clone(),
            reason: reason.clone(),
        },
        Command::Chat(Chat::Remove {
            game,
            line,
            watching,
            reason,
        }) => ModerationAct::RemoveChat {
            game: game.clone(),
            line: *line,
            watching: *watching,
            reason: reason.clone(),
        },
        Command::Announce {
            text: Some(text),
            term,
            begin,
            ..
        } => {
            let Some(term) = *term else {
                bail!("--for: say for how long it is shown, such as 12h");
            };
            let begin = begin.unwrap_or_default();
            ModerationAct::Announce {
                text: text.clone(),
                from_ms: (!begin.is_zero()).then(|| after(begin)).transpose()?,
                until_ms: after(begin + term)?,
            }
        }
        Command::Announce { end: Some(id), .. } => {
            ModerationAct::EndAnnouncement { id: id.clone() }
        }
        Command::CallOff { vote, reason } => ModerationAct::CallOffVote {
            vote: vote.clone(),
            reason: reason.clone(),
        },
        Command::CallOffTournament { tournament, reason } => ModerationAct::CallOffTournament {
            tournament: tournament.clone(),
            reason: reason.clone(),
        },
        Command::Settle { report, answer } => ModerationAct::Settle {
            report: report.clone(),
            answer: answer.clone(),
        },
        Command::Moderators(Moderators::Add { name }) => ModerationAct::AddModerator {
            account: name.clone(),
        },
        Command::Moderators(Moderators::Remove { name }) => ModerationAct::RemoveModerator {
            account: name.clone(),
        },
    };
    let done = way.act(act).await?;
    out.put(&done, |done| match &done.id {
        Some(id) => format!("{} (id {id})\n", done.told),
        None => format!("{}\n", done.told),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_of_time_are_read() {
        for (text, seconds) in [
            ("30m", 1800),
            ("12h", 43_200),
            ("7d", 604_800),
            ("2w", 1_209_600),
        ] {
            assert_eq!(time(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in [
            "",
            "7",
            "d",
            "0d",
            "-1d",
            "1.5h",
            "7y",
            "7ö",
            "99999999999d",
        ] {
            let error = time(text).err();
            assert!(
                error.is_some_and(|e| e.contains("as 30m, 12h, 7d, 2w")),
                "{text}"
            );
        }
    }
}
