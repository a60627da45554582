// The first request of a browser that was never here goes alone: it brings the cookie by which the server knows a
// guest again. Several at once would make as many guests, and what one of them waits for another could not take.
const KEY = 'husun.met';

function met(): boolean {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

let greeting: Promise<void> | null = null;

async function meet(): Promise<void> {
  try {
    const answer = await fetch('/api/me');
    await answer.text();
    if (answer.ok) localStorage.setItem(KEY, '1');
  } catch {
    // the next request tries again, and says what is wrong
    greeting = null;
  }
}

/** Waits until the server knows this browser. */
export function greeted(): Promise<void> {
  greeting ??= met() ? Promise.resolve() : meet();
  return greeting;
}
