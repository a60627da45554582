// What has happened in a game and is easily missed, in a sentence: the die, a prisoner who is free, Emperors.
import type { CustomsNow, Side, VariantDetail } from '../api/types';
import { readBoard, splitMove } from '../board/keys';
import { pieceName } from '../board/say';
import { prisoners, sideName } from './words';

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
export function brought(variant: VariantDetail, before: string, after: string, uci: string): string | null {
  const move = splitMove(uci);
  if (move && move.from === move.to) {
    const crown = readBoard(after).get(move.to);
    return `All Kings are ${pieceName(variant, crown?.letter ?? 'X')}s now.`;
  }
  const free = (['white', 'black'] as const).flatMap((side: Side) => {
    const left = [...prisoners(after, side)];
    return [...prisoners(before, side)]
      .filter((letter) => {
        const at = left.indexOf(letter);
        if (at >= 0) left.splice(at, 1);
        return at < 0;
      })
      .map((letter) => `${sideName(variant, side)}'s ${pieceName(variant, letter)} is free.`);
  });
  return free.length ? free.join(' ') : null;
}
