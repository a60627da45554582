// What is offered, in words.
import { clockWords } from '../parts/clock';
import type { DeclineReason, Seek } from '../api/types';

function orList(words: string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

/** The games of a seek. */
export function gamesText(seek: Seek): string {
  const names = (seek.games ?? []).map((game) =>
    game.family ? `${game.family} (by its customs)` : game.name,
  );
  if (!names.length) return 'any game';
  const shown = names.length > 3 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
  return orList(shown);
}

/** The clocks of a seek. */
export function clocksText(clocks: string[]): string {
  return clocks.map((clock) => clockWords(clock === 'none' ? null : clock)).join(' or ');
}

/** Which side one gets who accepts. */
export function sideText(side: Seek['side']): string {
  if (!side) return '';
  return side === 'white' ? 'you move second' : 'you move first';
}

/** Who is welcome, if not everybody. */
export function opponentsText(seek: Seek): string {
  return seek.opponents === 'people' ? 'people only' : '';
}

export const DECLINES: Record<DeclineReason, string> = {
  later: 'Not now, later',
  another_game: 'In another game',
  slower: 'With a slower clock',
  faster: 'With a faster clock',
  rated: 'If it is rated',
  casual: 'If it is not rated',
  strength: 'With another strength',
  people: 'With people, not programs',
  no: 'No',
};

/** Why a challenge was declined, after "Ann declines". */
export const DECLINED: Record<DeclineReason, string> = {
  later: 'not now, later',
  another_game: 'another game would be welcome',
  slower: 'a slower clock would be welcome',
  faster: 'a faster clock would be welcome',
  rated: 'a rated game would be welcome',
  casual: 'a game that is not rated would be welcome',
  strength: 'an opponent of another strength would be welcome',
  people: 'people would be welcome, not programs',
  no: 'no reason given',
};
