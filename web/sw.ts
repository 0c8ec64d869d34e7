/// <reference lib="webworker" />
import { showBadge } from "./state/browser/push-manager.ts";

/** Defined by the build: the files of the shell, and a hash of their content. */
declare const SHELL_FILES: readonly string[];
declare const SHELL_VERSION: string;

const worker = globalThis as unknown as ServiceWorkerGlobalScope;
const PREFIX = "panewatch-shell-";
const CACHE = `${PREFIX}${SHELL_VERSION}`;
/** Files with a hash in their name, of any build. */
const HASHED = /^\/(main|part|later)-\w+\.(js|css)$/;
/** A frozen page does not answer. */
const ANSWER_MS = 2000;

worker.addEventListener("install", (event) => {
  // Not from the HTTP cache: files of two builds do not fit together.
  const files = SHELL_FILES.map((path) => new Request(path, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(files)));
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(forgetUnusedShells());
});

worker.addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  // Only the shell: API replies never pass through here.
  const isFile = SHELL_FILES.includes(pathname) || HASHED.test(pathname);
  const isShell = origin === worker.location.origin && isFile;
  if (event.request.method === "GET" && isShell) event.respondWith(shellFile(event.request));
});

worker.addEventListener("message", (event) => {
  if (event.data === "take-over") void worker.skipWaiting();
  if (event.data === "page-started") event.waitUntil(forgetUnusedShells());
});

worker.addEventListener("push", (event) => {
  const alert = readAlert(event.data);
  if (alert) event.waitUntil(Promise.all([showAlert(alert), showBadge(alert.badge)]));
});

worker.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { hash } = Object(event.notification.data);
  event.waitUntil(openPage(typeof hash === "string" ? hash : ""));
});

interface Alert {
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  /** The route in the page. */
  readonly hash: string;
  readonly badge: number;
}

/** Reads a declarative push message, for browsers that leave showing it to the worker. */
function readAlert(data: PushMessageData | null): Alert | null {
  const { notification, panewatch } = Object(parseJson(data?.text() ?? ""));
  const text = (name: string) => {
    const value: unknown = Object(notification)[name];
    return typeof value === "string" ? value : "";
  };
  if (text("title") === "") return null;
  const { origin } = worker.location;
  const navigate = text("navigate");
  return {
    kind: String(Object(panewatch).kind ?? ""),
    title: text("title"),
    body: text("body"),
    tag: text("tag"),
    hash: URL.canParse(navigate, origin) ? new URL(navigate, origin).hash : "",
    badge: Number(text("app_badge")) || 0,
  };
}

/** An answered alert is replaced without a sound, and not shown again where it is gone. */
async function showAlert({ kind, title, body, tag, hash }: Alert): Promise<void> {
  const isAnswered = kind === "answered";
  const { registration } = worker;
  if (isAnswered && (await registration.getNotifications({ tag })).length === 0) return;
  await registration.showNotification(title, {
    body,
    tag,
    silent: isAnswered,
    icon: "/icons/icon-192.png",
    badge: "/icons/favicon-32.png",
    data: { hash, paneId: paneOf(hash) },
  });
  for (const page of await allPages()) page.postMessage({ shown: tag });
}

function paneOf(hash: string): string | null {
  const id = /^#\/pane\/([^/]+)/.exec(hash)?.[1];
  return id === undefined ? null : decodeURIComponent(id);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // Of no server that we know.
  }
}

/** Focuses an open page, else opens a new one. */
async function openPage(hash: string): Promise<void> {
  const [page] = await allPages();
  if (page === undefined) {
    await worker.clients.openWindow(`/${hash}`);
    return;
  }
  page.postMessage({ openHash: hash });
  await page.focus().catch(() => undefined /* The browser may not let it: the page leads there. */);
}

/** Including pages that were loaded before the worker. */
function allPages(): Promise<readonly WindowClient[]> {
  return worker.clients.matchAll({ type: "window", includeUncontrolled: true });
}

/** An open page of an earlier build may still load parts of it. */
async function forgetUnusedShells(): Promise<void> {
  const pages = await allPages();
  const builds = await Promise.all(pages.map(buildOf));
  if (builds.includes("unknown")) return;
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  for (const name of names) {
    const cache = await caches.open(name);
    const scripts = builds.filter((path) => path !== "gone" && !SHELL_FILES.includes(path));
    const found = await Promise.all(scripts.map((path) => cache.match(path)));
    if (!found.some(Boolean)) await caches.delete(name);
  }
}

/** Path of the page's main script; `gone` once it is closed, `unknown` when it does not answer. */
async function buildOf(page: Client): Promise<string> {
  const { port1, port2 } = new MessageChannel();
  const said = await new Promise<unknown>((resolve) => {
    setTimeout(() => resolve(null), ANSWER_MS);
    port1.onmessage = ({ data }: MessageEvent<unknown>) => resolve(data);
    page.postMessage("which-script", [port2]);
  });
  if (typeof said === "string") return said;
  return (await worker.clients.get(page.id)) === undefined ? "gone" : "unknown";
}

async function shellFile(request: Request): Promise<Response> {
  const own = await (await caches.open(CACHE)).match(request, { ignoreSearch: true });
  if (own !== undefined) return own;
  // A part of the earlier build that the page runs.
  const isPart = HASHED.test(new URL(request.url).pathname);
  return (
    (isPart ? await caches.match(request, { ignoreSearch: true }) : undefined) ?? fetch(request)
  );
}
