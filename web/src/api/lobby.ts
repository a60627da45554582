// The lobby's requests: seeks, challenges, people.
import { ask } from './http';
import type {
  BlockedPerson,
  Challenge,
  Challenges,
  DeclineReason,
  NewChallenge,
  NewSeek,
  Paired,
  RankedPlayer,
  SeekMade,
  SeenPerson,
} from './types';

const enc = encodeURIComponent;

export const lobby = {
  people: () => ask<SeenPerson[]>('GET', 'lobby/people'),
  seek: (wish: NewSeek) => ask<SeekMade>('POST', 'lobby/seeks', wish),
  withdraw: (id: string) => ask<undefined>('DELETE', `lobby/seeks/${enc(id)}`),
  accept: (id: string) => ask<Paired>('POST', `lobby/seeks/${enc(id)}/accept`, {}),
  /** The levels of the engine with their ratings in a game with a clock. */
  levels: (variant: string, clock: string) =>
    ask<RankedPlayer[]>('GET', `ratings/${enc(variant)}/${enc(clock)}/levels`),
  challenges: () => ask<Challenges>('GET', 'me/challenges'),
  challenge: (name: string, wish: NewChallenge) =>
    ask<Challenge>('POST', `people/${enc(name)}/challenges`, wish),
  acceptChallenge: (id: string) => ask<Paired>('POST', `challenges/${enc(id)}/accept`),
  decline: (id: string, reason: DeclineReason) =>
    ask<undefined>('POST', `challenges/${enc(id)}/decline`, { reason }),
  withdrawChallenge: (id: string) => ask<undefined>('DELETE', `challenges/${enc(id)}`),
  blocked: () => ask<BlockedPerson[]>('GET', 'me/blocked'),
  block: (name: string) => ask<undefined>('PUT', `me/blocked/${enc(name)}`),
  unblock: (name: string) => ask<undefined>('DELETE', `me/blocked/${enc(name)}`),
};
