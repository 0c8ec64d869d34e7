import { signal } from "@preact/signals";
import { SLEEP_AFTER_MS } from "../../net/connection.ts";

/** `asleep`: hidden for so long that the page has let go of the network. */
export type Attention = "visible" | "hidden" | "asleep";

export interface PresenceDeps {
  readonly window: Pick<Window, "addEventListener" | "document">;
  /** Alerts come with the state of the panes: a page that gives them goes on listening. */
  readonly staysAwake: () => boolean;
}

/** Whether somebody looks at this page, and whether the network is there: sockets and queries follow it. */
export class Presence {
  readonly attention = signal<Attention>("visible");
  /** Counts how often the network came back. */
  readonly returns = signal(0);
  readonly #deps: PresenceDeps;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(deps: PresenceDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { window } = this.#deps;
    window.document.addEventListener("visibilitychange", () => this.#look());
    window.addEventListener("online", () => {
      this.returns.value += 1;
    });
    // A tab that is restored behind others begins out of sight.
    this.#look();
  }

  #look(): void {
    const { staysAwake, window } = this.#deps;
    clearTimeout(this.#timer);
    if (!window.document.hidden) {
      this.attention.value = "visible";
      return;
    }
    if (this.attention.peek() === "visible") this.attention.value = "hidden";
    this.#timer = setTimeout(() => {
      if (!staysAwake()) this.attention.value = "asleep";
    }, SLEEP_AFTER_MS);
  }
}
