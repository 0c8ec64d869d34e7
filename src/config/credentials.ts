import { randomBytes, randomUUID } from "node:crypto";
import { AppError } from "../errors.ts";
import { AgeClock, type Clock, type Moment, momentOf } from "../lib/clock.ts";
import { sha256 } from "../lib/digest.ts";
import { isLoopback } from "../lib/address.ts";
import type { StoredJson } from "../lib/stored-json.ts";
import { allows, type Scope } from "../protocol/scope.ts";
import { ANYBODY, type Grant } from "../slice.ts";
import type { Config } from "./fields.ts";
import { type StoredAccess, type StoredGrant, markOf, tokenOf } from "./stored-access.ts";

const TOKEN_BYTES = 32;
const UNUSED_SECONDS = 180 * 24 * 3600;
/** A shorter token can be guessed. */
export const MIN_TOKEN_CHARS = 16;
const MAX_NAME_CHARS = 60;

interface CredentialsDeps {
  config: Pick<Config, "server.token" | "server.read_token" | "server.public_urls" | "server.host">;
  stored: Pick<StoredJson<StoredAccess>, "current" | "change">;
  /** Signs in the commands of this machine's user for as long as this service runs; "" for none. */
  localSecret: string;
  clock: Clock;
}

interface GrantUse extends Moment {
  address: string;
}

/** What signs in, and the accepted addresses. A change takes effect once it is written. */
export class Credentials {
  readonly #deps: CredentialsDeps;
  readonly #stored: CredentialsDeps["stored"];
  readonly #listeners = new Set<() => void>();
  /** Counts the days that devices are not used. */
  readonly #age: AgeClock;
  /** Last uses in this run, by grant id; those of devices are written with the next change. */
  readonly #uses = new Map<string, GrantUse>();
  #grants: readonly Grant[];
  /** What the listeners know. */
  #announced: StoredAccess;

  constructor(deps: CredentialsDeps) {
    this.#deps = deps;
    this.#stored = deps.stored;
    this.#announced = deps.stored.current;
    this.#age = new AgeClock(deps.clock);
    this.#grants = this.#grantsNow();
  }

