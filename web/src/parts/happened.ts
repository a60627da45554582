// What has happened in a game and is easily missed, in a sentence: the die, and what the game's data have to tell.
import type { CustomsNow, VariantDetail } from '../api/types';
import { standing } from './words';

/** What a die has decided; null if none was thrown since. */
export function thrown(
  before: CustomsNow | null | undefined,
  now: CustomsNow | null | undefined,
): string | null {
  if (now?.die == null || !before || before.die != null) return null;
  const settled = now.questions.flatMap(({ name, settled }) => (settled ? [`${name} ${settled}`] : []));
  return `The die shows ${now.die}, ${now.die % 2 ? 'odd' : 'even'}: ${settled.join(', ')}.`;
}

/** What a move has brought about; null if nothing out of the common. */
export function brought(variant: VariantDetail, before: string, after: string): string | null {
  const [was, is] = [standing(variant, before), standing(variant, after)];
  const news = [
    ...was.filter((letter) => !is.includes(letter)).map(({ goes }) => goes),
    ...is.filter((letter) => !was.includes(letter)).map(({ comes }) => comes),
  ].filter(Boolean);
  return news.length ? news.join(' ') : null;
}
