import { computed, signal } from "@preact/signals";
import type { CodeRequest, PairingLink } from "../../../src/protocol/access.ts";
import { readPhoneState, type SeenPhoneState } from "../../../src/protocol/tolerant-later.ts";
import { Query } from "./query.ts";
import { Part } from "./part.ts";

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
