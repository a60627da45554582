// What is announced, for the top of every page: told by sockets, asked for where there is none. One that was put away
// stays away.
import type { Announcement } from '../api/types';

const KEY = 'husun.put-away';
/** It is asked for so seldom, in milliseconds. */
const HOLDS = 60_000;
/** The longest wait that a timer takes. */
const LONGEST = 2 ** 31 - 1;

function load(): string[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]') as string[];
  } catch {
    return [];
  }
}

class Announced {
  #list = $state.raw<Announcement[]>([]);
  #away = $state.raw<string[]>(load());
  #asked = -HOLDS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** What is to be seen now. */
  get shown(): Announcement[] {
    return this.#list.filter(({ id }) => !this.#away.includes(id));
  }

  /** Takes what the server says, in the place of what it said before. */
  take(list: Announcement[]): void {
    clearTimeout(this.#timer);
    const now = Date.now();
    this.#list = list.filter(({ until_ms }) => until_ms > now);
    const next = Math.min(...this.#list.map(({ until_ms }) => until_ms - now));
    if (next < LONGEST) this.#timer = setTimeout(() => this.take(this.#list), next + 50);
  }

  /** Asks, if nobody has a while ago. */
  look(): void {
    if (performance.now() - this.#asked < HOLDS) return;
    this.#asked = performance.now();
    fetch('/api/announcements').then(
      async (answer) => answer.ok && this.take((await answer.json()) as Announcement[]),
      () => {},
    );
  }

  /** Puts one away. */
  putAway(id: string): void {
    const known = this.#away.filter((away) => this.#list.some((one) => one.id === away));
    this.#away = [...known, id];
    try {
      localStorage.setItem(KEY, JSON.stringify(this.#away));
    } catch {
      // put away for this page only
    }
  }
}

export const announced = new Announced();
