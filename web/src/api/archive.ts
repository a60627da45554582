// Finished games: pages of what is searched for, and all of it as a file.
import { ask } from './http';
import type { ArchivePage } from './types';

export const archive = {
  /** A page of a query as it stands in the address; `after` is `next` of the page before. */
  page: (query: string, after?: number) => {
    const wishes = new URLSearchParams(query);
    if (after !== undefined) wishes.set('after', String(after));
    const text = wishes.toString();
    return ask<ArchivePage>('GET', `archive${text ? `?${text}` : ''}`);
  },
  /** Address of all games of a query as PGN. */
  pgn: (query: string) => `/api/archive.pgn${query ? `?${query}` : ''}`,
};
