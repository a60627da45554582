// Who is signed in on this browser: remembered beside the cookie, which no script can read, so that no page has to
// ask before it is drawn.
import type { Me } from '../api/types';

const KEY = 'husun.account';

function load(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

class Who {
  #account = $state<string | null>(load());

  /** Name of the account, or nothing for a guest. */
  get account(): string | null {
    return this.#account;
  }

  /** Takes what the server says. */
  is(me: Me): void {
    this.#account = me.account ? me.name : null;
    try {
      if (me.account) localStorage.setItem(KEY, me.name);
      else localStorage.removeItem(KEY);
    } catch {
      // remembered for this page only
    }
  }
}

export const who = new Who();
