// Requests about games that are watched, and about people who are followed or muted.
import { ask } from './http';
import type { FollowedPerson, MutedPerson, ResultsOfGame, RunningPage } from './types';

const enc = encodeURIComponent;

export const watching = {
  /** Games that are played, the best first: of these kinds, or of all. */
  running: (variants: string[] = [], after?: string) => {
    const query = new URLSearchParams();
    if (variants.length) query.set('game', variants.join(','));
    if (after) query.set('after', after);
    const text = query.toString();
    return ask<RunningPage>('GET', `running${text ? `?${text}` : ''}`);
  },
  results: (name: string) => ask<ResultsOfGame[]>('GET', `people/${enc(name)}/results`),
  followed: () => ask<FollowedPerson[]>('GET', 'me/followed'),
  follow: (name: string) => ask<undefined>('PUT', `people/${enc(name)}/follow`),
  unfollow: (name: string) => ask<undefined>('DELETE', `people/${enc(name)}/follow`),
  muted: () => ask<MutedPerson[]>('GET', 'me/muted'),
  mute: (name: string) => ask<undefined>('PUT', `me/muted/${enc(name)}`),
  unmute: (name: string) => ask<undefined>('DELETE', `me/muted/${enc(name)}`),
};
