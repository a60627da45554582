// Which page is shown: the path of the address bar as reactive state, and plain links that stay in the page.

export type Route =
  | { page: 'home' }
  | { page: 'mine' }
  | { page: 'account'; fresh: boolean }
  | { page: 'person'; name: string }
  | { page: 'best'; id: string | null }
  | { page: 'archive' }
  | { page: 'watch' }
  | { page: 'tournaments' }
  | { page: 'tournament'; id: string }
  | { page: 'votes' }
  | { page: 'vote'; id: string }
  | { page: 'game'; id: string }
  | { page: 'rules'; id: string | null }
  | { page: 'review'; id: string; game: boolean }
  | { page: 'learn'; id: string | null; lesson: string | null }
  | { page: 'moderate'; part: string | null }
  | { page: 'analysis'; variant: string | null }
  | { page: 'mail'; act: 'confirm' | 'stop'; word: string }
  | { page: 'lost' };

function read(path: string): Route {
  let parts: string[];
  try {
    parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    // a percent sign that stands for no character
    return { page: 'lost' };
  }
  const [first, second, third] = parts;
  if (first === 'game' && second && third === 'review' && parts.length === 3)
    return { page: 'review', id: second, game: true };
  if (first === 'mail' && (second === 'confirm' || second === 'stop') && third && parts.length === 3)
    return { page: 'mail', act: second, word: third };
  if (parts.length > (first === 'learn' ? 3 : 2)) return { page: 'lost' };
  switch (first) {
    case undefined:
      return { page: 'home' };
    case 'mine':
      return { page: 'mine' };
    case 'account':
    case 'register':
      return second ? { page: 'lost' } : { page: 'account', fresh: first === 'register' };
    case 'game':
      return second ? { page: 'game', id: second } : { page: 'lost' };
    case 'person':
      return second ? { page: 'person', name: second } : { page: 'lost' };
    case 'best':
      return { page: 'best', id: second ?? null };
    case 'archive':
      return second ? { page: 'lost' } : { page: 'archive' };
    case 'watch':
      return second ? { page: 'lost' } : { page: 'watch' };
    case 'tournaments':
      return second ? { page: 'lost' } : { page: 'tournaments' };
    case 'tournament':
      return second ? { page: 'tournament', id: second } : { page: 'lost' };
    case 'votes':
      return second ? { page: 'lost' } : { page: 'votes' };
    case 'vote':
      return second ? { page: 'vote', id: second } : { page: 'lost' };
    case 'rules':
      return { page: 'rules', id: second ?? null };
    case 'review':
      return second ? { page: 'review', id: second, game: false } : { page: 'lost' };
    case 'learn':
      return { page: 'learn', id: second ?? null, lesson: third ?? null };
    case 'moderate':
      return { page: 'moderate', part: second ?? null };
    case 'analysis':
      return { page: 'analysis', variant: second ?? null };
    default:
      return { page: 'lost' };
  }
}

class Router {
  route = $state.raw<Route>(read(location.pathname));
  /** The query, without the question mark. */
  query = $state(location.search.slice(1));
  /** Grows with every change of page, so that a page can be made anew. */
  visit = $state(0);

  constructor() {
    addEventListener('popstate', () => this.#take());
    addEventListener('hashchange', () => {
      // a game's link opened in the same tab: its secret stands behind the hash
      if (location.hash && this.route.page === 'game') this.#take();
    });
    document.addEventListener('click', (event) => this.#click(event));
  }

  /** Goes to another page. */
  go(path: string): void {
    history.pushState(null, '', path);
    this.#take();
    scrollTo(0, 0);
  }

  /** Changes the address without a change of page. What is kept beside it survives a reload. */
  rewrite(path: string, kept: unknown = null): void {
    history.replaceState(kept, '', path);
  }

  #take(): void {
    this.route = read(location.pathname);
    this.query = location.search.slice(1);
    this.visit += 1;
  }

  #click(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (link.pathname.startsWith('/api/') || link.getAttribute('href')?.startsWith('#')) return;
    event.preventDefault();
    this.go(link.pathname + link.search + link.hash);
  }
}

export const router = new Router();
