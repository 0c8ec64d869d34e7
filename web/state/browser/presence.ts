import { signal } from "@preact/signals";
import { SLEEP_AFTER_MS } from "../../net/connection.ts";

/** `asleep`: hidden for so long that the page has let go of the network. */
export type Attention = "visible" | "hidden" | "asleep";

/** Whether somebody looks at this page, and whether the network is there: sockets and queries follow it. */
export class Presence {
  readonly attention = signal<Attention>("visible");
  /** Counts how often the network came back. */
  readonly returns = signal(0);
  readonly #window: Pick<Window, "addEventListener" | "document">;
  readonly #staysAwake: () => boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `staysAwake`: alerts come with the state of the panes, and a page that gives them goes on listening. */
  constructor(window: Pick<Window, "addEventListener" | "document">, staysAwake: () => boolean) {
    this.#window = window;
    this.#staysAwake = staysAwake;
  }

  start(): void {
    this.#window.document.addEventListener("visibilitychange", () => this.#look());
    this.#window.addEventListener("online", () => {
      this.returns.value += 1;
    });
    // A tab that is restored behind others begins out of sight.
    this.#look();
  }

  #look(): void {
    clearTimeout(this.#timer);
    if (!this.#window.document.hidden) {
      this.attention.value = "visible";
      return;
    }
    if (this.attention.peek() === "visible") this.attention.value = "hidden";
    this.#timer = setTimeout(() => {
      if (!this.#staysAwake()) this.attention.value = "asleep";
    }, SLEEP_AFTER_MS);
  }
}
