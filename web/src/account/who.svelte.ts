// Who is signed in on this browser: remembered beside the cookie, which no script can read, so that no page has to
// ask before it is drawn.
import type { Me } from '../api/types';

const KEY = 'husun.account';
const BOT = 'husun.bot';

function load(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

class Who {
  #account = $state<string | null>(load(KEY));
  #bot = $state(load(BOT) !== null);

  /** Name of the account, or nothing for a guest. */
  get account(): string | null {
    return this.#account;
  }

  /** Whether it is the account of a program, which plays by itself. */
  get bot(): boolean {
    return this.#bot;
  }

  /** Takes what the server says. */
  is(me: Me): void {
    this.#account = me.account ? me.name : null;
    this.#bot = me.bot ?? false;
    try {
      if (me.account) localStorage.setItem(KEY, me.name);
      else localStorage.removeItem(KEY);
      if (me.bot) localStorage.setItem(BOT, 'yes');
      else localStorage.removeItem(BOT);
    } catch {
      // remembered for this page only
    }
  }
}

export const who = new Who();
