import { Arming, Touch } from "./touch.ts";
import { Install } from "./install.ts";
import { BrowserStorage } from "./storage.ts";
import { Layout, NearObserver, TerminalTools } from "./layout.ts";
import { OwnDevice, PreferenceStore } from "./preferences.ts";
import { Router } from "./router.ts";
import { Shell } from "./shell.ts";
import { signal } from "@preact/signals";

export class Browser {
  readonly clock = new Clock();
  readonly messages = new Messages();
  readonly arming = new Arming();
  readonly terminal = new TerminalTools();
  readonly near = new NearObserver();
  readonly device: OwnDevice;
  readonly preferences: PreferenceStore;
  /** A restored tab may begin hidden. */
  readonly isVisible = signal(true);
  readonly layout: Layout;
  readonly shell: Shell;
  readonly install: Install;
  readonly touch: Touch;
  readonly router: Router;
  /** Falls back to memory where the browser stores nothing. */
  readonly storage: BrowserStorage;
  readonly window: Window & typeof globalThis;

  constructor(window: Window & typeof globalThis) {
    this.window = window;
    this.storage = new BrowserStorage(() => window.localStorage);
    this.device = new OwnDevice(this.storage);
    this.preferences = new PreferenceStore(this.storage);
    this.layout = new Layout(window);
    this.shell = new Shell(window, (hash) => this.router.go(hash));
    this.install = new Install(window, this.storage);
    this.touch = new Touch(() => performance.now());
    this.router = new Router(window, () => this.touch.shield());
  }

  get wantsLowData(): boolean {
    const { saveData } = Object(Reflect.get(this.window.navigator, "connection"));
    return this.preferences.current.value.lowData || saveData === true;
  }

  /** `randomUUID` needs a secure origin; plain HTTP on a private network is none. */
  uuid(): string {
    const bytes = this.window.crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }
}

const TICK_MS = 1000;
/** The Date header has whole seconds and travels: smaller differences mean nothing. */
const TOLERANCE_MS = 2000;

/** One timer for every wait on the screen, in the server's time. */
class Clock {
  readonly now = signal(Date.now() / 1000);
  #offsetMs = 0;

  start(): void {
    this.#tick();
    setInterval(() => this.#tick(), TICK_MS);
  }

  learn(serverEpochMs: number): void {
    const offset = serverEpochMs - Date.now();
    this.#offsetMs = Math.abs(offset) > TOLERANCE_MS ? offset : 0;
  }

  #tick(): void {
    this.now.value = (Date.now() + this.#offsetMs) / 1000;
  }
}

const TOAST_MS = 5000;
/** A mere confirmation is read at a glance, and covers the header meanwhile. */
const CONFIRMATION_MS = 2000;

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isAlert: boolean;
  readonly action: { readonly label: string; readonly run: () => void } | null;
  readonly isSticky: boolean;
}

class Messages {
  readonly toast = signal<Toast | null>(null);
  /** For screen readers: what the screen shows by itself. */
  readonly announcement = signal("");
  #sticky: Toast | null = null;
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
    if (toast.isSticky) this.#sticky = toast;
    else this.#timer = setTimeout(() => this.dismiss(), lasts);
  }

  alert(text: string): void {
    this.say(text, { isAlert: true });
  }

  dismiss(): void {
    clearTimeout(this.#timer);
    if (this.toast.value?.isSticky) this.#sticky = null;
    this.toast.value = this.#sticky;
  }
}
