// Whether this page waits for an opponent: known everywhere, so that the lobby is kept while another page is shown.
class Waits {
  /** Seeks of one's own that end when nobody is here. */
  quick = $state(0);
  /** Whether a game has begun that was not gone to yet. */
  called = $state(false);
}

export const waits = new Waits();
