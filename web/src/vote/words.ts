// Votes in words.
import type { VoteCard } from '../api/types';
import { inText } from '../tournament/words';

/** How far a vote is. */
export function whenText(card: VoteCard, now: number): string {
  const day = new Date(card.closes_ms).toLocaleDateString(undefined, { dateStyle: 'medium' });
  switch (card.phase) {
    case 'open':
      return `closes ${inText(card.closes_ms - now)}`;
    case 'counting':
      return 'is being counted';
    case 'off':
      return 'was called off';
    case 'declared':
      return `declared on ${day}`;
  }
}

/** What came of it. */
export function resultText(winners: string[]): string {
  if (!winners.length) return 'Nobody has voted.';
  if (winners.length === 1) return `${winners[0]} has won.`;
  return `A tie between ${winners.slice(0, -1).join(', ')} and ${winners.at(-1)}.`;
}

/** A number of crosses or ticks less crosses with its sign. */
export function netText(net: number): string {
  return net > 0 ? `+${net}` : net < 0 ? `−${-net}` : '0';
}
