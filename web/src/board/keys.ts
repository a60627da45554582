// Squares and moves between the names of our games (`l12`, `a10b11q`) and the board widget's keys, whose ranks
// are one character each (`l<`), and position texts as pieces on squares. The only place that knows both.
import type { Key } from 'chessgroundx/types';
import type { Side } from '../api/types';

const RANKS = '123456789:;<=>?@';

export type { Key };

/** The widget's key of a square. */
export function toKey(square: string): Key {
  return (square[0] + (RANKS[Number(square.slice(1)) - 1] ?? '1')) as Key;
}

/** The square of a widget's key. */
export function toSquare(key: string): string {
  return `${key[0]}${RANKS.indexOf(key[1] ?? '1') + 1}`;
}

/** The name of the square at a file and a rank, both from 0. */
export function squareAt(file: number, rank: number): string {
  return String.fromCharCode(97 + file) + (rank + 1);
}

/** File and rank of a square, both from 0. */
export function placeOf(square: string): [file: number, rank: number] {
  return [square.charCodeAt(0) - 97, Number(square.slice(1)) - 1];
}

export interface SplitMove {
  from: string;
  to: string;
  /** Small letter of what stands on `to` afterwards, if it is not what moved. */
  letter: string;
}

/** A move in UCI form taken apart. */
export function splitMove(uci: string): SplitMove | null {
  const match = /^([a-p]\d{1,2})([a-p]\d{1,2})([a-z]?)$/.exec(uci);
  return match ? { from: match[1]!, to: match[2]!, letter: match[3]! } : null;
}

export interface PieceOn {
  /** Capital letter of the kind. */
  letter: string;
  side: Side;
}

/** The pieces of a position text by square. Missing squares count as empty. */
export function readBoard(fen: string): Map<string, PieceOn> {
  const pieces = new Map<string, PieceOn>();
  const rows = (fen.split(' ')[0] ?? '').split('/');
  rows.forEach((row, index) => {
    let file = 0;
    for (const [text] of row.matchAll(/\d+|[A-Za-z*]/g)) {
      if (/\d/.test(text)) {
        file += Number(text);
        continue;
      }
      if (text !== '*') {
        const letter = text.toUpperCase();
        pieces.set(squareAt(file, rows.length - 1 - index), {
          letter,
          side: text === letter ? 'white' : 'black',
        });
      }
      file += 1;
    }
  });
  return pieces;
}

/** Whose turn it is in a position text. */
export function turnOf(fen: string): Side {
  return fen.split(' ')[1] === 'b' ? 'black' : 'white';
}

/** The pieces as a position text that the widget understands: missing squares as empty ones. */
export function widgetFen(pieces: Map<string, PieceOn>, files: number, ranks: number): string {
  const rows: string[] = [];
  for (let rank = ranks - 1; rank >= 0; rank--) {
    let row = '';
    let gap = 0;
    for (let file = 0; file < files; file++) {
      const piece = pieces.get(squareAt(file, rank));
      if (!piece) {
        gap += 1;
        continue;
      }
      if (gap) row += gap;
      gap = 0;
      row += piece.side === 'white' ? piece.letter : piece.letter.toLowerCase();
    }
    rows.push(row + (gap || ''));
  }
  return rows.join('/');
}

/** Class of a piece's picture. */
export function roleOf(letter: string): string {
  return `${letter.toLowerCase()}-piece`;
}

export function opposite(side: Side): Side {
  return side === 'white' ? 'black' : 'white';
}
