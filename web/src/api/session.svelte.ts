// One game as this page knows it: what the server told, kept up to date by its messages, and what the user
// wants, sent to it. It decides nothing; a move that was not acknowledged is sent again after a lost connection.
import { Socket, type Link } from './socket';
import { readClock, timeNow } from '../parts/clock';
import { plainMove, sentence } from '../parts/plain';
import type {
  ChatLine,
  ClientMessage,
  Now,
  Plan,
  Played,
  ServerMessage,
  Side,
  Snapshot,
  WatchersLine,
} from './types';

/** What happened, for sounds. */
export type Happening = 'move' | 'capture' | 'check' | 'end' | 'offer' | 'chat';

/** A game that cannot be had for the moment (its node has just gone, or the storage is away) is come to again, after a wait that grows. */
const NOT_NOW = ['busy', 'storage'];
const COME_AGAIN = 400;
const LONGEST_WAIT = 3_000;
/** So often before it is said that there is none. */
const ATTEMPTS = 40;

export class Session {
  readonly id: string;
  /** What stays the same through the game. */
  snapshot = $state.raw<Snapshot | null>(null);
  now = $state.raw<Now | null>(null);
  moves = $state.raw<Played[]>([]);
  chat = $state.raw<ChatLine[]>([]);
  /** What those say who watch, as far as it is told here. */
  watchers = $state.raw<WatchersLine[]>([]);
  link = $state<Link>('connecting');
  /** Whether the connection was lost and has come back just now. */
  regained = $state(false);
  /** Why the last message was not carried out. */
  notice = $state<string | null>(null);
  /** Why there is no game to show. */
  failure = $state<string | null>(null);
  /** Whether it is that a link opens no seat in it: it may be watched yet. */
  noSeat = $state(false);
  /** When `now` came, on the page's clock. */
  at = $state(0);
  /** The move on its way. */
  pending = $state.raw<{ ply: number; seq: number; text: string } | null>(null);
  /** Grows when the board must show the server's position anew. */
  nonce = $state(0);
  counselSeat = $state<string | null>(null);
  advice = $state<string | null>(null);
  counselAsked = $state(false);
  /** What one has prepared to answer. */
  plan = $state.raw<Plan | null>(null);
  /** Whether the server said that it goes down. */
  closing = $state(false);

