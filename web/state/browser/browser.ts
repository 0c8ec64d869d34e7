import { Arming, Shield, Touch } from "./touch.ts";
import { Clock } from "./clock.ts";
import { Install } from "./install.ts";
import { Keep } from "./keep.ts";
import { Layout, Near, TerminalTools } from "./layout.ts";
import { Messages } from "./messages.ts";
import { Presence } from "./presence.ts";
import { OwnDevice, PreferenceStore } from "./preferences.ts";
import { Router } from "./router.ts";
import { Shell } from "./shell.ts";

export class Browser {
  readonly clock = new Clock();
  readonly messages = new Messages();
  readonly arming = new Arming();
  readonly terminal = new TerminalTools();
  readonly near = new Near();
  readonly device: OwnDevice;
  readonly preferences: PreferenceStore;
  readonly presence: Presence;
  readonly layout: Layout;
  readonly shell: Shell;
  readonly install: Install;
  readonly shield: Shield;
  readonly touch: Touch;
  readonly router: Router;
  /** Kept for as long as this browser keeps anything. */
  readonly storage: Keep;
  readonly window: Window & typeof globalThis;

  constructor(window: Window & typeof globalThis) {
    const nowMs = () => this.clock.monotonicMs();
    this.window = window;
    this.storage = new Keep(() => window.localStorage);
    this.device = new OwnDevice(this.storage);
    this.preferences = new PreferenceStore(this.storage);
    this.presence = new Presence(window, () => {
      const { sound, vibrate } = this.preferences.current.peek();
      return sound || vibrate;
    });
    this.layout = new Layout(window);
    this.shell = new Shell(window, (hash) => this.router.go(hash));
    this.install = new Install(window, this.storage);
    this.shield = new Shield(nowMs);
    this.touch = new Touch(nowMs);
    this.router = new Router(window, () => this.shield.raise());
  }

  nextFrame(run: () => void): void {
    // A hidden page gets no frames, but still counts and alerts.
    if (this.window.document.hidden) setTimeout(run, 0);
    else this.window.requestAnimationFrame(run);
  }

  get wantsLowData(): boolean {
    const { saveData } = Object(Reflect.get(this.window.navigator, "connection"));
    return this.preferences.current.value.lowData || saveData === true;
  }

  /** `randomUUID` exists on secure origins only; plain HTTP on a private network is not one. */
  uuid(): string {
    const bytes = this.window.crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }
}