  /** "" where none is required. */
  get token(): string {
    return tokenOf(this.#deps.config, this.#stored.current);
  }

  get isRequired(): boolean {
    return this.token !== "";
  }

  get isConfigured(): boolean {
    return this.#deps.config["server.token"] !== "";
  }

  /** When and by which grant the token was made; null where that is not known. */
  get tokenMade(): StoredAccess["token_made"] {
    return this.isConfigured ? null : this.#stored.current.token_made;
  }

  /** The configured ones first. */
  get publicUrls(): readonly string[] {
    return [...new Set([...this.#deps.config["server.public_urls"], ...this.addresses])];
  }

  /** Addresses set up here; they are accepted only while a token is required. */
  get addresses(): readonly string[] {
    return this.isRequired ? this.#stored.current.addresses : [];
  }

  get devices(): readonly StoredGrant[] {
    return this.isRequired ? this.#alive(this.#stored.current) : [];
  }

  get grants(): readonly Grant[] {
    return this.#grants;
  }

  /** Texts that a pane must not inherit. */
  get secrets(): readonly string[] {
    return [this.token, this.#deps.config["server.read_token"]];
  }

  /** Key for things that were set up before their grant was recorded. */
  get owner(): string {
    return this.isRequired ? keyOf(this.token) : ANYBODY.key;
  }

  /** Whether the grant with this key still exists, with at least this scope. */
  holds(key: string, needed: Scope = "look"): boolean {
    const isThere = (grant: Grant) => grant.key === key && allows(grant.scope, needed);
    return key === ANYBODY.key || key === "local" || this.#grants.some(isThere);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `at`: epoch seconds by the wall clock of that time, corrected where it has been set since. */
  useOf(id: string): { at: number; address: string } | null {
    const use = this.#uses.get(id);
    if (!use) return null;
    const { at, monotonic } = momentOf(this.#deps.clock);
    const counted = at - (monotonic - use.monotonic);
    // While a machine sleeps only the wall clock goes on, but no machine sleeps for so long.
    const isSet = use.at > at || counted - use.at > UNUSED_SECONDS;
    return { at: isSet ? counted : use.at, address: use.address };
  }

  noteUse({ id }: Pick<Grant, "id">, address: string): void {
    this.#uses.set(id, { ...momentOf(this.#deps.clock), address });
  }

  /** Call it every hour: writes last uses, and removes devices that were not used for too long. */
  async tend(): Promise<void> {
    await this.#change((access) => {
      const grants = this.#alive(access);
      return Bun.deepEquals(grants, access.grants) ? access : { ...access, grants };
    });
    if (this.#age.isDue) this.#age.look();
  }

  /**
   * @param by id of the grant that asks; `renew` replaces a token that was made here
   * @throws AppError conflict where there is a token already
   */
  async makeToken(by: string, { renew = false } = {}): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    await this.#change((access) => {
      if (this.isConfigured && renew)
        throw new AppError("conflict", "the token is that of the configuration: change it there");
      if (tokenOf(this.#deps.config, access) !== "" && !renew)
        throw new AppError("conflict", "there is a token already");
      const token_made = { at: this.#deps.clock.now(), by };
      return { ...access, token, token_made, grants: [] };
    });
    return token;
  }

  /**
   * Removes the token that was made here, and with it every device.
   * @throws AppError conflict where the service would be open to others then
   */
  async removeToken(): Promise<void> {
    const why = this.#neededBecause();
    await this.#change((access) => {
      if (access.token !== "" && !this.isConfigured && why !== null)
        throw new AppError("conflict", why);
      return access.token === "" && access.grants.length === 0
        ? access
        : { ...access, token: "", token_made: null, grants: [] };
    });
  }

  /** @param address an origin such as https://host.example. @throws AppError conflict */
  accept(address: string): Promise<void> {
    return this.#change((access) => {
      const token = tokenOf(this.#deps.config, access);
      if (token === "") throw new AppError("conflict", "an address needs a token first");
      if (address.startsWith("http:") && token.length < MIN_TOKEN_CHARS)
        throw new AppError("conflict", `the token can be guessed: ${MIN_TOKEN_CHARS} characters`);
      const { "server.public_urls": configured } = this.#deps.config;
      if ([...configured, ...access.addresses].includes(address)) return access;
      return { ...access, addresses: [...access.addresses, address] };
    });
  }

  forgetAddresses(): Promise<void> {
    return this.#change((access) =>
      access.addresses.length === 0 ? access : { ...access, addresses: [] },
    );
  }

  /** @throws AppError not_found where the inviting device is gone */
  async admit(
    device: { name: string; scope: Scope; by: string },
    address: string,
  ): Promise<{ token: string; device: StoredGrant }> {
    const token = randomBytes(TOKEN_BYTES).toString("base64url");
    const now = this.#deps.clock.now();
    const admitted: StoredGrant = {
      ...{ id: randomUUID(), ...device, name: cleanName(device.name) },
      ...{ created_at: now, last_used_at: now, last_address: address },
      expires_at: now + UNUSED_SECONDS,
      digest: sha256(token).toString("hex"),
      under: markOf(this.token),
    };
    const isInvitedByDevice = this.devices.some(({ id }) => id === device.by);
    await this.#change((access) => {
      const devices = this.#alive(access);
      if (isInvitedByDevice) requireDevice(devices, device.by);
      return { ...access, grants: [...devices, admitted] };
    });
    return { token, device: admitted };
  }

