// What finished games are searched by, between the address of the page and its form.

const FIELDS = [
  'player',
  'opponent',
  'variant',
  'side',
  'result',
  'ending',
  'from',
  'to',
  'min_moves',
  'max_moves',
  'min_rating',
  'rated',
  'speed',
  'position',
] as const;

export type Wishes = Record<(typeof FIELDS)[number], string>;

/** The wishes of an address; what is not known is left out. */
export function readWishes(query: string): Wishes {
  const given = new URLSearchParams(query);
  return Object.fromEntries(FIELDS.map((field) => [field, given.get(field)?.trim() ?? ''])) as Wishes;
}

/** Wishes as a query without those that are empty, or say nothing without another. */
export function writeWishes(wishes: Wishes): string {
  const query = new URLSearchParams();
  for (const field of FIELDS) {
    const value = wishes[field].trim();
    if (!value) continue;
    if (!wishes.player.trim() && (field === 'opponent' || field === 'side')) continue;
    if (!wishes.player.trim() && (value === 'won' || value === 'lost')) continue;
    if (!wishes.variant && field === 'position') continue;
    query.set(field, value);
  }
  return query.toString();
}

/** How much is wished that the short form has no place for. */
export function moreWishes(wishes: Wishes): number {
  return FIELDS.filter((field) => wishes[field] && !['player', 'variant', 'result'].includes(field)).length;
}

/** How games end, by the word of the server. */
export const ENDINGS: [string, string][] = [
  ['checkmate', 'Checkmate'],
  ['green gem', 'Green Gem'],
  ['stalemate', 'Stalemate'],
  ['citadel', 'A king reached the citadel'],
  ['bare king', 'A king was left alone'],
  ['bare royals', 'Only royal pieces were left'],
  ['repetition', 'Repetition'],
  ['move rule', 'Move rule'],
  ['resignation', 'Resignation'],
  ['time', 'Time ran out'],
  ['agreement', 'Agreed draw'],
  ['abandoned', 'A player left'],
];

/** Classes of the clock. */
export const SPEEDS: [string, string][] = [
  ['blitz', 'Blitz'],
  ['rapid', 'Rapid'],
  ['slow', 'Slow'],
  ['correspondence', 'Days for a move'],
  ['none', 'No clock'],
];
