// Moves that change the piece that makes them for good: which a move is. Plain values; which there are is in the game's data.
import type { LastingAct, VariantDetail } from '../api/types';
import { readBoard, splitMove } from '../board/keys';

/** The act that a move in UCI form is, if it is one. Moves of pawns, whose change is their purpose, are none. */
export function actOf(variant: VariantDetail, fen: string, uci: string): LastingAct | undefined {
  const move = splitMove(uci);
  if (!move?.letter) return undefined;
  const letter = readBoard(fen).get(move.from)?.letter;
  return variant.lasting.find((act) => act.piece === letter && act.becomes === move.letter.toUpperCase());
}

/** The name by which it is remembered that somebody has been told of an act. */
export function nameOf(act: LastingAct): string {
  return `${act.name} ${act.piece} ${act.becomes}`;
}
