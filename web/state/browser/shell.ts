import { signal } from "@preact/signals";
import { VERSION } from "../../../src/protocol/version.ts";

/** On a network that hangs a reload must not wait: a new version that was fetched before is taken then. */
const UPDATE_MS = 3000;

/**
 * The files of the page as the service worker keeps them. A new version is fetched aside and waits
 * until the reader asks for it: a page never reloads by itself.
 */
export class Shell {
  readonly hasUpdate = signal(false);
  readonly #window: Window;
  readonly #workers: ServiceWorkerContainer | undefined;
  readonly #onOpen: (hash: string) => void;
  #registration: ServiceWorkerRegistration | null = null;

  /** `onOpen`: a notification was tapped, and leads there. */
  constructor(window: Window, onOpen: (hash: string) => void) {
    this.#window = window;
    this.#onOpen = onOpen;
    // Absent on plain HTTP outside this machine.
    this.#workers =
      "serviceWorker" in window.navigator ? window.navigator.serviceWorker : undefined;
  }

  start(): void {
    this.#answerWorker();
    void this.#register();
  }

  /** The server has told its version. Without a worker nothing else says that this page is an old one. */
  learn(serverVersion: string): void {
    if (this.#workers === undefined) this.hasUpdate.value = serverVersion !== VERSION;
    else this.check();
  }

  check(): void {
    this.#registration?.update().catch(() => {
      // Offline, or the server is restarting: the next check asks again.
    });
  }

  /** Shows the newest version that can be had. Called by a tap alone. */
  async applyUpdate(): Promise<void> {
    // Not `register`, which stands in a line behind an update that is under way: a reload before it
    // has answered would show the same old page again.
    const registration =
      this.#registration ?? (await this.#workers?.getRegistration().catch(() => undefined));
    await Promise.race([registration?.update().catch(() => undefined), pause(UPDATE_MS)]);
    const next = registration?.installing ?? registration?.waiting;
    if (next) await this.#takeOver(next);
    this.#window.location.reload();
  }

  /** Until a new worker is in charge, or its files could not be fetched and the page stays what it is. */
  #takeOver(next: ServiceWorker): Promise<void> {
    return new Promise((resolve) => {
      // A page that no worker controls, as after a forced reload, hears of no change of it.
      const look = () => {
        if (next.state === "activated" || next.state === "redundant") resolve();
      };
      next.addEventListener("statechange", look);
      this.#workers?.addEventListener("controllerchange", () => resolve(), { once: true });
      next.postMessage("take-over");
      look();
    });
  }

  /** The worker keeps the files of every build that a page runs: it asks each, and this one answers. */
  #answerWorker(): void {
    const { pathname } = new URL(import.meta.url);
    this.#workers?.addEventListener("message", (event: MessageEvent<unknown>) => {
      if (event.data === "which-script") event.ports[0]?.postMessage(pathname);
      const { openHash } = Object(event.data);
      if (typeof openHash === "string" && openHash !== "") this.#onOpen(openHash);
    });
    this.#workers?.startMessages();
  }

  async #register(): Promise<void> {
    const registration = await this.#workers
      ?.register("/sw.js", { updateViaCache: "none" })
      .catch(() => undefined);
    if (registration === undefined) return;
    this.#registration = registration;
    registration.active?.postMessage("page-started");
    this.hasUpdate.value = registration.waiting !== null;
    registration.addEventListener("updatefound", () => {
      const { installing, active } = registration;
      // The first worker of a browser is no update.
      if (installing === null || active === null) return;
      installing.addEventListener("statechange", () => {
        if (installing.state === "installed") this.hasUpdate.value = true;
      });
    });
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
