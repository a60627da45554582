// What tables of perfect play know, in words.

import type { Side, TableMove, TableVerdict, VariantDetail } from '../api/types';

/** How many men a position text has, kings among them. */
export function menOf(fen: string): number {
  return fen.split(' ')[0]?.match(/[a-z]/gi)?.length ?? 0;
}

/** Who wins a position, and when. */
export function whoWins(variant: Pick<VariantDetail, 'sides'>, turn: Side, verdict: TableVerdict): string {
  if (verdict.outcome === 'drawn') return 'Drawn with best play';
  const other = turn === 'white' ? 'black' : 'white';
  const winner = variant.sides[verdict.outcome === 'won' ? turn : other];
  const late = verdict.late ? ', if the move rule does not draw before' : '';
  return `${winner} wins in ${halfMoves(verdict.distance)}${late}`;
}

/** What a move leads to, for the side that makes it. */
export function leadsTo(move: Pick<TableMove, 'outcome' | 'distance'>): string {
  if (move.outcome === 'drawn') return 'draws';
  return `${move.outcome === 'won' ? 'wins' : 'loses'} in ${move.distance}`;
}

function halfMoves(count: number): string {
  return count === 1 ? '1 half-move' : `${count} half-moves`;
}
