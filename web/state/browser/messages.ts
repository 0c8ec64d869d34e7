import { signal } from "@preact/signals";

const TOAST_MS = 5000;
/** What only confirms is read at a glance, and covers the way back meanwhile. */
const CONFIRMATION_MS = 2000;

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isAlert: boolean;
  readonly action: { readonly label: string; readonly run: () => void } | null;
  readonly isSticky: boolean;
}

export class Messages {
  readonly toast = signal<Toast | null>(null);
  /** The sticky message that a passing one covers for a moment. */
  #kept: Toast | null = null;
  #next = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;

  say(text: string, options: Partial<Omit<Toast, "id" | "text">> = {}): void {
    const toast: Toast = {
      id: this.#next++,
      text,
      isAlert: false,
      action: null,
      isSticky: false,
      ...options,
    };
    clearTimeout(this.#timer);
    this.toast.value = toast;
    const lasts = toast.isAlert || toast.action !== null ? TOAST_MS : CONFIRMATION_MS;
    if (toast.isSticky) this.#kept = toast;
    else this.#timer = setTimeout(() => this.dismiss(), lasts);
  }

  alert(text: string): void {
    this.say(text, { isAlert: true });
  }

  dismiss(): void {
    clearTimeout(this.#timer);
    if (this.toast.value?.isSticky) this.#kept = null;
    this.toast.value = this.#kept;
  }
}
