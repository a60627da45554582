// Where somebody who knows none of the games begins: what the games' data say of it.
import type { VariantCard } from '../api/types';

/** The game shown and offered first: the one whose data name a first lesson, or the first of all. */
export function firstOf(cards: VariantCard[]): VariantCard | undefined {
  return cards.find((card) => card.about?.first_lesson) ?? cards[0];
}

/** Where "Learn a first game" leads: that lesson, on the board at once; before it is known, to all lessons. */
export function firstLesson(first: VariantCard | undefined): string {
  const lesson = first?.about?.first_lesson;
  return first && lesson ? `/learn/${first.id}/${lesson}` : '/learn';
}
