// Small boards that are kept up to date: a socket on which the server tells of each that changes, without anybody coming to the
// game. While nobody looks at the page nothing is asked for.
import { Socket } from '../api/socket';
import type { ServerMessage, WatchedBoard } from '../api/types';

/** Boards that a socket watches at most. */
const MOST = 12;

export class Boards {
  /** The boards by their games, as they were told. */
  now = $state.raw<Record<string, WatchedBoard>>({});
  #wanted: string[] = [];
  #socket: Socket | null = null;

  constructor() {
    document.addEventListener('visibilitychange', this.#ask);
  }

  /** Watches these games, the first twelve of them, instead of others. */
  watch(games: string[]): void {
    const wanted = games.slice(0, MOST);
    if (wanted.join() === this.#wanted.join()) return;
    this.#wanted = wanted;
    if (this.#socket) this.#ask();
    else if (wanted.length)
      this.#socket = new Socket({ opened: this.#ask, message: (message) => this.#take(message) });
  }

  close(): void {
    document.removeEventListener('visibilitychange', this.#ask);
    this.#socket?.close();
  }

  #ask = (): void => {
    const games = document.visibilityState === 'hidden' ? [] : this.#wanted;
    this.#socket?.send({ type: 'watch_boards', games });
  };

  #take(message: ServerMessage): void {
    if (message.type !== 'boards') return;
    const now = { ...this.now };
    for (const board of message.boards) {
      const known = now[board.game];
      if (!known || board.seq >= known.seq) now[board.game] = board;
    }
    this.now = now;
  }
}
