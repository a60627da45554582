// Positions and moves in words, for those who listen to the board.
import type { VariantDetail } from '../api/types';
import { sideName } from '../parts/words';
import { readBoard, splitMove, type PieceOn } from './keys';

/** Name of a kind of piece. */
export function pieceName(variant: VariantDetail, letter: string): string {
  return variant.pieces.find((kind) => kind.letter === letter.toUpperCase())?.name ?? letter;
}

/** A piece as `White's Knight`, by the game's own name of the side. */
export function sayPiece(variant: VariantDetail, piece: PieceOn): string {
  return `${sideName(variant, piece.side)}'s ${pieceName(variant, piece.letter)}`;
}

/** A move that led from one position to the next. */
export function sayMove(
  variant: VariantDetail,
  before: string,
  after: string,
  uci: string,
  check: string | null | undefined,
): string {
  const move = splitMove(uci);
  if (!move) return '';
  const old = readBoard(before);
  const now = readBoard(after);
  const piece = old.get(move.from);
  const there = now.get(move.to);
  const end = check ? ', check.' : '.';
  // steps backwards and jumps through the list are no moves
  if (!piece || !there || (move.from !== move.to && now.has(move.from)))
    return `Position after ${move.from} ${move.to}${end}`;
  if (move.from === move.to) return `${sayPiece(variant, piece)} on ${move.from} calls the change${end}`;
  const taken = old.get(move.to);
  const capture = taken ? ` takes ${sayPiece(variant, taken)} on ${move.to}` : ` to ${move.to}`;
  const became =
    there.side === piece.side && there.letter !== piece.letter
      ? `, becomes ${pieceName(variant, there.letter)}`
      : '';
  return `${sayPiece(variant, piece)} ${move.from}${capture}${became}${end}`;
}
