import { signal } from "@preact/signals";

const ARMED_MS = 4000;

export interface Armed {
  readonly paneId: string;
  /** Place of the option: hostile menus may show a key twice. */
  readonly index: number;
  readonly signature: string;
  /** Monotonic milliseconds. */
  readonly at: number;
}

export class Arming {
  readonly current = signal<Armed | null>(null);
  /** The pane whose reply field a tap or a key has just opened. */
  #replyFor: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Armed by key it stays until something changes; armed by touch it lapses. */
  arm(armed: Armed, options: { readonly lapses: boolean }): void {
    clearTimeout(this.#timer);
    this.current.value = armed;
    if (options.lapses) this.#timer = setTimeout(() => this.disarm(), ARMED_MS);
  }

  openReply(paneId: string): void {
    this.#replyFor = paneId;
  }

  /** Whether a reply field that appears takes the focus: once, for the tap that opened it. */
  takesFocus(paneId: string): boolean {
    const isOpened = this.#replyFor === paneId;
    this.#replyFor = null;
    return isOpened;
  }

  disarm(): void {
    clearTimeout(this.#timer);
    this.current.value = null;
  }
}
