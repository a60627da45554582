// What was wished for last on this browser.
import type { Opponents } from '../api/types';

const KEY = 'husun.seek';

export interface KeptWish {
  /** Ids of games, and `family NAME`. */
  games: string[];
  clocks: string[];
  rated: boolean;
  opponents: Opponents;
}

const FIRST: KeptWish = { games: [], clocks: ['fischer:10m+5s'], rated: false, opponents: 'anyone' };

export function keptWish(): KeptWish {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Partial<KeptWish> | null;
    const texts = (list: unknown): string[] =>
      Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
    const clocks = texts(kept?.clocks);
    return {
      games: texts(kept?.games),
      clocks: clocks.length ? clocks : FIRST.clocks,
      rated: kept?.rated === true,
      opponents: kept?.opponents === 'people' ? 'people' : 'anyone',
    };
  } catch {
    return FIRST;
  }
}

export function keepWish(wish: KeptWish): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(wish));
  } catch {
    // remembered for this page only
  }
}
