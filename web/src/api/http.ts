// The HTTP interface as functions. Answers are believed to have the shapes of `types.ts`.
import { sentence } from '../parts/plain';
import { greeted } from './greet';
import type {
  AttemptNow,
  Family,
  GameCard,
  GameMade,
  LessonCard,
  LessonDetail,
  Me,
  NewGame,
  PgnAnswer,
  PositionAnswer,
  PositionRequest,
  ReachAnswer,
  ReachRequest,
  Refusal,
  RulesText,
  Snapshot,
  TablebaseAnswer,
  TargetsAnswer,
  TargetsRequest,
  VariantCard,
  VariantDetail,
} from './types';

/** The server said no, or could not be reached. `message` is for people. */
export class Refused extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Codes of what passes by itself. */
const PASSING = new Set(['offline', 'busy', 'full', 'limit', 'rate', 'starting', 'storage']);

/** Whether the same may be answered in a while. */
export function isPassing(error: unknown): boolean {
  return error instanceof Refused && PASSING.has(error.code);
}

/** What went wrong, for people. */
export function wrong(error: unknown): string {
  return error instanceof Refused ? error.message : 'That did not work.';
}

/** What is the same for everybody. */
const SAME_FOR_ALL = /^(variants|families|position|pgn|people|ratings|running|tablebase)\b/;

export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  if (!SAME_FOR_ALL.test(path)) await greeted();
  let response: Response;
  try {
    response = await fetch(`/api/${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
  } catch {
    throw new Refused('offline', 'The server cannot be reached. Is the connection up?');
  }
  const text = await response.text();
  let value: unknown;
  try {
    value = text ? JSON.parse(text) : undefined;
  } catch {
    value = undefined;
  }
  if (!response.ok) {
    const refusal = value as Partial<Refusal> | undefined;
    const said = refusal?.message ?? `the server answered ${response.status}`;
    throw new Refused(
      refusal?.code ?? String(response.status),
      // the list of all games is for programs; what is wrong with a PGN is put into words by who sent it
      refusal?.code === 'no_such_variant'
        ? 'There is no such game.'
        : refusal?.code === 'pgn'
          ? said
          : sentence(said),
    );
  }
  return value as T;
}

/** Keeps the promise of a first question, and forgets it if it failed. */
function remembered<T>(store: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  let promise = store.get(key);
  if (!promise) {
    promise = make();
    store.set(key, promise);
    promise.catch(() => store.delete(key));
  }
  return promise;
}

const lists = new Map<string, Promise<VariantCard[]>>();
const families = new Map<string, Promise<Family[]>>();
const details = new Map<string, Promise<VariantDetail>>();
const rules = new Map<string, Promise<RulesText>>();
const courses = new Map<string, Promise<LessonCard[]>>();
const tasks = new Map<string, Promise<LessonDetail>>();
const enc = encodeURIComponent;

export const api = {
  variants: () => remembered(lists, '', () => ask<VariantCard[]>('GET', 'variants')),
  families: () => remembered(families, '', () => ask<Family[]>('GET', 'families')),
  variant: (id: string) => remembered(details, id, () => ask<VariantDetail>('GET', `variants/${enc(id)}`)),
  rules: (id: string) => remembered(rules, id, () => ask<RulesText>('GET', `variants/${enc(id)}/rules`)),
  lessons: (id: string) =>
    remembered(courses, id, () => ask<LessonCard[]>('GET', `variants/${enc(id)}/lessons`)),
  lesson: (id: string, lesson: string) =>
    remembered(tasks, `${id}/${lesson}`, () =>
      ask<LessonDetail>('GET', `variants/${enc(id)}/lessons/${enc(lesson)}`),
    ),
  attempt: (id: string, lesson: string, task: number, moves: string[]) =>
    ask<AttemptNow>('POST', `variants/${enc(id)}/lessons/${enc(lesson)}/${task}`, { moves }),
  targets: (id: string, question: TargetsRequest) =>
    ask<TargetsAnswer>('POST', `variants/${enc(id)}/targets`, question),
  reach: (id: string, question: ReachRequest) =>
    ask<ReachAnswer>('POST', `variants/${enc(id)}/reach`, question),
  position: (question: PositionRequest) => ask<PositionAnswer>('POST', 'position', question),
  tables: (id: string, fen: string) => ask<TablebaseAnswer>('GET', `tablebase/${enc(id)}?fen=${enc(fen)}`),
  pgn: (text: string) => ask<PgnAnswer>('POST', 'pgn', { text }),
  newGame: (wish: NewGame) => ask<GameMade>('POST', 'games', wish),
  game: (id: string) => ask<Snapshot>('GET', `games/${enc(id)}`),
  me: () => ask<Me>('GET', 'me'),
  rename: (name: string) => ask<Me>('PUT', 'me', { name }),
  mine: () => ask<GameCard[]>('GET', 'me/games'),
};

/** How pictures are drawn: what the settings say. */
export interface Look {
  theme: string;
  set: string;
  /** Colours of the board. */
  board: string;
}

/** Address of a board drawn with its pieces. */
export function boardPicture(id: string, look: Look, more: { setup?: string; fen?: string } = {}): string {
  const { theme, set, board } = look;
  const query = new URLSearchParams({ theme, set, board, ...more });
  return `/api/variants/${enc(id)}/board.svg?${query}`;
}

/** Address of a game's moves as a file. */
export function pgnAddress(id: string): string {
  return `/api/games/${enc(id)}/pgn`;
}

const sheets = new Set<string>();

/** Brings the pictures of a game's pieces into the page, once. They apply inside `.pieces-{set}-{id}`. */
export function loadPieces(id: string, set: string): void {
  const href = `/api/variants/${enc(id)}/pieces/${enc(set)}.css`;
  if (sheets.has(href)) return;
  sheets.add(href);
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = href;
  link.onerror = () => {
    sheets.delete(href);
    link.remove();
  };
  document.head.append(link);
}
