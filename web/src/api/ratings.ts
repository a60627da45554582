// Ratings: of the players of a game, of a person, of the best.
import { ask } from './http';
import type { GameRatings, Profile, RankedPlayer, RatingPoint } from './types';

const enc = encodeURIComponent;

export const SPEEDS = ['blitz', 'rapid', 'slow', 'correspondence'];

export const people = {
  profile: (name: string) => ask<Profile>('GET', `people/${enc(name)}`),
  history: (name: string, variant: string, speed: string) =>
    ask<RatingPoint[]>('GET', `people/${enc(name)}/ratings/${enc(variant)}/${enc(speed)}`),
  best: (variant: string, speed: string) =>
    ask<RankedPlayer[]>('GET', `ratings/${enc(variant)}/${enc(speed)}`),
};

/**
 * Asks for the ratings of a game; when it is over again and again, for a while, until it is rated. What is given
 * back ends it.
 */
export function followRatings(id: string, over: boolean, take: (now: GameRatings) => void): () => void {
  let ended = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (left: number): void => {
    ask<GameRatings>('GET', `games/${enc(id)}/ratings`).then(
      (now) => {
        if (ended) return;
        take(now);
        const { white, black } = now.players;
        const waits = [white, black].some((player) => player && player.change == null);
        if (over && waits && left > 0) timer = setTimeout(() => look(left - 1), 700);
      },
      // a game is as good without
      () => {},
    );
  };
  look(10);
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
