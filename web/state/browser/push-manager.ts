/** What the browser itself knows of push: whether it can, whether it may, and its subscription. */
export class PushManagerPort {
  readonly #window: Window & typeof globalThis;

  constructor(window: Window & typeof globalThis) {
    this.#window = window;
  }

  get isSecure(): boolean {
    return this.#window.isSecureContext;
  }

  get hasPush(): boolean {
    return "PushManager" in this.#window && "serviceWorker" in this.#window.navigator;
  }

  get permission(): NotificationPermission {
    return "Notification" in this.#window ? this.#window.Notification.permission : "default";
  }

  /** Asks the person; only ever called from a button. */
  async ask(): Promise<NotificationPermission> {
    if (!("Notification" in this.#window)) return "denied";
    return await this.#window.Notification.requestPermission();
  }

  /** The subscription with this key, or null: there is none, or it is of another key. */
  async current(publicKey: string): Promise<PushSubscription | null> {
    const subscription = await (await this.#manager())?.getSubscription();
    const key = subscription?.options.applicationServerKey;
    return subscription && key && base64Url(key) === publicKey ? subscription : null;
  }

  /** @throws DOMException when the browser refuses. */
  async subscribe(publicKey: string): Promise<PushSubscription | null> {
    const manager = await this.#manager();
    // One of another key stands in the way of a new one.
    await (await manager?.getSubscription())?.unsubscribe();
    const options = { userVisibleOnly: true, applicationServerKey: publicKey };
    return (await manager?.subscribe(options)) ?? null;
  }

  /** Answers with the endpoint that is no more. */
  async unsubscribe(): Promise<string | null> {
    const subscription = await (await this.#manager())?.getSubscription();
    await subscription?.unsubscribe();
    return subscription?.endpoint ?? null;
  }

  /** Tags of notifications that the worker has shown. */
  onShown(listener: (tag: string) => void): () => void {
    const heard = ({ data }: MessageEvent<unknown>) => {
      const { shown } = Object(data);
      if (typeof shown === "string") listener(shown);
    };
    const { navigator } = this.#window;
    if (!("serviceWorker" in navigator)) return () => undefined;
    navigator.serviceWorker.addEventListener("message", heard);
    return () => navigator.serviceWorker.removeEventListener("message", heard);
  }

  async #manager(): Promise<PushManager | null> {
    if (!this.hasPush) return null;
    return (await this.#window.navigator.serviceWorker.ready).pushManager;
  }
}

function base64Url(buffer: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(buffer)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}
