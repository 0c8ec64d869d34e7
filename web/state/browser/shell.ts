import { signal } from "@preact/signals";
import { VERSION } from "../../../src/protocol/version.ts";

/** A reload must not wait for a hanging network. */
const UPDATE_MS = 3000;

/**
 * The service worker and its updates. A new version is fetched in the background and waits until
 * the reader asks for it: the page never reloads by itself.
 */
export class Shell {
  readonly hasUpdate = signal(false);
  readonly #window: Window;
  readonly #workers: ServiceWorkerContainer | undefined;
  readonly #onOpen: (hash: string) => void;
  #registration: ServiceWorkerRegistration | null = null;

  /** `onOpen`: called with the route of a tapped notification. */
  constructor(window: Window, onOpen: (hash: string) => void) {
    this.#window = window;
    this.#onOpen = onOpen;
    // Absent on plain HTTP from another machine.
    this.#workers =
      "serviceWorker" in window.navigator ? window.navigator.serviceWorker : undefined;
  }

  start(): void {
    this.#answerWorker();
    void this.#register();
  }

  /** Without a worker only the server's version tells that this page is old. */
  learn(serverVersion: string): void {
    if (this.#workers === undefined) this.hasUpdate.value = serverVersion !== VERSION;
    else this.check();
  }

  check(): void {
    this.#registration?.update().catch(() => {
      // Offline, or the server restarts: the next check tries again.
    });
  }

  /** Loads the newest version; called by a tap alone. */
  async applyUpdate(): Promise<void> {
    // Not `register`, which queues behind a running update: a reload before that has answered would
    // show the old page again.
    const registration =
      this.#registration ?? (await this.#workers?.getRegistration().catch(() => undefined));
    const timeout = new Promise((resolve) => setTimeout(resolve, UPDATE_MS));
    await Promise.race([registration?.update().catch(() => undefined), timeout]);
    const next = registration?.installing ?? registration?.waiting;
    if (next) await this.#takeOver(next);
    this.#window.location.reload();
  }

  /**
   * Resolves once the new worker controls, or its files could not be fetched and the page stays
   * old.
   */
  #takeOver(next: ServiceWorker): Promise<void> {
    return new Promise((resolve) => {
      // A page without a controller (after a forced reload) gets no `controllerchange`.
      const look = () => {
        if (next.state === "activated" || next.state === "redundant") resolve();
      };
      next.addEventListener("statechange", look);
      this.#workers?.addEventListener("controllerchange", () => resolve(), { once: true });
      next.postMessage("take-over");
      look();
    });
  }

  /** The worker asks each page for its build, to keep the files of that build. */
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
      // The first worker is no update.
      if (installing === null || active === null) return;
      installing.addEventListener("statechange", () => {
        if (installing.state === "installed") this.hasUpdate.value = true;
      });
    });
  }
}
