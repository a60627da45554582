// A result in words.

import type { GameResult, VariantDetail } from '../api/types';

/** As `Checkmate: South wins, 3 to 0.` */
export function resultText(result: GameResult, variant: Pick<VariantDetail, 'sides'>): string {
  const reason = result.reason.charAt(0).toUpperCase() + result.reason.slice(1);
  const points = `${half(result.points.white)} to ${half(result.points.black)}`;
  return result.winner
    ? `${reason}: ${variant.sides[result.winner]} wins, ${points}.`
    : `${reason}: draw, ${points}.`;
}

/** A number of points, a half as ½. */
function half(points: number): string {
  const whole = Math.floor(points);
  if (points - whole !== 0.5) return String(points);
  return whole === 0 ? '½' : `${whole}½`;
}
