// The rules text as the page shows it: which chapter stands where. Plain values; the text is the server's.
import type { Look } from '../api/http';
import type { Chapter, PieceInfo, VariantDetail } from '../api/types';

export interface Layout {
  /** What stands before the first chapter: which game it is, in a sentence. */
  lead: Chapter | undefined;
  /** What is read first: the first chapter. */
  essentials: Chapter | undefined;
  /** The chapters between. */
  middle: Chapter[];
  /** What is for those who write programs, if the text has it. */
  programmers: Chapter | undefined;
}

const LAST = 'for-programmers';

/** Puts chapters where they belong: the first makes the first screen, the programmers' comes last. */
export function layout(chapters: Chapter[]): Layout {
  const programmers = chapters.find((chapter) => chapter.id === LAST);
  const rest = chapters.filter((chapter) => chapter !== programmers);
  const lead = rest.find((chapter) => !chapter.id);
  const [essentials, ...middle] = rest.filter((chapter) => chapter.id);
  return { lead, essentials, middle, programmers };
}

/** The same text for the page: its pictures in the colours and with the pieces that were chosen. */
export function dressed(html: string, { theme, set, board }: Look): string {
  const query = new URLSearchParams({ theme, set, board }).toString().replaceAll('&', '&amp;');
  return (
    html
      .replace(/(<img src="[^"?]*\/diagram\/\d+\.svg)"/g, `$1?${query}"`)
      // the corner of a table is no heading
      .replaceAll('<th></th>', '<td></td>')
  );
}

/** The kinds that stand on the board of a position text, and those that do not, each in the game's order. */
export function byPresence(variant: VariantDetail, fen: string): { here: PieceInfo[]; later: PieceInfo[] } {
  const board = (fen.split(' ')[0] ?? '').toUpperCase();
  const here = variant.pieces.filter((kind) => board.includes(kind.letter));
  return { here, later: variant.pieces.filter((kind) => !here.includes(kind)) };
}
