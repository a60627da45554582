// The votes' requests.
import { ask } from './http';
import type { Ballot, NewVote, VoteMade, VoteNow, Votes } from './types';

const enc = encodeURIComponent;

export const votes = {
  list: (before?: string) => ask<Votes>('GET', `votes${before ? `?before=${enc(before)}` : ''}`),
  call: (wish: NewVote) => ask<VoteMade>('POST', 'votes', wish),
  look: (id: string) => ask<VoteNow>('GET', `votes/${enc(id)}`),
  cast: (id: string, ballot: Ballot) => ask<undefined>('PUT', `votes/${enc(id)}/me`, ballot),
  uncast: (id: string) => ask<undefined>('DELETE', `votes/${enc(id)}/me`),
  callOff: (id: string) => ask<undefined>('DELETE', `votes/${enc(id)}`),
};
