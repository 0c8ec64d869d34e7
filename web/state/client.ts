import { type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Pane } from "../model/pane.ts";
import { followServer, startEffects } from "./app-effects.ts";
import { Browser } from "./browser/browser.ts";
import { paneHash, SCREEN } from "./browser/router.ts";
import { later } from "./later.ts";
import { Server } from "./server/server.ts";
import type { SignInResult } from "./server/sign-in.ts";

export class Client {
  readonly browser: Browser;
  readonly #server: Signal<Server>;
  /** Empty when the page was not opened by a link, or that worked. */
  pairingFailure = "";

  constructor(window: Window & typeof globalThis) {
    this.browser = new Browser(window);
    this.#server = signal(new Server(this.browser, window.location.origin));
  }

  get server(): Server {
    return this.#server.value;
  }

  signOut(): void {
    this.server.leave();
    this.#server.value = new Server(this.browser, this.server.origin);
    // The same state as after a first attempt that was refused.
    this.server.link.start();
    this.server.link.refuse("unauthorized");
    followServer(this.server);
  }

  /** A pairing code is exchanged first: before that there are no credentials. */
  async start(): Promise<void> {
    await this.signInFromAddress();
    startEffects(this);
    this.server.link.start();
  }

  /**
   * Removes a token or code from the address and the history, and signs in with it. True when that
   * worked.
   */
  async signInFromAddress(): Promise<boolean> {
    const { history, location } = this.browser.window;
    const clean = (rest: string) => history.replaceState(history.state, "", rest);
    const taken = takeToken(location.href);
    if (taken !== null) {
      this.server.token.set(taken.token);
      clean(taken.rest);
    }
    const pairing = takePairingCode(location.href);
    if (pairing === null) return taken !== null;
    clean(pairing.rest);
    const outcome = await this.pair(pairing.code);
    if (outcome === "ok") return true;
    this.pairingFailure =
      outcome === "unreachable"
        ? "The code could not be checked: the server cannot be reached."
        : "This code was used already or is too old. Ask for a new one, or sign in below.";
    this.browser.messages.alert(this.pairingFailure);
    return false;
  }

  async pair(code: string): Promise<SignInResult> {
    const late = await later.load().catch(() => null);
    const outcome = (await late?.pair(this.server, code)) ?? "unreachable";
    if (outcome === "ok") this.browser.router.replace("#/paired");
    return outcome;
  }

  /** To the chat of its agent, else to its screen; a desk keeps the tab that is open. */
  pageHash(pane: Pane): string {
    const { layout } = this.browser;
    const kept = layout.columns.value > 1 ? layout.pageTab.value : "chat";
    const hasNone = kept === "chat" && this.server.agentIn(pane) === null;
    return paneHash(pane.id, hasNone ? "screen" : kept);
  }

  /** Replaces the open pane in the history. */
  goBeside = (pane: Pane): void => this.browser.router.goBeside(this.pageHash(pane));

  /** For a pane whose last input may not have arrived. */
  inspect(id: string): void {
    this.browser.router.goPane(id);
    this.browser.router.savePosition(SCREEN, null);
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

export const usePart = <P extends object>(kind: new (server: Server) => P): P =>
  useServer().part(kind);

/** Removes `?token=`; other parameters and the fragment stay byte for byte. */
export function takeToken(url: string): { readonly token: string; readonly rest: string } | null {
  const [, before, query, fragment] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/.exec(url) ?? [];
  if (query === undefined) return null;
  const parts = query.split("&");
  const isToken = (part: string) => part === "token" || part.startsWith("token=");
  const found = parts.findLast(isToken);
  if (found === undefined) return null;
  const kept = parts.filter((part) => !isToken(part) && part !== "");
  const rest = `${before}${kept.length > 0 ? `?${kept.join("&")}` : ""}${fragment ?? ""}`;
  const token = new URLSearchParams(found).get("token") ?? "";
  return { token, rest };
}

/** Removes `#pair=<code>`: a single-use code that is exchanged for a token. */
export function takePairingCode(
  url: string,
): { readonly code: string; readonly rest: string } | null {
  const [, rest, code] = /^([^#]*)#pair=([^&]+)$/.exec(url) ?? [];
  return rest === undefined || code === undefined ? null : { code, rest };
}