  /** @throws AppError not_found */
  async changeDevice(
    id: string,
    { name, scope }: { name?: string | undefined; scope?: Scope | undefined },
  ): Promise<void> {
    const withChange = (grant: StoredGrant): StoredGrant => ({
      ...grant,
      name: name === undefined ? grant.name : cleanName(name),
      scope: scope ?? grant.scope,
    });
    return this.#change((access) => {
      requireDevice(this.#alive(access), id);
      const grants = access.grants.map((grant) => (grant.id === id ? withChange(grant) : grant));
      return { ...access, grants };
    });
  }

  /**
   * Removes a device, with `alsoLetIn` all devices that it has let in too, directly or not.
   * @throws AppError not_found
   */
  async removeDevice(
    id: string,
    { alsoLetIn = false } = {},
  ): Promise<{ removed: readonly StoredGrant[]; letIn: readonly StoredGrant[] }> {
    let removed: readonly StoredGrant[] = [];
    let letIn: readonly StoredGrant[] = [];
    await this.#change((access) => {
      const devices = this.#alive(access);
      removed = [requireDevice(devices, id)];
      letIn = devicesLetInBy(id, devices);
      if (alsoLetIn) [removed, letIn] = [[...removed, ...letIn], []];
      const ids = new Set(removed.map((one) => one.id));
      return { ...access, grants: access.grants.filter((grant) => !ids.has(grant.id)) };
    });
    return { removed, letIn };
  }

  /** Why the service needs its token; null where it may go. */
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

  async #change(change: (access: StoredAccess) => StoredAccess): Promise<void> {
    await this.#stored.change(change);
    if (this.#stored.current === this.#announced) return;
    this.#announced = this.#stored.current;
    this.#grants = this.#grantsNow();
    for (const listener of [...this.#listeners]) listener();
  }

  /** Devices let in under the present token that have not expired, with their last uses. */
  #alive({ grants, ...access }: StoredAccess): StoredGrant[] {
    const mark = markOf(tokenOf(this.#deps.config, { ...access, grants }));
    const now = this.#age.now();
    return grants
      .filter(({ under }) => under === mark)
      .map((grant) => {
        const use = this.useOf(grant.id);
        if (use)
          return {
            ...{ ...grant, last_used_at: use.at, last_address: use.address },
            expires_at: use.at + UNUSED_SECONDS,
          };
        // A last use in the future counts as now, unless this clock may have been slow until now.
        const latest = this.#age.isProven ? this.#deps.clock.now() + UNUSED_SECONDS : Infinity;
        return { ...grant, expires_at: Math.min(grant.expires_at ?? now + UNUSED_SECONDS, latest) };
      })
      .filter(({ expires_at }) => expires_at > now);
  }

  #grantsNow(): readonly Grant[] {
    const { config, localSecret } = this.#deps;
    const of = (secret: string, grant: Omit<Grant, "digest">): Grant[] =>
      secret === "" ? [] : [{ ...grant, digest: sha256(secret) }];
    const local = of(localSecret, {
      id: "local",
      key: "local",
      name: "this machine",
      scope: "own",
    });
    if (!this.isRequired) return local;
    const { token } = this;
    const read = config["server.read_token"];
    return [
      ...of(token, { id: "token", key: keyOf(token), name: "the token", scope: "own" }),
      ...local,
      ...of(read, { id: "read_token", key: keyOf(read), name: "the read token", scope: "look" }),
      ...this.devices.map(({ id, name, scope, digest }): Grant => {
        return { id, key: id, name, scope, digest: Buffer.from(digest, "hex") };
      }),
    ];
  }
}

/** Devices that it has let in, and those that they have let in. */
function devicesLetInBy(id: string, devices: readonly StoredGrant[]): StoredGrant[] {
  const found = new Set<StoredGrant>();
  for (const ids = [id]; ids.length > 0;) {
    const by = ids.pop();
    for (const device of devices) {
      if (device.by !== by || found.has(device)) continue;
      found.add(device);
      ids.push(device.id);
    }
  }
  return [...found];
}

/** @throws AppError not_found */
function requireDevice(devices: readonly StoredGrant[], id: string): StoredGrant {
  const device = devices.find((one) => one.id === id);
  if (!device) throw new AppError("not_found", "no such device");
  return device;
}

const keyOf = (secret: string): string => `token ${markOf(secret)}`;

function cleanName(name: string): string {
  const clean = name.replace(/[\p{C}\p{Z}]+/gu, " ").trim();
  return [...clean].slice(0, MAX_NAME_CHARS).join("") || "A device";
}
