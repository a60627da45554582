// Service worker of the installed page. It keeps the client's own files, so that the page opens without a
// connection and says so itself. Nothing under /api is ever answered from here. And it shows what is pushed.

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

// Notices, as the server pushes them: shown by the system, and the page that they lead to opened by a click.

self.addEventListener('push', (event) => event.waitUntil(tell(event.data)));

async function tell(data) {
  const { title, text, address, tag } = data.json();
  const { registration, clients } = self;
  const more = { body: text, tag, renotify: true, icon: '/icon-192.png', data: { address } };
  // Every push has to show something. Who looks at that very page sees it there.
  await registration.showNotification(title, more);
  const pages = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (!pages.some((page) => page.focused && isAt(page, address))) return;
  for (const shown of await registration.getNotifications({ tag })) shown.close();
}

function isAt(page, address) {
  return new URL(page.url).pathname === new URL(address, location.origin).pathname;
}

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.address ?? '/'));
});

/** Goes to a page that is open there, or opens one. */
async function open(address) {
  const url = new URL(address, location.origin);
  if (url.origin !== location.origin) return;
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const there = pages.find((page) => isAt(page, address));
  await (there ? there.focus() : self.clients.openWindow(url.href));
}

// The browser has given up its subscription: another one is made under the same key.
self.addEventListener('pushsubscriptionchange', (event) => {
  const options = event.oldSubscription?.options;
  if (!options) return;
  const again = async () => {
    const subscription = event.newSubscription ?? (await self.registration.pushManager.subscribe(options));
    await fetch('/api/account/notices/push', {
      method: 'PUT',
      body: JSON.stringify(subscription),
      headers: { 'content-type': 'application/json' },
    });
  };
  event.waitUntil(again());
});
