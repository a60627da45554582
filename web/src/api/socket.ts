// The socket to the server: opens it, opens it again when it is lost (waiting longer each time), notices when
// nobody answers, and says how it stands. What the messages mean is not decided here.
import { announced } from '../parts/announced.svelte';
import { greeted } from './greet';
import type { ClientMessage, ServerMessage } from './types';

export type Link = 'connecting' | 'open' | 'lost';

export interface SocketEvents {
  /** A connection stands, the first or a later one: the place to join. */
  opened: () => void;
  message: (message: ServerMessage) => void;
  link?: (link: Link) => void;
}

const FIRST_WAIT = 400;
const LONGEST_WAIT = 15_000;
/** Silence after which an answer is asked for: while somebody looks, and while nobody does. */
const PING_AFTER = 4_000;
const PING_AFTER_HIDDEN = 20_000;
/** An answer comes within this time, or the connection counts as lost: a network that stalls closes nothing. */
const ANSWER_WITHIN = 5_000;
/** Nor does a server that is asked to open a connection answer at once. */
const OPEN_WITHIN = 8_000;

export class Socket {
  #events: SocketEvents;
  #socket: WebSocket | null = null;
  #wait = FIRST_WAIT;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #ping: ReturnType<typeof setTimeout> | undefined;
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #count = 0;
  #closed = false;

  constructor(events: SocketEvents) {
    this.#events = events;
    addEventListener('online', this.#hurry);
    addEventListener('offline', this.#drop);
    document.addEventListener('visibilitychange', this.#hurry);
    this.#open();
  }

  /** Sends a message; false if there is no connection to send it on. */
  send(message: ClientMessage): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Ends it for good. */
  close(): void {
    this.#closed = true;
    removeEventListener('online', this.#hurry);
    removeEventListener('offline', this.#drop);
    document.removeEventListener('visibilitychange', this.#hurry);
    this.#quiet();
    clearTimeout(this.#retry);
    this.#socket?.close();
  }

  #open(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    void greeted().then(() => this.#connect());
  }

  #connect(): void {
    if (this.#closed || this.#socket) return;
    const address = new URL('/api/socket', location.href);
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(address);
    this.#socket = socket;
    this.#expect(OPEN_WITHIN);
    socket.onopen = () => {
      this.#wait = FIRST_WAIT;
      this.#heard();
      this.#events.link?.('open');
      this.#events.opened();
    };
    socket.onmessage = (event) => {
      this.#heard();
      let message: ServerMessage;
      try {
        message = JSON.parse(String(event.data)) as ServerMessage;
      } catch {
        return;
      }
      // for every page, whatever its socket is for
      if (message.type === 'announcements') announced.take(message.announcements);
      else this.#events.message(message);
    };
    socket.onclose = () => {
      if (this.#socket === socket) this.#lost();
    };
  }

  /** The connection is gone: say so and try again after a while. */
  #lost(): void {
    this.#socket = null;
    this.#quiet();
    if (this.#closed) return;
    this.#events.link?.('lost');
    const wait = this.#wait * (0.75 + Math.random() / 2);
    this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
    this.#retry = setTimeout(() => this.#open(), wait);
  }

  #drop = (): void => {
    const socket = this.#socket;
    if (!socket) return;
    this.#lost();
    socket.close();
  };

  /** The network is back, or somebody looks again: do not wait longer. */
  #hurry = (): void => {
    if (document.visibilityState === 'hidden' || this.#socket || this.#closed) return;
    this.#wait = FIRST_WAIT;
    this.#open();
  };

  #heard(): void {
    this.#quiet();
    const wait = document.visibilityState === 'hidden' ? PING_AFTER_HIDDEN : PING_AFTER;
    this.#ping = setTimeout(() => {
      this.#count += 1;
      this.send({ type: 'ping', n: this.#count });
      this.#expect(ANSWER_WITHIN);
    }, wait);
  }

  /** Something must come now, or the connection counts as lost. */
  #expect(within: number): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(this.#drop, within);
  }

  #quiet(): void {
    clearTimeout(this.#ping);
    clearTimeout(this.#deadline);
  }
}
