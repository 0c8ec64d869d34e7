/// <reference lib="webworker" />

/** Filled in by the build: the files of the shell, and a name for exactly this content. */
declare const SHELL_FILES: readonly string[];
declare const SHELL_VERSION: string;

const worker = globalThis as unknown as ServiceWorkerGlobalScope;
const CACHE = `shell-${SHELL_VERSION}`;

worker.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll([...SHELL_FILES])));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(forgetOldShells());
});

worker.addEventListener("fetch", (event) => {
  const path = new URL(event.request.url).pathname;
  // The shell only: API answers and sockets never pass through here.
  if (event.request.method === "GET" && SHELL_FILES.includes(path))
    event.respondWith(shellFile(event.request));
});

worker.addEventListener("message", (event) => {
  if (event.data === "take-over") void worker.skipWaiting();
});

async function forgetOldShells(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
}

async function shellFile(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  return (await cache.match(request, { ignoreSearch: true })) ?? fetch(request);
}
