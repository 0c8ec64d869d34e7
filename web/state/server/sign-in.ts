import { computed, signal } from "@preact/signals";
import type { CodeRequest, PairingLink } from "../../../src/protocol/access.ts";
import { readPhoneState, type SeenPhoneState } from "../../../src/protocol/tolerant-later.ts";
import { deviceName } from "../../model/browser-name.ts";
import { Query } from "./query.ts";
import { Part } from "./part.ts";
import type { Server } from "./server.ts";

/** `unreachable`: whether the credential is good is not known. */
export type SignInResult = "ok" | "refused" | "unreachable";

/** The token is stored only if the server accepts it. */
export async function signIn(server: Server, token: string): Promise<SignInResult> {
  const before = server.token.get();
  server.token.set(token);
  const loaded = await server.config.load();
  if (loaded === "ok" || loaded === "incompatible") {
    server.link.start();
    return "ok";
  }
  // Another one may have come meanwhile, by a link or in another tab.
  if (server.token.get() === token) server.token.set(before);
  return loaded === "unauthorized" ? "refused" : "unreachable";
}

/** With a single-use code; on failure the old token stays. */
export async function pair(server: Server, code: string): Promise<SignInResult> {
  const name = deviceName(server.browser.window.navigator.userAgent);
  const result = await server.api.call("POST /api/pair", { json: { code, name } });
  // The invitation may still be good.
  if (!result.ok && result.failure.kind === "lost") return "unreachable";
  server.invitation.value = null;
  if (!result.ok) return "refused";
  server.token.set(result.value.token);
  return "ok";
}

/** A code is renewed while it can still be scanned. */
const RENEW_BEFORE_SECONDS = 10;

/** What keeps a phone from signing in, and the code that signs it in. */
export class PhoneSetup extends Part {
  readonly state = new Query<SeenPhoneState>((signal) => {
    const query = { page: this.server.origin };
    return this.server.api.call("GET /api/phone", { query, read: readPhoneState, signal });
  });
  readonly link = new Query<PairingLink>((signal) => {
    const json = { scope: this.codeScope.peek() };
    return this.server.api.call("POST /api/pair/codes", { json, signal });
  });
  /** Name of the last device that signed in while the page was shown. */
  readonly joined = signal<string | null>(null);
  /** The person accepts an unencrypted connection. */
  readonly isPlainTaken = signal(false);
  /** The first failed check; null for none, or before it is known. */
  readonly failed = computed(
    () => this.state.value.value?.checks.find(({ state }) => state === "failed") ?? null,
  );
  readonly canShowCode = computed(() => {
    if (this.state.value.value === null) return false;
    const failed = this.failed.value;
    return failed === null || (failed.id === "encrypted" && this.isPlainTaken.value);
  });
  readonly codeScope = signal<CodeRequest["scope"]>("type");
  #known: ReadonlySet<string> | null = null;

  /** Checks again, and fetches a code where nothing fails. `nowSeconds` is the server's time. */
  async look(nowSeconds: number): Promise<void> {
    await this.state.load();
    const hasJoined = this.#noteJoined();
    const link = this.link.value.peek();
    if (!this.canShowCode.peek()) {
      if (link !== null) this.link.clear();
      return;
    }
    const isOver = link === null || link.expires_at - nowSeconds < RENEW_BEFORE_SECONDS;
    if (isOver || hasJoined) await this.link.load();
  }

  #noteJoined(): boolean {
    const phones = this.state.value.peek()?.phones;
    if (phones === undefined) return false;
    const known = this.#known;
    this.#known = new Set(phones.map(({ id }) => id));
    const fresh = phones.findLast(({ id }) => known?.has(id) === false);
    if (fresh !== undefined) this.joined.value = fresh.name;
    return fresh !== undefined;
  }

  async chooseScope(scope: CodeRequest["scope"]): Promise<void> {
    this.codeScope.value = scope;
    if (this.link.value.peek() !== null) await this.link.reload();
  }
}
