// The games in their families, as Home shows them: one card a family, its forms and sizes within. What a game's
// file does not say is left out.
import type { VariantCard } from '../api/types';

/** Smallest and largest value among the forms. */
export type Range = [least: number, most: number];

export interface GameFamily {
  name: string;
  forms: VariantCard[];
  summary: string;
  /** 1 to 5. */
  difficulty: Range | null;
  minutes: Range | null;
  fromChess: string | null;
}

/** The family of a game: what its file says, or else what stands before a dash or a bracket in its name. */
export function familyOf(card: VariantCard): string {
  return card.about?.family || card.customs?.family || card.name.split(/ - | \(/)[0] || card.name;
}

/** What tells a form from the others of its family, as `9 ranks`. */
export function formName(card: VariantCard, family: string): string {
  if (!card.name.startsWith(family)) return card.name;
  const rest = card.name
    .slice(family.length)
    .replace(/^[\s\-–:]+/, '')
    .replace(/^\((.*)\)$/, '$1');
  return rest || card.name;
}

/** The games by family, in the order in which they come; the family of `first` leads. */
export function families(cards: VariantCard[], first: string | undefined): GameFamily[] {
  const all = new Map<string, VariantCard[]>();
  for (const card of cards) {
    const name = familyOf(card);
    all.set(name, [...(all.get(name) ?? []), card]);
  }
  const leads = (forms: VariantCard[]) => Number(forms.some((card) => card.id === first));
  return [...all].map(([name, forms]) => family(name, forms)).sort((a, b) => leads(b.forms) - leads(a.forms));
}

function family(name: string, forms: VariantCard[]): GameFamily {
  const akin = forms.every((card) => card.name.startsWith(name));
  return {
    name,
    forms,
    // games of different names are best told by these
    summary: akin || forms.length === 1 ? (forms[0]?.summary ?? '') : `${list(forms.map((f) => f.name))}.`,
    difficulty: range(forms.map((card) => card.about?.difficulty)),
    minutes: range(forms.map((card) => card.about?.minutes)),
    fromChess: forms.find((card) => card.about?.from_chess)?.about?.from_chess ?? null,
  };
}

function range(values: (number | null | undefined)[]): Range | null {
  const known = values.filter((value) => value != null);
  return known.length ? [Math.min(...known), Math.max(...known)] : null;
}

function list(words: string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

const DIFFICULTIES = ['easy', 'fairly easy', 'medium', 'demanding', 'very demanding'];

/** A difficulty in words, as `easy to medium`. */
export function difficultyText([least, most]: Range): string {
  const word = (n: number) => DIFFICULTIES[Math.min(Math.max(Math.round(n), 1), 5) - 1]!;
  return word(least) === word(most) ? word(least) : `${word(least)} to ${word(most)}`;
}

/** A usual length, as `40 min` or `40 to 90 min`. */
export function lengthText([least, most]: Range): string {
  return least === most ? `${least} min` : `${least} to ${most} min`;
}
