// Makes the page installable: registers the service worker, which keeps the client's files and never what
// comes from /api. Not while developing, where files change under it.

export function install(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  addEventListener('load', () => {
    navigator.serviceWorker.register('/sw.js').catch(() => {
      // Plain http on a strange address: the page works without.
    });
  });
}
