import { randomBytes, randomUUID } from "node:crypto";
import { AppError, persistError } from "../errors.ts";
import { sha256 } from "../lib/digest.ts";
import { isLoopback } from "../lib/loopback.ts";
import { SavedValue } from "../lib/saved-value.ts";
import type { Grant } from "../slice.ts";
import type { Config } from "./fields.ts";
import { isUnder, type KeptAccess, markOf, type Phone, tokenOf } from "./kept-access.ts";

const TOKEN_BYTES = 32;
/** A further phone takes the place of the oldest. */
export const MAX_PHONES = 50;
export const MAX_ADDRESSES = 20;

export interface CredentialsDeps {
  config: Pick<Config, "server.token" | "server.read_token" | "server.public_urls" | "server.host">;
  kept: KeptAccess;
  write: (kept: KeptAccess) => Promise<void>;
  /** Signs in the commands of this machine's user for as long as this service runs; "" for none. */
  localSecret: string;
}

/** What signs in and under which addresses, now: a change holds at once, once it is written. */
export class Credentials {
  readonly #deps: CredentialsDeps;
  readonly #kept: SavedValue<KeptAccess>;
  readonly #listeners = new Set<() => void>();
  #grants: readonly Grant[];

  constructor(deps: CredentialsDeps) {
    this.#deps = deps;
    this.#kept = new SavedValue(deps.kept, deps.write);
    this.#grants = this.#grantsNow();
  }

  /** "" where nobody is asked for one. */
  get token(): string {
    return tokenOf(this.#deps.config, this.#kept.current);
  }

  get isRequired(): boolean {
    return this.token !== "";
  }

  /** Whether the token stands in the configuration, which is not ours to change. */
  get isConfigured(): boolean {
    return this.#deps.config["server.token"] !== "";
  }

  /** Those of the configuration first. */
  get publicUrls(): readonly string[] {
    return [...new Set([...this.#deps.config["server.public_urls"], ...this.addresses])];
  }

  /** Those that were set up here; they hold only behind a token. */
  get addresses(): readonly string[] {
    return this.isRequired ? this.#kept.current.addresses : [];
  }

  get phones(): readonly Phone[] {
    const { token } = this;
    return token === "" ? [] : this.#kept.current.phones.filter(isUnder(token));
  }

  /** Whatever signs in. */
  get grants(): readonly Grant[] {
    return this.#grants;
  }

  /** Texts that a pane must not inherit. */
  get secrets(): readonly string[] {
    return [this.token, this.#deps.config["server.read_token"]];
  }

  /** `listener` is called after each change; the result ends that. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** @throws AppError conflict where there is one */
  async makeToken(): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    await this.#change((kept) => {
      if (tokenOf(this.#deps.config, kept) !== "")
        throw new AppError("conflict", "there is a token already");
      return { ...kept, token };
    });
    return token;
  }

  /**
   * Forgets the token that was made here, and every phone: what they have opens nothing any more.
   * @throws AppError conflict where somebody else could come in then
   */
  async removeToken(): Promise<void> {
    const why = this.#neededBecause();
    await this.#change((kept) => {
      if (kept.token !== "" && !this.isConfigured && why !== null)
        throw new AppError("conflict", why);
      return kept.token === "" && kept.phones.length === 0
        ? kept
        : { ...kept, token: "", phones: [] };
    });
  }

  /** Takes an origin such as https://host.example among the accepted addresses. */
  async accept(address: string): Promise<void> {
    await this.#change((kept) => {
      if (tokenOf(this.#deps.config, kept) === "")
        throw new AppError("conflict", "an address needs a token first");
      if (this.publicUrls.includes(address)) return kept;
      if (kept.addresses.length >= MAX_ADDRESSES)
        throw new AppError("conflict", `too many addresses (max ${MAX_ADDRESSES})`);
      return { ...kept, addresses: [...kept.addresses, address] };
    });
  }

  async forgetAddresses(): Promise<void> {
    await this.#change((kept) => (kept.addresses.length === 0 ? kept : { ...kept, addresses: [] }));
  }

  /** Gives a phone its token. */
  async addPhone(name: string, now: number): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const digest = sha256(token).toString("hex");
    const under = markOf(this.token);
    const phone: Phone = { id: randomUUID(), name, paired_at: now, digest, under };
    await this.#change((kept) => ({
      ...kept,
      phones: [...kept.phones.filter(isUnder(this.token)), phone].slice(-MAX_PHONES),
    }));
    return token;
  }

  /** False when there is no such phone. */
  async removePhone(id: string): Promise<boolean> {
    const isThere = this.phones.some((phone) => phone.id === id);
    if (isThere)
      await this.#change((kept) => ({
        ...kept,
        phones: kept.phones.filter((phone) => phone.id !== id),
      }));
    return isThere;
  }

  /** Why this service must not be without a token; null where it may. */
  #neededBecause(): string | null {
    const { config } = this.#deps;
    const host = config["server.host"];
    if (!isLoopback(host))
      return `the token stays: the service listens on ${host}, where everybody could type without one`;
    if (config["server.read_token"] !== "") return "the token stays: server.read_token needs it";
    return this.addresses.length > 0
      ? "the token stays as long as the service has other addresses: forget them first"
      : null;
  }

  async #change(change: (kept: KeptAccess) => KeptAccess): Promise<void> {
    await this.#kept.change(change).catch((cause: unknown) => {
      if (cause instanceof AppError) throw cause;
      throw persistError("what signs in cannot be kept; nothing has changed", cause);
    });
    this.#grants = this.#grantsNow();
    for (const listener of [...this.#listeners]) listener();
  }

  #grantsNow(): readonly Grant[] {
    const { config, localSecret } = this.#deps;
    const of = (secret: string, grant: Omit<Grant, "digest">): Grant[] =>
      secret === "" ? [] : [{ ...grant, digest: sha256(secret) }];
    const local = of(localSecret, { who: "local", access: "all" });
    if (!this.isRequired) return local;
    return [
      ...of(this.token, { who: "token", access: "all" }),
      ...local,
      ...of(config["server.read_token"], { who: "token", access: "read" }),
      ...this.phones.map(({ digest }): Grant => ({
        who: "phone",
        access: "all",
        digest: Buffer.from(digest, "hex"),
      })),
    ];
  }
}
