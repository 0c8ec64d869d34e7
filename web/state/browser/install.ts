import { StoredValue, type KeyValueStorage } from "../../model/stored.ts";
import { computed, signal, type ReadonlySignal } from "@preact/signals";

interface InstallEvent extends Event {
  prompt(): Promise<unknown>;
}

/** By the browser's dialog, by its share menu, only over HTTPS, not at all, or done already. */
export type InstallWay = "dialog" | "share" | "needs_https" | "none" | "installed";

const HINT_AFTER_ANSWERS = 3;

/** Offered once, after the third answer. */
export class Install {
  readonly way: ReadonlySignal<InstallWay>;
  /** The third answer was given, and no hint yet: who gives it ends this. */
  readonly isHintDue = signal(false);
  readonly #window: Window;
  readonly #answers: StoredValue<number>;
  readonly #event = signal<InstallEvent | null>(null);
  readonly #isInstalled = signal(false);

  constructor(window: Window, storage: KeyValueStorage) {
    this.#window = window;
    this.#answers = new StoredValue(storage, "answers", Number);
    const { navigator } = window;
    const isStandalone = window.matchMedia("(display-mode: standalone)").matches;
    this.#isInstalled.value = isStandalone || Reflect.get(navigator, "standalone") === true;
    this.way = computed(() => {
      if (this.#isInstalled.value) return "installed";
      if (this.#event.value !== null) return "dialog";
      if ("standalone" in navigator) return "share";
      return window.isSecureContext ? "none" : "needs_https";
    });
  }

  start(): void {
    this.#window.addEventListener("beforeinstallprompt", (event) => {
      if (!isInstallEvent(event)) return;
      // The event is saved for a tap; without this the browser may cover an answer with its own
      // bar.
      event.preventDefault();
      this.#event.value = event;
    });
    this.#window.addEventListener("appinstalled", () => {
      this.#event.value = null;
      this.#isInstalled.value = true;
    });
  }

  /** Counts accepted answers until the hint was given. */
  answered(): void {
    const before = this.#answers.get();
    if (before >= HINT_AFTER_ANSWERS) return;
    this.#answers.set(before + 1);
    const { way } = this;
    const isOffered = way.value === "dialog" || way.value === "share";
    this.isHintDue.value = before + 1 === HINT_AFTER_ANSWERS && isOffered;
  }

  /** Each event can open the dialog once. */
  async ask(): Promise<void> {
    const event = this.#event.value;
    this.#event.value = null;
    await event?.prompt();
  }
}

function isInstallEvent(event: Event): event is InstallEvent {
  return typeof Reflect.get(event, "prompt") === "function";
}
