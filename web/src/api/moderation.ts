// Reports, announcements, and what those who moderate ask for.
import { ask } from './http';
import type {
  AccountPage,
  AccountSeen,
  ActDone,
  Announcement,
  BanPage,
  ChatSeen,
  LogPage,
  Moderating,
  ModerationAct,
  NewReport,
  NodesNow,
  OwnReport,
  ReportPage,
} from './types';

const enc = encodeURIComponent;
const before = (place: string | null) => (place ? `&before=${enc(place)}` : '');

export const announced = () => ask<Announcement[]>('GET', 'announcements');

export const reports = {
  make: (wish: NewReport) => ask<undefined>('POST', 'reports', wish),
  own: () => ask<OwnReport[]>('GET', 'me/reports'),
};

export const moderation = {
  state: () => ask<Moderating>('GET', 'moderate'),
  act: (act: ModerationAct) => ask<ActDone>('POST', 'moderate/acts', act),
  reports: (settled: boolean, place: string | null) =>
    ask<ReportPage>('GET', `moderate/reports?settled=${settled}${before(place)}`),
  accounts: (name: string, after: string | null) =>
    ask<AccountPage>('GET', `moderate/accounts?name=${enc(name)}&after=${enc(after ?? '')}`),
  account: (name: string) => ask<AccountSeen>('GET', `moderate/accounts/${enc(name)}`),
  bans: (place: string | null) => ask<BanPage>('GET', `moderate/bans?${before(place).slice(1)}`),
  chat: (game: string) => ask<ChatSeen[]>('GET', `moderate/games/${enc(game)}/chat`),
  nodes: () => ask<NodesNow>('GET', 'moderate/nodes'),
  log: (place: string | null) => ask<LogPage>('GET', `moderate/log?${before(place).slice(1)}`),
};
