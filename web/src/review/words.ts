// What a review says, in words: mistakes by kind and size, key moments, chances. Pieces and sides by the game's own names.
import type { ReviewFault, ReviewMoment, ReviewMove, Side, VariantDetail } from '../api/types';
import { turnOf } from '../board/keys';
import { pieceName } from '../board/say';
import { sideName } from '../parts/words';

/** The sizes of mistakes, the worst first, with the sign behind a move. */
export const SIZES = [
  { size: 'blunder', sign: '??', name: 'blunder', many: 'blunders' },
  { size: 'mistake', sign: '?', name: 'mistake', many: 'mistakes' },
  { size: 'inaccuracy', sign: '?!', name: 'inaccuracy', many: 'inaccuracies' },
] as const;

/** The sign behind a move, and what it means. */
export function signOf(fault: ReviewFault | null | undefined): { sign: string; name: string } | undefined {
  return fault ? SIZES.find(({ size }) => size === fault.size) : undefined;
}

/** A piece as it is spoken of: `younger Prince` for `Prince, younger`. */
export function spoken(variant: VariantDetail, letter: string): string {
  const [noun, which] = pieceName(variant, letter).split(', ');
  return which ? `${which} ${noun}` : (noun ?? letter);
}

function article(word: string): string {
  return `${/^[aeiou]/i.test(word) ? 'an' : 'a'} ${word}`;
}

/** A number of moves in words: `1 move`. */
function moves(n: number): string {
  return n === 1 ? '1 move' : `${n} moves`;
}

/** What was wrong with a move, in a sentence. */
export function faultText(variant: VariantDetail, fault: ReviewFault, mover: Side): string {
  const other = sideName(variant, mover === 'white' ? 'black' : 'white');
  const piece = fault.piece ? spoken(variant, fault.piece) : '';
  switch (fault.kind) {
    case 'allowed_win':
      return `After this ${other} can force a win in ${moves(fault.moves ?? 1)}.`;
    case 'missed_win':
      return `This missed a forced win in ${moves(fault.moves ?? 1)}.`;
    case 'missed_draw':
      return `This missed a draw that was at hand (${fault.ending}), and the game is being lost.`;
    case 'lost_piece':
      return `After this ${other} can win ${article(piece)}.`;
    case 'missed_piece':
      return `This missed the chance to win ${article(piece)}.`;
    case 'let_slip':
      return 'A winning position slipped away.';
    case 'lost_hold':
      return 'The game could be held before, but is being lost now.';
    default:
      return 'There was something better.';
  }
}

/** What a game is remembered by, in a sentence. */
export function momentText(variant: VariantDetail, moment: ReviewMoment): string {
  const side = sideName(variant, moment.side);
  const piece = spoken(variant, moment.piece);
  const became = moment.becomes ? spoken(variant, moment.becomes) : '';
  switch (moment.kind) {
    case 'released':
      return `${side}'s ${piece} is freed.`;
    case 'traversed':
      return `${side}'s ${piece} moves far within its castle${moment.name ? ` (${moment.name})` : ''} and is ${article(became)} from now on.`;
    case 'crowned':
      return `${side} makes every ${piece} ${article(became)}.`;
    case 'promoted':
      return `${side}'s ${piece} becomes ${article(became)}.`;
    case 'castled':
      return `${side}'s ${piece} castles${moment.name && moment.name !== 'castling' ? ` (${moment.name})` : ''}.`;
    default:
      return `${side}'s ${piece} is captured.`;
  }
}

/** Number and move, as `12. Qxd5` or `12... Qxd5`. `ply` counts half-moves of the game from 0. */
export function numbered(start: string, ply: number, san: string): string {
  const skip = turnOf(start) === 'black' ? 1 : 0;
  const first = Number(start.split(' ').at(-1)) || 1;
  const slot = ply + skip;
  return `${first + Math.floor(slot / 2)}${slot % 2 ? '...' : '.'} ${san}`;
}

/** Who makes a half-move, counted from 0. */
export function moverOf(start: string, ply: number): Side {
  return (turnOf(start) === 'black') === (ply % 2 === 0) ? 'black' : 'white';
}

/** White's score after a move: `+0.35`, `a win in 4`. */
export function scoreText(variant: VariantDetail, move: Pick<ReviewMove, 'cp' | 'mate'>): string {
  if (move.mate != null)
    return `${sideName(variant, move.mate > 0 ? 'white' : 'black')} wins in ${moves(Math.abs(move.mate))}`;
  if (move.cp == null) return '';
  const pawns = move.cp / 100;
  return `${pawns > 0 ? '+' : ''}${pawns.toFixed(1)}`;
}

/** How many of each size a side has made, in words. */
export function counted(start: string, all: ReviewMove[], side: Side): string {
  const own = all.filter((_, ply) => moverOf(start, ply) === side);
  const parts = SIZES.flatMap(({ size, name, many }) => {
    const count = own.filter((move) => move.fault?.size === size).length;
    return count ? [`${count} ${count === 1 ? name : many}`] : [];
  });
  return parts.length ? parts.join(', ') : 'no mistakes';
}

/**
 * The half-move with which to begin: the first turning point of a player's own, or of anybody; without any the heaviest
 * mistake there is. Missing where nothing was wrong.
 */
export function firstMistake(
  start: string,
  all: ReviewMove[],
  turning: number[],
  own: Side | null,
): number | undefined {
  const ours = (ply: number) => own === null || moverOf(start, ply) === own;
  const heaviest = (plies: number[]) =>
    plies.reduce<number | undefined>(
      (best, ply) => (best === undefined || all[ply]!.loss > all[best]!.loss ? ply : best),
      undefined,
    );
  const faults = all.flatMap((move, ply) => (move.fault ? [ply] : []));
  return turning.find(ours) ?? heaviest(faults.filter(ours)) ?? turning[0] ?? heaviest(faults);
}
