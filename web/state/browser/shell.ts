import { signal } from "@preact/signals";

/**
 * The files of the page as the service worker keeps them. A new version is fetched aside and waits
 * until the reader asks for it: a page never reloads by itself.
 */
export class Shell {
  /** A newer page than this one is ready. */
  readonly hasUpdate = signal(false);
  readonly #window: Window;
  readonly #workers: ServiceWorkerContainer | undefined;
  #registration: ServiceWorkerRegistration | null = null;

  constructor(window: Window) {
    this.#window = window;
    // Absent on plain HTTP outside this machine.
    this.#workers =
      "serviceWorker" in window.navigator ? window.navigator.serviceWorker : undefined;
  }

  start(): void {
    void this.#register();
  }

  /** Asks whether the server has another version of the page by now. */
  check(): void {
    this.#registration?.update().catch(() => {
      // Offline, or the server is restarting: the next check asks again.
    });
  }

  /** Shows the newest version that can be had. Called by a tap alone. */
  async applyUpdate(): Promise<void> {
    const reload = () => this.#window.location.reload();
    const registration = this.#registration;
    await registration?.update().catch(() => undefined);
    const next = registration?.installing ?? registration?.waiting;
    if (!next) return reload();
    // Redundant: its files could not be fetched, and the page stays what it is.
    next.addEventListener("statechange", () => next.state === "redundant" && reload());
    this.#workers?.addEventListener("controllerchange", reload, { once: true });
    next.postMessage("take-over");
  }

  /** The number on the icon of the installed app. */
  showCount(waiting: number): void {
    const { navigator } = this.#window;
    if (!("setAppBadge" in navigator)) return;
    const shown = waiting > 0 ? navigator.setAppBadge(waiting) : navigator.clearAppBadge();
    shown.catch(() => {
      // A browser that knows badges may still not allow one here.
    });
  }

  async #register(): Promise<void> {
    const registration = await this.#workers
      ?.register("/sw.js", { updateViaCache: "none" })
      .catch(() => undefined);
    if (registration === undefined) return;
    this.#registration = registration;
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
