// Tournaments in words.
import type { TieBreak, TournamentCard } from '../api/types';
import { clockWords } from '../parts/clock';

/** Who meets whom. */
export function kindText(kind: TournamentCard['kind']): string {
  if ('arena' in kind) {
    const { minutes } = kind.arena;
    if (minutes % 60 === 0) return `Arena, ${minutes / 60} h`;
    return minutes === 1 ? 'Arena, one minute' : `Arena, ${minutes} minutes`;
  }
  if ('swiss' in kind)
    return kind.swiss.rounds === 1 ? 'Swiss, one round' : `Swiss, ${kind.swiss.rounds} rounds`;
  return kind.round_robin.twice ? 'Everybody twice against everybody' : 'Everybody against everybody';
}

/** What is played with which clock. */
export function gamesText(card: Pick<TournamentCard, 'games' | 'clock' | 'rated'>): string {
  const names = card.games.map((game) => (game.family ? `${game.family} (by its customs)` : game.name));
  return `${names.join(', then ')}, ${clockWords(card.clock)}${card.rated ? ', rated' : ''}`;
}

export const TIES: Record<TieBreak, [short: string, long: string]> = {
  buchholz: ['Buchholz', "the sum of the opponents' scores"],
  buchholz_cut1: ['Buchholz −1', "the sum of the opponents' scores without the lowest"],
  sonneborn_berger: [
    'S-B',
    'Sonneborn-Berger: the scores of opponents beaten, and half the scores of those drawn with',
  ],
  direct_encounter: ['Direct', 'the games between the tied players'],
  wins: ['Wins', 'games won'],
  blacks: ['Second', 'games played as second to move'],
};

/** How long until a time, or how long ago. */
export function inText(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  if (minutes < 1) return ms >= 0 ? 'in a moment' : 'a moment ago';
  const words =
    minutes < 120
      ? `${minutes} min`
      : minutes < 48 * 60
        ? `${Math.round(minutes / 60)} hours`
        : `${Math.round(minutes / 60 / 24)} days`;
  return ms >= 0 ? `in ${words}` : `${words} ago`;
}

/** A short time that runs down, as `1:05`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (n: number) => String(n).padStart(2, '0');
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}