  #seat: string | null;
  #socket: Socket;
  #happened: (what: Happening) => void;
  #attempts = 0;
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(id: string, seat: string | null, happened: (what: Happening) => void) {
    this.id = id;
    this.#seat = seat;
    this.#happened = happened;
    this.#socket = new Socket({
      opened: () => this.#join(),
      message: (message) => this.#take(message),
      link: (link) => this.#linked(link),
    });
  }

  get own(): Side | null {
    return this.snapshot?.own ?? null;
  }

  /** The seat's secret, for the link by which it is taken on another device. */
  get seat(): string | null {
    return this.#seat;
  }

  close(): void {
    clearTimeout(this.#again);
    this.#socket.close();
  }

  /** Watches a game in which a link has opened no seat. */
  watch(): void {
    this.failure = null;
    this.#join();
  }

  /** Sends a message; says so where that is not possible, and gives whether it was sent. */
  send(message: ClientMessage): boolean {
    const sent = this.#socket.send(this.#dated(message));
    this.notice = sent ? null : 'There is no connection just now. Try again in a moment.';
    return sent;
  }

  /** Sends a move. Without a connection it goes out as soon as there is one. */
  move(text: string): void {
    this.notice = null;
    this.pending = { ply: this.now?.ply ?? 0, seq: this.now?.seq ?? 0, text };
    this.#socket.send({ type: 'move', ...this.pending });
  }

  /** With the number of the last event known: what comes late must not be taken for something new. */
  #dated(message: ClientMessage): ClientMessage {
    const dated =
      message.type === 'accept' ||
      message.type === 'draw' ||
      message.type === 'takeback' ||
      message.type === 'plan';
    return dated && this.now ? { ...message, seq: this.now.seq } : message;
  }

  #join(): void {
    // it is told anew, if there is any still
    this.watchers = [];
    clearTimeout(this.#again);
    this.#socket.send({ type: 'join', game: this.id, seat: this.#seat });
  }

  #linked(link: Link): void {
    this.regained = link === 'open' && this.link === 'lost';
    this.link = link;
    if (link === 'open') this.closing = false;
  }

  #take(message: ServerMessage): void {
    switch (message.type) {
      case 'snapshot': {
        const first = this.snapshot === null;
        this.failure = null;
        this.#attempts = 0;
        this.snapshot = message;
        if (message.seat && message.seat !== this.#seat) {
          // who came by an invitation has a secret of the own from now on
          this.#seat = message.seat;
          keepSeat(this.id, message.seat);
        }
        this.advice = message.advice ?? this.advice;
        this.counselSeat = message.counsel_seat ?? this.counselSeat;
        this.chat = message.chat;
        this.plan = message.plan ?? null;
        if (message.moves.length < this.moves.length) this.nonce += 1;
        this.moves = message.moves;
        this.#now(message.now, first);
        if (this.pending) {
          // the answer may have been lost with the connection; a repeated message changes nothing
          if (message.now.ply === this.pending.ply) this.#socket.send({ type: 'move', ...this.pending });
          else this.pending = null;
        }
        break;
      }
      case 'plan':
        this.plan = message;
        break;
      case 'update':
        this.#update(message.played ?? [], message.now);
        break;
      case 'chat':
        this.chat = [...this.chat, message];
        if (message.side !== this.own && !message.muted) this.#happened('chat');
        break;
      case 'watchers_chat':
        this.watchers = message.lines;
        break;
      case 'watchers_line':
        this.watchers = [...this.watchers, message].slice(-50);
        break;
      case 'counsel_link':
        this.counselSeat = message.seat;
        break;
      case 'counsel':
        this.advice = message.text;
        this.#happened('offer');
        break;
      case 'counsel_asked':
        this.counselAsked = true;
        this.#happened('offer');
        break;
      case 'refused':
        this.#refused(message.of, message.code, message.message);
        break;
      case 'trouble':
        this.#trouble(message.trouble ?? null);
        break;
      case 'closing':
        this.closing = true;
        break;
      case 'pong':
      case 'analysis':
        break;
    }
  }

  #update(played: Played[], now: Now): void {
    const kept = now.ply - played.length;
    if (kept < 0 || kept > this.moves.length) {
      // something was missed: take it all anew
      this.#join();
      return;
    }
    const backwards = kept < this.moves.length;
    if (played.length || backwards) {
      this.notice = null;
      const before = this.moves[kept - 1]?.fen ?? this.snapshot?.start ?? '';
      this.moves = [...this.moves.slice(0, kept), ...played];
      if (backwards) this.nonce += 1;
      const last = played.at(-1);
      if (last) this.#happened(last.check ? 'check' : men(last.fen) < men(before) ? 'capture' : 'move');
    }
    if (this.pending && now.ply !== this.pending.ply) this.pending = null;
    this.#now(now, false);
  }

  #now(now: Now, first: boolean): void {
    const before = this.now;
    this.now = now;
    this.at = performance.now();
    if (first || !before) return;
    const other = this.own === 'white' ? 'black' : 'white';
    if (now.stage !== before.stage && (now.stage === 'over' || now.stage === 'aborted'))
      this.#happened('end');
    for (const offer of ['draw_offer', 'takeback_offer', 'rematch_offer'] as const) {
      if (this.own && now[offer] === other && before[offer] !== other) this.#happened('offer');
    }
  }

  /** Nothing can be stored, or it can again: the clocks stand until the server tells how they are. */
  #trouble(trouble: string | null): void {
    const { now, snapshot } = this;
    if (!now || !snapshot) return;
    const spec = readClock(snapshot.clock);
    const since = performance.now() - this.at;
    const clocks = now.clocks && {
      times: {
        white: timeNow(spec, now.clocks, 'white', since),
        black: timeNow(spec, now.clocks, 'black', since),
      },
    };
    this.now = { ...now, trouble, clocks };
    this.at = performance.now();
  }

  #refused(of: string, code: string, message: string): void {
    if (of === 'join' && NOT_NOW.includes(code) && this.#attempts < ATTEMPTS) {
      this.#trouble(sentence(message));
      const wait = Math.min(COME_AGAIN * 1.2 ** this.#attempts, LONGEST_WAIT);
      this.#attempts += 1;
      this.#again = setTimeout(() => this.#join(), wait * (0.5 + Math.random()));
      return;
    }
    if (of === 'join' && !this.snapshot) {
      this.failure = sentence(message);
      this.noSeat = code === 'seat' && this.#seat !== null;
      if (this.noSeat) {
        // it would keep one out who comes again without it
        this.#seat = null;
        forgetSeat(this.id);
      }
      return;
    }
    // what was chosen is as the server has it
    if (of === 'choose') this.#join();
    this.notice = of === 'move' ? plainMove(message) : sentence(message);
    if (of === 'move') {
      this.pending = null;
      this.nonce += 1;
    }
  }
}

function men(fen: string): number {
  return (fen.split(' ')[0] ?? '').replace(/[^A-Za-z]/g, '').length;
}

function store(): Storage | null {
  try {
    return sessionStorage;
  } catch {
    return null;
  }
}

/** Keeps a seat's secret for this tab. */
export function keepSeat(game: string, seat: string, kind: 'seat' | 'friend' = 'seat'): void {
  store()?.setItem(`husun.${kind}.${game}`, seat);
}

/** Forgets a seat's secret that opens nothing. */
function forgetSeat(game: string): void {
  store()?.removeItem(`husun.seat.${game}`);
}

/** A seat's secret kept for this tab. */
export function keptSeat(game: string, kind: 'seat' | 'friend' = 'seat'): string | null {
  return store()?.getItem(`husun.${kind}.${game}`) ?? null;
}
