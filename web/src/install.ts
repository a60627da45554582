// Makes the page installable: registers the service worker, which keeps the client's files and never what
// comes from /api. Not while developing, where files change under it.

/** Pages that are loaded when they are opened; a browser without a connection needs them before. */
const PAGES = [
  () => import('./pages/Game.svelte'),
  () => import('./pages/Mine.svelte'),
  () => import('./pages/Rules.svelte'),
  () => import('./pages/Analysis.svelte'),
];

export function install(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  addEventListener('load', () => {
    // Plain http on a strange address has no service worker: the page works without.
    navigator.serviceWorker
      .register('/sw.js')
      .then(() => navigator.serviceWorker.ready)
      .then(() => setTimeout(() => void keep().catch(() => {}), 2000))
      .catch(() => {});
  });
}

/** Hands the client's files to the service worker, those too that came before it was at work. */
async function keep(): Promise<void> {
  if (!navigator.serviceWorker.controller) return;
  await Promise.all(PAGES.map((load) => load()));
  for (const { name } of performance.getEntriesByType('resource')) {
    if (new URL(name).pathname.startsWith('/assets/')) await fetch(name);
  }
}
