// Position text taken apart and put together again, as a form for the editor. Whether a position is possible
// is for the server to say: nothing here knows a rule.

import { readBoard, squareAt, type PieceOn } from '../board/keys';

/** The fields of a position text. */
export interface Fields {
  men: Map<string, PieceOn>;
  side: 'w' | 'b';
  castling: string;
  passant: string;
  /** Present only in games that have such a field. */
  state?: string;
  half: string;
  full: string;
}

/** Names of all squares of a frame, row by row from the north; where a square is missing, `undefined`. */
export function rows(files: number, ranks: number, missing: Iterable<string>): (string | undefined)[][] {
  const gone = new Set(missing);
  return Array.from({ length: ranks }, (_, row) =>
    Array.from({ length: files }, (_, column) => {
      const name = squareAt(column, ranks - 1 - row);
      return gone.has(name) ? undefined : name;
    }),
  );
}

/** Writes the board field. */
export function writeBoard(
  men: Map<string, PieceOn>,
  files: number,
  ranks: number,
  missing: Iterable<string>,
): string {
  return rows(files, ranks, missing)
    .map((row) => {
      let text = '';
      let empty = 0;
      const flush = () => {
        if (empty) text += String(empty);
        empty = 0;
      };
      for (const square of row) {
        const man = square === undefined ? undefined : men.get(square);
        if (square !== undefined && !man) {
          empty += 1;
          continue;
        }
        flush();
        text += man ? (man.side === 'white' ? man.letter : man.letter.toLowerCase()) : '*';
      }
      flush();
      return text;
    })
    .join('/');
}

/** Takes a position text apart. Six fields, or seven in games with a state field; the last two may be missing. */
export function readFen(fen: string, hasState: boolean): Fields {
  const parts = fen.trim().split(/\s+/);
  const [board = '', side = 'w', castling = '-', passant = '-'] = parts;
  const rest = parts.slice(4);
  const state = hasState ? (rest.shift() ?? '-') : undefined;
  const [half = '0', full = '1'] = rest;
  const fields: Fields = {
    men: readBoard(board),
    side: side === 'b' ? 'b' : 'w',
    castling,
    passant,
    half,
    full,
  };
  if (state !== undefined) fields.state = state;
  return fields;
}

/** Puts a position text together. An empty field is written as `-`. */
export function writeFen(fields: Fields, files: number, ranks: number, missing: Iterable<string>): string {
  const or = (text: string, other: string) => text.replace(/\s+/g, '') || other;
  return [
    writeBoard(fields.men, files, ranks, missing),
    fields.side,
    or(fields.castling, '-'),
    or(fields.passant, '-'),
    ...(fields.state === undefined ? [] : [or(fields.state, '-')]),
    or(fields.half, '0'),
    or(fields.full, '1'),
  ].join(' ');
}

/** Whether position texts of a game have a state field, seen from its set-up. */
export function hasState(fen: string): boolean {
  return fen.trim().split(/\s+/).length === 7;
}
