// The browser's side of push: support, permission, subscription, and the badge of the installed app.

export const canPush = (): boolean => "PushManager" in globalThis && "serviceWorker" in navigator;

export const permission = (): NotificationPermission =>
  "Notification" in globalThis ? Notification.permission : "default";

/** Shows the browser's dialog; only ever called from a button. */
export const ask = async (): Promise<NotificationPermission> =>
  "Notification" in globalThis ? await Notification.requestPermission() : "denied";

/** Null where there is none, or it is of another key. */
export async function current(publicKey: string): Promise<PushSubscription | null> {
  const subscription = await (await manager())?.getSubscription();
  const key = subscription?.options.applicationServerKey;
  return subscription && key && base64Url(key) === publicKey ? subscription : null;
}

/** @throws DOMException when the browser refuses. */
export async function subscribe(publicKey: string): Promise<PushSubscription | null> {
  const pushed = await manager();
  // A subscription with another key blocks a new one.
  await (await pushed?.getSubscription())?.unsubscribe();
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  return (await pushed?.subscribe(options)) ?? null;
}

export async function unsubscribe(): Promise<void> {
  await (await (await manager())?.getSubscription())?.unsubscribe();
}

/** Called by the page and by its worker. */
export async function showBadge(waiting: number): Promise<void> {
  if (!("setAppBadge" in navigator)) return;
  await (waiting > 0 ? navigator.setAppBadge(waiting) : navigator.clearAppBadge()).catch(() => {
    // A browser may know badges and still not allow one here.
  });
}

/** Calls `listener` with the tag of each notification that the worker shows. */
export function onShown(listener: (tag: string) => void): () => void {
  if (!("serviceWorker" in navigator)) return () => undefined;
  const heard = ({ data }: MessageEvent<unknown>) => {
    const { shown } = Object(data);
    if (typeof shown === "string") listener(shown);
  };
  navigator.serviceWorker.addEventListener("message", heard);
  return () => navigator.serviceWorker.removeEventListener("message", heard);
}

const manager = async (): Promise<PushManager | null> =>
  canPush() ? (await navigator.serviceWorker.ready).pushManager : null;

function base64Url(buffer: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(buffer)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
