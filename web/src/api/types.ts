// The shapes that go over the wire.

export type Side = 'white' | 'black';
export interface Both<T> {
  white: T;
  black: T;
}
export interface Refusal {
  code: string;
  message: string;
}

export interface Choice {
  name: string;
  value: string;
}
export interface Customs {
  family: string;
  method: 'die' | 'turns';
  choice: Choice[];
  counsellor: boolean;
}
export interface Family {
  name: string;
  variants: string[];
  customs: Customs;
  defaults: Choice[];
}
export interface VariantCard {
  id: string;
  name: string;
  summary: string;
  origin: string;
  files: number;
  ranks: number;
  clock: string;
  sides: Both<string>;
  customs?: Customs | null;
}
export interface PieceInfo {
  letter: string;
  name: string;
  betza: string;
  royal: boolean;
  pawn: boolean;
}
export interface Region {
  id: string;
  name: string;
  squares: string[];
  color: string;
}
export interface SetupInfo {
  name: string;
  fen: string;
}
export interface Looks {
  fill: string;
  detail: string;
  stripes: boolean;
}
export interface VariantDetail extends VariantCard {
  missing: string[];
  pieces: PieceInfo[];
  regions: Region[];
  setups: SetupInfo[];
  looks: Both<Looks>;
  accept: boolean;
  rules_html: string;
}
export interface ReachRequest {
  letter: string;
  side: Side;
  from: string;
  own?: string[];
  enemy?: string[];
}
export interface ReachAnswer {
  moves: string[];
  captures: string[];
}

export interface PositionRequest {
  variant: string;
  fen?: string | null;
  moves?: string[];
}
export interface LegalMove {
  uci: string;
  san: string;
}
export interface PositionAnswer {
  start: string;
  played: Played[];
  fen: string;
  turn: Side;
  legal: LegalMove[];
  check?: string | null;
  can_accept: boolean;
  result?: GameResult | null;
  captured: Both<string>;
}
export interface PgnRequest {
  text: string;
}
export interface PgnMove extends Played {
  comments?: string[];
  variations?: PgnMove[][];
}
export interface PgnAnswer {
  variant: string;
  start: string;
  tags: [string, string][];
  line: PgnMove[];
}
export interface AnalysisLine {
  cp?: number | null;
  mate?: number | null;
  expect: number;
  uci: string[];
  san: string[];
}

export interface NewGame {
  variant?: string | null;
  family?: string | null;
  setup?: string | null;
  fen?: string | null;
  level?: number | null;
  side?: Side | null;
  clock?: string | null;
  takebacks?: boolean;
  name?: string | null;
}
export interface GameMade {
  id: string;
  side: Side;
  seat: string;
  friend_seat?: string | null;
}
export type Stage = 'waiting' | 'customs' | 'playing' | 'over' | 'aborted';
export interface Player {
  name: string;
  level?: number | null;
  seated: boolean;
  online: boolean;
}
export interface GameResult {
  winner?: Side | null;
  reason: string;
  points: Both<number>;
}
export interface GameCard {
  id: string;
  variant?: string | null;
  name: string;
  fen?: string | null;
  last?: string | null;
  players: Both<Player>;
  clock: string;
  ply: number;
  stage: Stage;
  result?: GameResult | null;
  own?: Side | null;
  to_move?: boolean;
}
export interface Played {
  uci: string;
  san: string;
  fen: string;
  check?: string | null;
  spent_ms?: number | null;
}
export interface Time {
  main_ms: number;
  extra_ms?: number | null;
  periods?: number | null;
}
export interface Clocks {
  times: Both<Time>;
  running?: Side | null;
}
export interface CustomsQuestion {
  name: string;
  values: string[];
  asked: Side[];
  chosen: Both<string | null>;
  settled?: string | null;
}
export interface CustomsNow {
  family: string;
  questions: CustomsQuestion[];
  die?: number | null;
  silent_in_ms?: number | null;
}
export interface Counsel {
  counsellor?: string | null;
  can_ask?: boolean;
  asked?: boolean;
}
export interface ChatLine {
  side: Side;
  text: string;
}
export interface Now {
  seq: number;
  stage: Stage;
  ply: number;
  turn?: Side | null;
  legal?: string[];
  can_accept?: boolean;
  draw_offer?: Side | null;
  takeback_offer?: Side | null;
  rematch_offer?: Side | null;
  rematch?: string | null;
  can_abort?: boolean;
  clocks?: Clocks | null;
  result?: GameResult | null;
  captured: Both<string>;
  players: Both<Player>;
  customs?: CustomsNow | null;
  counsel?: Both<Counsel> | null;
  watchers: number;
  trouble?: string | null;
}
export interface Snapshot {
  id: string;
  variant?: string | null;
  name: string;
  start?: string | null;
  clock: string;
  takebacks: boolean;
  own?: Side | null;
  counsels?: Side | null;
  moves: Played[];
  chat: ChatLine[];
  now: Now;
}

export interface AnalyseQuestion {
  n: number;
  variant: string;
  fen?: string | null;
  moves?: string[];
  lines?: number | null;
}
export type ClientMessage =
  | { type: 'join'; game: string; seat?: string | null; name?: string | null }
  | { type: 'move'; ply: number; text: string }
  | {
      type: 'accept' | 'draw' | 'decline_draw' | 'takeback' | 'decline_takeback' | 'ask_counsel';
      ply: number;
    }
  | { type: 'resign' | 'abort' | 'rematch' | 'stop_analysis' }
  | { type: 'chat' | 'advise'; text: string }
  | { type: 'choose'; name: string; value: string }
  | { type: 'appoint'; engine: boolean }
  | ({ type: 'analyse' } & AnalyseQuestion)
  | { type: 'ping'; n: number };
export type ServerMessage =
  | ({ type: 'snapshot' } & Snapshot)
  | { type: 'update'; played?: Played[]; now: Now }
  | { type: 'begun' | 'counsel_asked' | 'closing' }
  | ({ type: 'chat' } & ChatLine)
  | { type: 'counsel_link'; seat: string }
  | { type: 'counsel'; text: string }
  | { type: 'analysis'; n: number; depth: number; nodes: number; lines: AnalysisLine[]; done: boolean }
  | { type: 'pong'; n: number }
  | { type: 'refused'; of: string; code: string; message: string };
