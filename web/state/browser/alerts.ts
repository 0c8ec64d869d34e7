import { paneHash } from "./router.ts";

const TAG = "panewatch-";
const BEEP_HZ = 660;
const BEEP_SECONDS = 0.14;
const BEEP_VOLUME = 0.08;

export interface AlertText {
  readonly title: string;
  readonly body: string;
}

/** Notifications of the browser while the page lives: one per pane, replaced by tag. */
export class Alerts {
  readonly #window: Window & typeof globalThis;
  /** Called with the route that a notification leads to. */
  readonly #onOpen: (hash: string) => void;
  readonly #shown = new Map<string, Notification>();
  #audio: AudioContext | null = null;

  constructor(window: Window & typeof globalThis, onOpen: (hash: string) => void) {
    this.#window = window;
    this.#onOpen = onOpen;
  }

  start(): void {
    // A notification that the service worker has shown tells this page of the click.
    this.#workers?.addEventListener("message", (event: MessageEvent<unknown>) => {
      const { data } = event;
      if (typeof data !== "object" || data === null) return;
      const hash: unknown = Reflect.get(data, "openHash");
      if (typeof hash === "string" && hash !== "") this.#onOpen(hash);
    });
  }

  /** Whether the browser knows notifications and what the person has said to them. */
  get permission(): NotificationPermission | "unsupported" {
    return "Notification" in this.#window ? this.#window.Notification.permission : "unsupported";
  }

  /** Asks the person; only ever called from the switch. */
  async ask(): Promise<NotificationPermission | "unsupported"> {
    if (this.permission === "unsupported") return "unsupported";
    return this.#window.Notification.requestPermission();
  }

  get isHidden(): boolean {
    return this.#window.document.hidden;
  }

  /** Whether the reader looks at the page right now and needs no notification to see it. */
  get isWatched(): boolean {
    const { document } = this.#window;
    return !document.hidden && document.hasFocus();
  }

  async show(paneId: string, { title, body }: AlertText): Promise<void> {
    if (this.permission !== "granted") return;
    const options: NotificationOptions = {
      body,
      tag: TAG + paneId,
      // Android draws no SVG here.
      icon: "/icons/icon-192.png",
      data: { hash: paneHash(paneId), paneId },
    };
    const registration = await this.#workers?.getRegistration().catch(() => undefined);
    // Phones know notifications through the service worker only, desktops without one as well.
    if (registration?.active) return registration.showNotification(title, options);
    const notification = new this.#window.Notification(title, options);
    notification.onclick = () => {
      this.#window.focus();
      notification.close();
      this.#onOpen(paneHash(paneId));
    };
    this.#shown.set(paneId, notification);
  }

  async close(paneId: string): Promise<void> {
    this.#shown.get(paneId)?.close();
    this.#shown.delete(paneId);
    const registration = await this.#workers?.getRegistration().catch(() => undefined);
    for (const notification of (await registration?.getNotifications()) ?? [])
      if (paneOf(notification) === paneId) notification.close();
  }

  /** Closes what tells of any other pane. */
  async keepOnly(ids: { has(id: string): boolean }): Promise<void> {
    const registration = await this.#workers?.getRegistration().catch(() => undefined);
    for (const notification of (await registration?.getNotifications()) ?? []) {
      const paneId = paneOf(notification);
      if (paneId !== null && !ids.has(paneId)) notification.close();
    }
  }

  vibrate(): void {
    this.#window.navigator.vibrate?.([80, 60, 80]);
  }

  /** Safari lets sound begin with a tap alone: the switch that asks for it sounds once. */
  beep(): void {
    this.#audio ??= new this.#window.AudioContext();
    void this.#audio.resume();
    const { currentTime, destination } = this.#audio;
    const tone = this.#audio.createOscillator();
    const volume = this.#audio.createGain();
    tone.frequency.value = BEEP_HZ;
    volume.gain.setValueAtTime(BEEP_VOLUME, currentTime);
    volume.gain.exponentialRampToValueAtTime(0.0001, currentTime + BEEP_SECONDS);
    tone.connect(volume).connect(destination);
    tone.start();
    tone.stop(currentTime + BEEP_SECONDS);
  }

  get #workers(): ServiceWorkerContainer | undefined {
    const { navigator } = this.#window;
    return "serviceWorker" in navigator ? navigator.serviceWorker : undefined;
  }
}

/** The pane that a notification is about: one of this page, or one that was pushed. */
function paneOf({ data, tag }: Notification): string | null {
  const paneId: unknown =
    typeof data === "object" && data !== null ? Reflect.get(data, "paneId") : null;
  if (typeof paneId === "string") return paneId;
  return tag.startsWith(TAG) ? tag.slice(TAG.length) : null;
}
