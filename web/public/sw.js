// Service worker of the installed page. It keeps the client's own files, so that the page opens without a
// connection and says so itself. Nothing under /api is ever answered from here.

const STORE = 'husun-files-1';
const SHELL = '/';
const FIRST = [SHELL, '/theme.js', '/icon.svg', '/manifest.webmanifest'];

self.addEventListener('install', (event) => {
  event.waitUntil(
    caches
      .open(STORE)
      .then((store) => store.addAll(FIRST.map((path) => new Request(path, { cache: 'reload' }))))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== STORE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin || url.pathname.startsWith('/api')) return;
  if (request.mode === 'navigate') event.respondWith(page(request));
  else if (url.pathname.startsWith('/assets/')) event.respondWith(asset(request));
  else if (FIRST.includes(url.pathname)) event.respondWith(file(request));
});

/** Pages come from the server as long as it answers: all are the same file. */
async function page(request) {
  const store = await caches.open(STORE);
  try {
    const answer = await fetch(request);
    const html = answer.headers.get('content-type')?.startsWith('text/html');
    if (answer.ok && html) await renew(store, answer.clone());
    return answer;
  } catch (error) {
    const kept = await store.match(SHELL);
    if (kept) return kept;
    throw error;
  }
}

/** A new edition of the client leaves no files of the old one behind. */
async function renew(store, answer) {
  const kept = await store.match(SHELL);
  const [before, now] = await Promise.all([kept?.text(), answer.clone().text()]);
  if (before === now) return;
  for (const old of await store.keys()) {
    if (new URL(old.url).pathname.startsWith('/assets/')) await store.delete(old);
  }
  await store.put(SHELL, answer);
}

/** Files under /assets are named by their content: what is kept never grows old. */
async function asset(request) {
  const store = await caches.open(STORE);
  const kept = await store.match(request);
  if (kept) return kept;
  const answer = await fetch(request);
  if (answer.ok) await store.put(request, answer.clone());
  return answer;
}

/** The few other files come from the server as long as it answers. */
async function file(request) {
  const store = await caches.open(STORE);
  try {
    const answer = await fetch(request);
    if (answer.ok) await store.put(request, answer.clone());
    return answer;
  } catch (error) {
    const kept = await store.match(request);
    if (kept) return kept;
    throw error;
  }
}
