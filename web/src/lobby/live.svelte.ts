// The lobby as this page knows it: who waits, kept up to date by its changes; what waits for oneself; what has come of
// it. A seek that a restart of the server has ended is made anew.
import { lobby } from '../api/lobby';
import { Socket, type Link } from '../api/socket';
import type { Challenges, NewSeek, Notice, NoticeKind, Paired, Seek, ServerMessage } from '../api/types';
import { waits } from './waits.svelte';

/** The lobby is left so long after nobody needs it, in milliseconds. */
const LINGER = 30_000;
/** Notices shown at most. */
const NOTICES = 5;
const NONE: Challenges = { received: [], sent: [] };

class Live {
  /** Those who wait, the longest first. */
  seeks = $state.raw<Seek[]>([]);
  /** Ids of the own ones among them. */
  own = $state.raw<string[]>([]);
  /** How many people are in the lobby, oneself among them. */
  here = $state(0);
  link = $state<Link>('connecting');
  challenges = $state.raw<Challenges>(NONE);
  /** A game that has begun. */
  paired = $state.raw<Paired | null>(null);
  /** What has happened elsewhere, the last of each matter. */
  notices = $state.raw<Notice[]>([]);

  #socket: Socket | null = null;
  #users = 0;
  #n = 0;
  /** What was wished for, by the ids of seeks that end with the server. */
  #wishes = new Map<string, NewSeek>();
  /** Games that were told of already: each is told by its answer, too. */
  #told = new Set<string>();

  /** Stays in the lobby until what is given back is called. */
  stay(): () => void {
    this.#users += 1;
    this.#socket ??= this.#connect();
    let gone = false;
    return () => {
      if (gone) return;
      gone = true;
      this.#users -= 1;
      // A seek leaves the list before its game has begun, which is told as well; and another page may stay.
      setTimeout(() => {
        if (this.#users > 0) return;
        this.#socket?.close();
        this.#socket = null;
      }, LINGER);
    };
  }

  /** Comes anew, as whoever one is now: a connection remains that of the one who opened it. */
  anew(): void {
    this.#socket?.close();
    this.#socket = this.#users > 0 ? this.#connect() : null;
    this.#wishes.clear();
    this.seeks = [];
    this.own = [];
    this.challenges = NONE;
    this.notices = [];
    this.goTo();
    this.#count();
  }

  #connect(): Socket {
    return new Socket({
      opened: () => this.#enter(),
      message: (message) => this.#take(message),
      link: (link) => (this.link = link),
    });
  }

  async seek(wish: NewSeek): Promise<void> {
    const made = await lobby.seek(wish);
    if (made.paired) this.#begun(made.paired);
    if (!made.id) return;
    this.own = [...this.own, made.id];
    if (!wish.clocks.every((clock) => clock.startsWith('days:'))) this.#wishes.set(made.id, wish);
    this.#count();
  }

  async withdraw(id: string): Promise<void> {
    this.#drop([id]);
    await lobby.withdraw(id);
  }

  async accept(id: string): Promise<void> {
    this.#begun(await lobby.accept(id));
  }

  async acceptChallenge(id: string): Promise<void> {
    this.#begun(await lobby.acceptChallenge(id));
  }

  /** The game that has begun, which is gone to now. */
  goTo(): string | null {
    const game = this.paired?.game ?? null;
    this.paired = null;
    waits.called = false;
    return game;
  }

  /** Looks again which challenges there are. */
  async look(): Promise<void> {
    this.challenges = await lobby.challenges().catch(() => this.challenges);
  }

  /** Whether one wishes to be told nothing of a kind in pages. */
  isQuiet(kind: NoticeKind): boolean {
    return this.challenges.quiet?.includes(kind) ?? false;
  }

  /** Puts notices away. */
  putAway(which: (notice: Notice) => boolean): void {
    const left = this.notices.filter((notice) => !which(notice));
    if (left.length < this.notices.length) this.notices = left;
  }

  #enter(): void {
    this.#socket?.send({ type: 'enter_lobby' });
  }

  #take(message: ServerMessage): void {
    switch (message.type) {
      case 'lobby': {
        this.#n = message.n;
        this.seeks = message.seeks;
        this.own = message.own;
        this.here = message.here;
        // What concerns oneself may have been missed, too.
        void this.look();
        const lost = [...this.#wishes].filter(([id]) => !message.own.includes(id));
        // A game has come of them while nothing was heard here.
        if (lost.length) for (const begun of message.begun ?? []) this.#begun(begun);
        for (const [id, wish] of lost) {
          if (!this.#wishes.delete(id)) continue;
          this.seek(wish).catch(() => {});
        }
        this.#count();
        break;
      }
      case 'lobby_change': {
        if (message.n <= this.#n) break;
        if (message.n > this.#n + 1) {
          this.#enter();
          break;
        }
        this.#n = message.n;
        this.here = message.here;
        this.#drop(message.gone ?? []);
        this.seeks = [...this.seeks, ...(message.added ?? [])];
        break;
      }
      case 'paired':
        this.#begun(message);
        break;
      case 'notice':
        this.notices = [...this.notices.filter(({ tag }) => tag !== message.tag), message].slice(-NOTICES);
        break;
      case 'challenged':
      case 'challenge_gone':
        void this.look();
        break;
    }
  }

  #drop(gone: string[]): void {
    if (!gone.length) return;
    const all = new Set(gone);
    this.seeks = this.seeks.filter((seek) => !all.has(seek.id));
    this.own = this.own.filter((id) => !all.has(id));
    for (const id of gone) this.#wishes.delete(id);
    this.#count();
  }

  #begun(paired: Paired): void {
    if (this.#told.has(paired.game)) return;
    this.#told.add(paired.game);
    // Who plays at the board waits for nobody else.
    this.#drop([...this.#wishes.keys()]);
    this.paired = paired;
    waits.called = true;
  }

  #count(): void {
    waits.quick = this.#wishes.size;
  }
}

export const live = new Live();
