// Where a piece could go: asked of the server, answers kept. No move is worked out here.

import { api } from '../api/http';
import type { ReachAnswer, ReachRequest, TargetsAnswer, TargetsRequest } from '../api/types';

/** How many answers are kept of each kind. */
const MOST = 500;

/** A question that is asked once: the same question later gets the same answer. */
function once<Q, A>(ask: (variant: string, question: Q) => Promise<A>) {
  const kept = new Map<string, Promise<A>>();
  return (variant: string, question: Q): Promise<A> => {
    const key = `${variant} ${JSON.stringify(question)}`;
    let answer = kept.get(key);
    if (!answer) {
      answer = ask(variant, question);
      answer.catch(() => kept.delete(key));
      kept.set(key, answer);
      if (kept.size > MOST) kept.delete(kept.keys().next().value!);
    }
    return answer;
  };
}

/** Asks where a piece can go on an otherwise empty board with blockers. */
export const reach = once<ReachRequest, ReachAnswer>((variant, question) => api.reach(variant, question));

/** Asks what the piece on a square can do in a position, whoever is to move. */
export const targetsOf = once<TargetsRequest, TargetsAnswer>((variant, question) =>
  api.targets(variant, question),
);
