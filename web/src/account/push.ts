// Notices by push in this browser: turned on by its user, for as long as that one is signed in here.
import { ask, Refused } from '../api/http';

/** Whether this browser can show what is pushed, at this address. */
export function canPush(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
}

function bytes(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (sign) => sign.charCodeAt(0));
}

async function worker(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register('/sw.js');
  return navigator.serviceWorker.ready;
}

function isUnder(subscription: PushSubscription, key: Uint8Array): boolean {
  const own = subscription.options.applicationServerKey;
  return own !== null && new Uint8Array(own).join() === key.join();
}

/** Turns pushes on under the server's key. */
export async function turnOn(key: string): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Refused(
      'push',
      'This browser does not let the site show notices. Its settings can change that.',
    );
  const { pushManager } = await worker();
  const applicationServerKey = bytes(key);
  const before = await pushManager.getSubscription();
  if (before && !isUnder(before, applicationServerKey)) await before.unsubscribe();
  let subscription: PushSubscription;
  try {
    subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey });
  } catch {
    throw new Refused('push', 'The browser’s push service does not answer. Try again later.');
  }
  await ask('PUT', 'account/notices/push', subscription);
}

/** Gives up what this browser has turned on. */
export async function giveUp(): Promise<void> {
  if (!canPush()) return;
  const registration = await navigator.serviceWorker.getRegistration();
  const subscription = await registration?.pushManager.getSubscription();
  await subscription?.unsubscribe();
}
