// What moderation does and has done, in words.
import type { AccountListed, Ban, BanKind, NodeNow } from '../api/types';

export const ACTS: Record<string, string> = {
  ban: 'banned',
  unban: 'lifted a ban on',
  close: 'closed',
  rename: 'renamed',
  remove_chat: 'removed chat of',
  announce: 'announced',
  end_announcement: 'ended an announcement',
  call_off_vote: 'called a vote off',
  call_off_tournament: 'called off a tournament of',
  settle: 'settled a report about',
  add_moderator: 'gave moderator rights to',
  remove_moderator: 'took moderator rights from',
};

export const KINDS: Record<BanKind, string> = {
  play: 'banned',
  chat: 'no chat',
  closed: 'closed',
};

/** How long a ban may hold, in hours; 0 is for ever. */
export const TERMS: [number, string][] = [
  [1, 'an hour'],
  [24, 'a day'],
  [7 * 24, 'a week'],
  [30 * 24, 'thirty days'],
  [365 * 24, 'a year'],
  [0, 'for ever'],
];

export const moment = (ms: number) =>
  new Date(ms).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** What is to be known of an account at once. */
export function marks(account: AccountListed): string {
  return [...account.bans.map((kind) => KINDS[kind]), ...(account.moderator ? ['moderates'] : [])].join(', ');
}

/** How long a ban holds. */
export function term(ban: Ban): string {
  if (!ban.holds) return 'over';
  return ban.until_ms == null ? 'for ever' : `until ${moment(ban.until_ms)}`;
}

/** How a node is. */
export function node(one: NodeNow): string {
  const states: Record<NodeNow['state'], string> = {
    alive: one.leads ? 'leads' : 'there',
    leaving: 'takes no more games',
    gone: 'gone',
  };
  return states[one.state];
}
