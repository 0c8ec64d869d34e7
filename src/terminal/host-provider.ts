import type { TerminalUse } from "../detect/finding.ts";
import { AppError } from "../errors.ts";
import { RunError } from "../lib/run.ts";
import type { HierarchyNode, PaneCapabilities } from "../protocol/pane.ts";
import { hasOuterId, hostAway, hostNumberOf, innerId, outerId } from "./host-ids.ts";
import { ProviderError } from "./provider.ts";
import type {
  Capture,
  CapturedPane,
  EventSubscription,
  InputStep,
  ListedPane,
  Listing,
  PaneProcess,
  ProviderInfo,
  SendGuard,
  SendOutcome,
  TerminalProvider,
} from "./provider.ts";

export interface HostProviderDeps {
  inner: TerminalProvider;
  name: string;
  /** Given out once for each name, from 1 on. */
  number: number;
  link: {
    start(wake: () => void): void;
    stop(): void;
    isLive(): boolean;
    /** Whether nobody else watches the panes of this server. */
    claims(server: string): Promise<boolean>;
  };
}

/**
 * The panes of another machine, under ids and targets that no other machine's have. They are
 * translated here and nowhere else: who stands in front knows no tmux id of that machine, and who
 * stands behind knows no other.
 */
export class HostProvider implements TerminalProvider {
  readonly info: ProviderInfo;
  readonly capabilities: PaneCapabilities;
  readonly comparesScreens: boolean;
  readonly #deps: HostProviderDeps;
  readonly #outer = new WeakMap<ListedPane, ListedPane>();
  readonly #inner = new WeakMap<ListedPane, ListedPane>();
  #listing: { of: readonly ListedPane[]; panes: readonly ListedPane[] } = { of: [], panes: [] };

  constructor(deps: HostProviderDeps) {
    this.#deps = deps;
    this.info = deps.inner.info;
    this.capabilities = deps.inner.capabilities;
    this.comparesScreens = deps.inner.comparesScreens ?? false;
  }

  isPaneId(id: string): boolean {
    return hostNumberOf(id) === this.#deps.number;
  }

  start(wake: () => void): void {
    this.#deps.link.start(wake);
  }

  async stop(): Promise<void> {
    this.#deps.link.stop();
  }

  events(): EventSubscription {
    return this.#deps.inner.events();
  }

  async list(signal: AbortSignal): Promise<Listing> {
    const { inner, link } = this.#deps;
    const { panes } = await inner.list(signal);
    const server = inner.server?.() ?? "";
    if (server !== "" && !(await link.claims(server))) return { panes: [] };
    if (this.#listing.of !== panes) {
      // A server that has given out so many ids has others' in its range.
      const own = panes.filter(({ id }) => hasOuterId(id));
      this.#listing = { of: panes, panes: own.map((pane) => this.#toOuter(pane)) };
    }
    return { panes: this.#listing.panes };
  }

  async unchanged(
    panes: readonly CapturedPane[],
    at: number,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const inner = panes.map((each) => ({
      ...each,
      pane: this.#toInner(each.pane),
      captured: this.#toInner(each.captured),
    }));
    const same = await this.#deps.inner.unchanged(inner, at, signal);
    return new Set([...same].map((id) => this.#outerId(id)));
  }

  async capture(
    panes: readonly ListedPane[],
    lines: number,
    signal: AbortSignal,
  ): Promise<Map<string, Capture | Error>> {
    const inner = panes.map((pane) => this.#toInner(pane));
    const found = await this.#deps.inner.capture(inner, lines, signal);
    return new Map([...found].map(([id, capture]) => [this.#outerId(id), capture]));
  }

  async look(
    id: string,
    lines: number,
    signal: AbortSignal,
  ): Promise<{ pane: ListedPane; capture: Capture } | null> {
    if (!this.isPaneId(id)) return null;
    this.#requireLive();
    const looked = this.#deps.inner.look(this.#innerId(id), lines, signal);
    // Asked for along with the screen: who reads it would wait another round trip for them.
    const listed = this.#listing.panes.find((pane) => pane.id === id);
    if (listed) this.processes(listed, "now").catch(() => []);
    const seen = await looked.catch((error: unknown) => {
      if (error instanceof RunError || error instanceof ProviderError)
        throw hostAway(this.#deps.name, error);
      throw error;
    });
    return seen && { pane: this.#toOuter(seen.pane), capture: seen.capture };
  }

  processes(pane: ListedPane, age: "recent" | "now"): Promise<readonly PaneProcess[]> {
    return this.#deps.inner.processes(this.#toInner(pane), age);
  }

  async terminalUse(pane: ListedPane): Promise<TerminalUse | null> {
    return (await this.#deps.inner.terminalUse?.(this.#toInner(pane))) ?? null;
  }

  async send(
    id: string,
    steps: readonly InputStep[],
    guard: SendGuard | null,
  ): Promise<SendOutcome> {
    this.#requireLive();
    const inner = guard && { ...guard, identity: this.#innerIdentity(guard.identity) };
    try {
      return await this.#deps.inner.send(this.#innerId(id), steps, inner);
    } catch (error) {
      // It went away before anything was written: that is why, whatever the refusal says.
      if (error instanceof AppError && !this.#deps.link.isLive())
        throw hostAway(this.#deps.name, error);
      throw error;
    }
  }

  #requireLive(): void {
    if (!this.#deps.link.isLive()) throw hostAway(this.#deps.name);
  }

  #toOuter(pane: ListedPane): ListedPane {
    const known = this.#outer.get(pane);
    if (known) return known;
    const { name, number } = this.#deps;
    const node = (each: HierarchyNode): HierarchyNode => ({
      ...each,
      id: each.id === pane.id ? this.#outerId(each.id) : `${name}:${each.id}`,
    });
    const outer: ListedPane = {
      ...pane,
      id: this.#outerId(pane.id),
      identity: `${number}!${pane.identity}`,
      target: `${name}:${pane.target}`,
      hierarchy: pane.hierarchy.map(node),
    };
    this.#outer.set(pane, outer);
    this.#inner.set(outer, pane);
    return outer;
  }

  #toInner(pane: ListedPane): ListedPane {
    const inner = this.#inner.get(pane);
    if (!inner) throw new Error(`${pane.id} is no pane of ${this.#deps.name}`);
    return inner;
  }

  #outerId(id: string): string {
    return outerId(this.#deps.number, id);
  }

  #innerId(id: string): string {
    return innerId(this.#deps.number, id);
  }

  #innerIdentity(identity: string): string {
    const prefix = `${this.#deps.number}!`;
    if (!identity.startsWith(prefix)) throw new Error(`not an identity here: ${identity}`);
    return identity.slice(prefix.length);
  }
}
