// Asks again until there is an answer: after an outage a page comes to life by itself.

const FIRST_WAIT = 1500;
const LONGEST_WAIT = 20_000;

/**
 * Asks at once, and after each failure again: after a while, when the network is back, or when somebody looks.
 * Gives a function that ends it.
 */
export function untilAnswered<T>(
  ask: () => Promise<T>,
  answered: (value: T) => void,
  failed: (error: Error) => void,
): () => void {
  let wait = FIRST_WAIT;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = false;
  let ended = false;

  function end(): void {
    ended = true;
    clearTimeout(timer);
    removeEventListener('online', hurry);
    document.removeEventListener('visibilitychange', hurry);
  }
  function look(): void {
    clearTimeout(timer);
    asking = true;
    ask().then(
      (value) => {
        if (ended) return;
        end();
        answered(value);
      },
      (error: Error) => {
        asking = false;
        if (ended) return;
        failed(error);
        timer = setTimeout(look, wait);
        wait = Math.min(wait * 2, LONGEST_WAIT);
      },
    );
  }
  function hurry(): void {
    if (asking || ended || document.visibilityState === 'hidden') return;
    wait = FIRST_WAIT;
    look();
  }

  addEventListener('online', hurry);
  document.addEventListener('visibilitychange', hurry);
  look();
  return end;
}
