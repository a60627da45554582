// The tournaments' requests.
import { ask } from './http';
import type { NewTournament, TournamentGames, TournamentMade, TournamentNow, Tournaments } from './types';

const enc = encodeURIComponent;

export const tournaments = {
  list: (before?: string) => ask<Tournaments>('GET', `tournaments${before ? `?before=${enc(before)}` : ''}`),
  make: (wish: NewTournament) => ask<TournamentMade>('POST', 'tournaments', wish),
  look: (id: string, page: number) => ask<TournamentNow>('GET', `tournaments/${enc(id)}?page=${page}`),
  games: (id: string, round?: number) =>
    ask<TournamentGames>('GET', `tournaments/${enc(id)}/games${round ? `?round=${round}` : ''}`),
  join: (id: string) => ask<undefined>('PUT', `tournaments/${enc(id)}/me`),
  leave: (id: string) => ask<undefined>('DELETE', `tournaments/${enc(id)}/me`),
  cancel: (id: string) => ask<undefined>('DELETE', `tournaments/${enc(id)}`),
};
