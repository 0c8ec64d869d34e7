import type { CDPSession, Disposable } from "playwright-core";
import type { OpenedPage, Viewport } from "./browser.ts";

/** Calls that `reset` cannot undo: after one of them the page is closed. */
const LASTING = {
  page: ["exposeBinding", "exposeFunction", "setExtraHTTPHeaders", "addLocatorHandler"],
  context: [
    ...["addCookies", "addInitScript", "exposeBinding", "exposeFunction", "newCDPSession"],
    ...["newPage", "on", "once", "route", "setExtraHTTPHeaders", "setGeolocation", "setOffline"],
  ],
  clock: ["fastForward", "install", "pauseAt", "runFor", "setFixedTime", "setSystemTime"],
  keyboard: ["down"],
} as const;
/** A path of every origin at which nothing runs. */
const NOTHING = "nothing";

/**
 * A page that serves one test after another: to load the client anew in a process that has compiled
 * it costs half of what a new profile costs. `reset` leaves nothing of a test behind.
 */
export class KeptPage {
  readonly opened: OpenedPage;
  readonly #viewport: Viewport;
  readonly #devtools: CDPSession;
  readonly #isTimed: boolean;
  #isSpent = false;
  #origins = new Set<string>();
  #undo: (() => unknown)[] = [];

  private constructor(
    opened: OpenedPage,
    viewport: Viewport,
    devtools: CDPSession,
    isTimed: boolean,
  ) {
    this.opened = opened;
    this.#viewport = viewport;
    this.#devtools = devtools;
    this.#isTimed = isTimed;
  }

  /** @param isTimed its next test installs its clock too, which begins anew with that */
  static async of(opened: OpenedPage, viewport: Viewport, isTimed = false): Promise<KeptPage> {
    const { page, context } = opened;
    const kept = new KeptPage(opened, viewport, await context.newCDPSession(page), isTimed);
    page.on("framenavigated", (frame) => {
      if (frame === page.mainFrame() && frame.url().startsWith("http"))
        kept.#origins.add(`${new URL(frame.url()).origin}/`);
    });
    kept.#watch();
    return kept;
  }

  /**
   * Makes the page as it was when it was new.
   *
   * @param origins those that have an empty page, each ending in a slash
   * @returns whether that could be done; if not it has to be closed.
   */
  async reset(origins: ReadonlySet<string>): Promise<boolean> {
    const { page, context } = this.opened;
    const [origin, ...others] = this.#origins;
    const isAtHome = origin !== undefined && others.length === 0 && origins.has(origin);
    if (this.#isSpent || !isAtHome || page.isClosed()) return false;
    for (const undo of this.#undo.splice(0)) await undo();
    if (this.#isTimed) await page.clock.resume();
    await page.goto(`${origin}${NOTHING}`);
    await page.evaluate(forget);
    await context.clearCookies();
    await page.mouse.up();
    await page.mouse.move(0, 0);
    await this.#devtools.send("Page.resetNavigationHistory");
    this.#origins = new Set();
    return true;
  }

  #watch(): void {
    const { page, context } = this.opened;
    const spend = () => void (this.#isSpent = true);
    onCall(page, LASTING.page, spend);
    onCall(context, LASTING.context, spend);
    if (!this.#isTimed) onCall(page.clock, LASTING.clock, spend);
    onCall(page.keyboard, LASTING.keyboard, spend);
    const later = (undo: () => unknown) => void this.#undo.push(undo);
    const { width, height, theme = "light" } = this.#viewport;
    onCall(page, ["on"], ([event, listener]) =>
      later(() => page.off(event as "close", listener as () => void)),
    );
    onCall(page, ["addInitScript"], (_, added) =>
      later(async () => (await (added as Promise<Disposable>)).dispose()),
    );
    onCall(page, ["route"], () => later(() => page.unrouteAll({ behavior: "ignoreErrors" })));
    onCall(page, ["setViewportSize"], () => later(() => page.setViewportSize({ width, height })));
    onCall(page, ["emulateMedia"], () => later(() => page.emulateMedia({ colorScheme: theme })));
    onCall(context, ["grantPermissions"], () => later(() => context.clearPermissions()));
  }
}

/** Runs in the page: its origin keeps nothing. */
async function forget(): Promise<void> {
  sessionStorage.clear();
  localStorage.clear();
  for (const { name = "" } of await indexedDB.databases())
    await new Promise((end) => {
      const deletion = indexedDB.deleteDatabase(name);
      deletion.onsuccess = deletion.onerror = end;
    });
  if ("caches" in window) for (const name of await caches.keys()) await caches.delete(name);
}

/** Calls `note` with the arguments and the result of every call of these methods. */
function onCall(
  target: object,
  names: readonly string[],
  note: (args: readonly unknown[], result: unknown) => void,
): void {
  for (const name of names) {
    const method: unknown = Reflect.get(target, name);
    if (typeof method !== "function") throw new Error(`no method ${name}`);
    Reflect.set(target, name, (...args: unknown[]) => {
      const result: unknown = Reflect.apply(method, target, args);
      note(args, result);
      return result;
    });
  }
}
