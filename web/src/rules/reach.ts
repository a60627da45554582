// Where a piece could go: asked of the server, answers kept. No move is worked out here.

import { api } from '../api/http';
import type { ReachAnswer, ReachRequest } from '../api/types';

const kept = new Map<string, Promise<ReachAnswer>>();

/** Asks where a piece can go on an otherwise empty board with blockers. */
export function reach(variant: string, question: ReachRequest): Promise<ReachAnswer> {
  const key = `${variant} ${JSON.stringify(question)}`;
  let answer = kept.get(key);
  if (!answer) {
    answer = api.reach(variant, question);
    answer.catch(() => kept.delete(key));
    kept.set(key, answer);
    if (kept.size > 500) kept.delete(kept.keys().next().value!);
  }
  return answer;
}
