/// <reference lib="webworker" />

/** Filled in by the build: the files of the shell, and a name for exactly this content. */
declare const SHELL_FILES: readonly string[];
declare const SHELL_VERSION: string;

const worker = globalThis as unknown as ServiceWorkerGlobalScope;
const PREFIX = "panewatch-shell-";
const CACHE = `${PREFIX}${SHELL_VERSION}`;

worker.addEventListener("install", (event) => {
  // Past the browser's own cache: a shell of two builds would not start.
  const files = SHELL_FILES.map((path) => new Request(path, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(files)));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(forgetOldShells());
});

worker.addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  // The shell only: API answers and sockets never pass through here.
  const isShell = origin === worker.location.origin && SHELL_FILES.includes(pathname);
  if (event.request.method === "GET" && isShell) event.respondWith(shellFile(event.request));
});

worker.addEventListener("message", (event) => {
  if (event.data === "take-over") void worker.skipWaiting();
});

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const data: unknown = event.notification.data;
  const paneId: unknown =
    typeof data === "object" && data !== null ? Reflect.get(data, "paneId") : null;
  event.waitUntil(openPane(typeof paneId === "string" ? paneId : null));
});

/** To the page that is open, else to a new one. */
async function openPane(paneId: string | null): Promise<void> {
  const [page] = await worker.clients.matchAll({ type: "window" });
  if (page === undefined) {
    await worker.clients.openWindow(
      paneId === null ? "/" : `/#/pane/${encodeURIComponent(paneId)}`,
    );
    return;
  }
  await page.focus();
  page.postMessage({ openPane: paneId });
}

async function forgetOldShells(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
}

async function shellFile(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  return (await cache.match(request, { ignoreSearch: true })) ?? fetch(request);
}
