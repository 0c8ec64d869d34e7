import type { CDPSession, Page } from "playwright-core";
import type { Subscriber } from "./subscriber.ts";
import { until } from "./until.ts";

/** What a browser without a push service cannot do: be subscribed. All the rest is its own. */
export async function standInSubscription(
  page: Page,
  subscriber: Subscriber,
  endpoint: string,
): Promise<void> {
  await page.addInitScript(subscribeTo, subscriber.subscription(endpoint));
}

function subscribeTo(subscription: { endpoint: string }): void {
  const KEPT = "test.subscribed";
  const bytesOf = (text: string) => {
    const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(plain, (char) => char.charCodeAt(0)).buffer;
  };
  const current = () => {
    const key = localStorage.getItem(KEPT);
    if (key === null) return null;
    const made: unknown = Object.create(PushSubscription.prototype, {
      endpoint: { value: subscription.endpoint },
      options: { value: { userVisibleOnly: true, applicationServerKey: bytesOf(key) } },
      toJSON: { value: () => subscription },
      unsubscribe: {
        value: async () => {
          localStorage.removeItem(KEPT);
          return true;
        },
      },
    });
    return made as PushSubscription; // It has the members that a page reads.
  };
  PushManager.prototype.getSubscription = async () => current();
  PushManager.prototype.subscribe = async (options) => {
    localStorage.setItem(KEPT, String(options?.applicationServerKey));
    const made = current();
    if (made === null) throw new Error("nothing was kept");
    return made;
  };
}

/** Hands messages to the page's service worker as the browser's push service would. */
export class PushedPage {
  readonly #session: CDPSession;
  readonly #origin: string;
  readonly #registrationId: string;

  private constructor(session: CDPSession, origin: string, registrationId: string) {
    this.#session = session;
    this.#origin = origin;
    this.#registrationId = registrationId;
  }

  static async attach(page: Page): Promise<PushedPage> {
    const session = await page.context().newCDPSession(page);
    let found: string | null = null;
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      found = registrations.find(({ isDeleted }) => !isDeleted)?.registrationId ?? found;
    });
    await session.send("ServiceWorker.enable");
    const registrationId = await until(() => found);
    return new PushedPage(session, new URL(page.url()).origin, registrationId);
  }

  async deliver(message: unknown): Promise<void> {
    await this.#session.send("ServiceWorker.deliverPushMessage", {
      origin: this.#origin,
      registrationId: this.#registrationId,
      data: JSON.stringify(message),
    });
  }
}
