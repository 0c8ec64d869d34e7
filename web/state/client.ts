import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { connection as words } from "../words/connection.ts";
import { Browser } from "./browser/browser.ts";
import { Pulse } from "./pulse.ts";
import { Server } from "./server/server.ts";

/** Everything the views stand on, made once: this browser, and the server that it looks at. */
export class Client {
  readonly browser: Browser;
  readonly server: Server;
  /** Why the link that opened this page did not sign in; empty when there was none or it did. */
  pairingFailure = "";

  constructor(window: Window & typeof globalThis) {
    this.browser = new Browser(window);
    this.server = new Server(this.browser, window.location.origin);
  }

  start(): void {
    new Pulse(this).start();
    this.server.connect();
  }

  /** Signs in with the code of a pairing link, and says where that fails. */
  async pair(code: string): Promise<void> {
    const outcome = await this.server.pair(code);
    if (outcome === "ok") return;
    this.pairingFailure =
      outcome === "unreachable" ? words.pairingUnreachable : words.pairingRefused;
    this.browser.messages.alert(this.pairingFailure);
  }

  /** Shows the terminal of a pane whose last input may not have arrived. */
  inspect(id: string): void {
    this.browser.router.goPane(id);
    this.browser.terminal.isFollowing.value = true;
    void this.server.inspected(id);
  }
}

const Context = createContext<Client | null>(null);
export const ClientProvider = Context.Provider;

export function useClient(): Client {
  const client = useContext(Context);
  if (client === null) throw new Error("no client above this view");
  return client;
}

export const useServer = (): Server => useClient().server;
export const useBrowser = (): Browser => useClient().browser;
