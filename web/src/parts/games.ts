// Games as people choose them from a list: each by its id, and families whose customs decide which is played.
import type { VariantCard } from '../api/types';

const FAMILY = 'family ';

/** Families that can be chosen, as choices. */
export function byCustoms(cards: VariantCard[]): string[] {
  return [...new Set(cards.flatMap((card) => card.customs?.family ?? []))].map((name) => FAMILY + name);
}

/** The family of a choice; null if it is a game. */
export function familyOf(choice: string): string | null {
  return choice.startsWith(FAMILY) ? choice.slice(FAMILY.length) : null;
}

/** What a choice is called. */
export function choiceName(choice: string, cards: VariantCard[]): string {
  const family = familyOf(choice);
  if (family) return `${family}, by its customs`;
  return cards.find((card) => card.id === choice)?.name ?? choice;
}

/** Choices as the server takes them. */
export function split(choices: string[]): { games: string[]; families: string[] } {
  return {
    games: choices.filter((choice) => !familyOf(choice)),
    families: choices.flatMap((choice) => familyOf(choice) ?? []),
  };
}
