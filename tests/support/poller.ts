import type { PatternFindings, Patterns } from "../../src/detect/pattern-rules.ts";
import { PatternSearch } from "../../src/detect/pattern-search.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import { Hub, type Snapshot } from "../../src/terminal/hub.ts";
import { Poller, type PollerDeps, type PollerSettings } from "../../src/terminal/poller.ts";
import type { TerminalProvider } from "../../src/terminal/provider.ts";
import { FakeClock } from "./clock.ts";
import { type FakePane, FakeProvider } from "./fake-provider.ts";

export const SETTINGS: PollerSettings = {
  // Passes happen when a test wakes the poller.
  poll_interval: 3600,
  capture_lines: 200,
  auto_discover: true,
  include_shells: false,
  overrides: [],
  generic_prompt_patterns: ["\\(y/n\\)"],
  error_patterns: ["panic:"],
};

/** Runs patterns without a worker; `isStuck` makes it miss every deadline. */
class InlineMatcher {
  isStuck = false;
  readonly #search = new PatternSearch();

  async match(text: string, patterns: Patterns): Promise<PatternFindings | "failed"> {
    return this.isStuck ? "failed" : this.#search.run({ text, ...patterns });
  }
}

export function pollerOver(provider: TerminalProvider, deps: Partial<PollerDeps> = {}) {
  const log = deps.log ?? createLog(() => {});
  const hub = new Hub({ log });
  const poller = new Poller({
    ...{ provider, hub, log, clock: systemClock, matcher: new InlineMatcher() },
    settings: () => SETTINGS,
    nameOf: (pane) => pane.target,
    ...deps,
  });
  return { provider, hub, poller, log };
}

/** A poller over a fake provider; the test controls passes and time. */
export class PollerStage<P extends FakeProvider = FakeProvider> {
  readonly clock: FakeClock;
  readonly provider: P;
  readonly log: string[] = [];
  readonly matcher = new InlineMatcher();
  readonly hub: Hub;
  readonly poller: Poller;
  settings = SETTINGS;

  constructor(provider: P, clock: FakeClock, deps: Partial<PollerDeps> = {}) {
    [this.provider, this.clock] = [provider, clock];
    const watched = pollerOver(provider, {
      ...{ clock, matcher: this.matcher, log: createLog((line) => this.log.push(line)) },
      settings: () => this.settings,
      ...deps,
    });
    [this.hub, this.poller] = [watched.hub, watched.poller];
  }

  static open(deps: Partial<PollerDeps> = {}): PollerStage {
    const clock = new FakeClock();
    return new PollerStage(new FakeProvider(clock), clock, deps);
  }

  async start(): Promise<Snapshot> {
    this.poller.start();
    await this.poller.firstPass;
    return this.hub.current;
  }

  /** The id of a new pane, after a first pass that finds it at this age. */
  async shown(pane: Partial<FakePane>, ageSeconds = 0): Promise<string> {
    const { id } = this.provider.open(pane);
    this.clock.advance(ageSeconds);
    await this.start();
    return id;
  }

  /** A new pane, after so many passes that time alone changes nothing any more. */
  async rested(members: Partial<FakePane>): Promise<FakePane> {
    const pane = this.provider.open(members);
    await this.start();
    for (const seconds of [3, 3, 3]) await this.pass(seconds);
    return pane;
  }

  async pass(afterSeconds = 1): Promise<Snapshot> {
    this.clock.advance(afterSeconds);
    const published = this.published();
    this.poller.wake();
    return published;
  }

  published(): Promise<Snapshot> {
    return new Promise((resolve) => {
      const end = this.hub.subscribe((snapshot) => {
        end();
        resolve(snapshot);
      });
    });
  }

  pane(id: string): PaneState {
    const state = this.hub.current.panes.find((pane) => pane.id === id);
    if (!state) throw new Error(`${id} is not published`);
    return state;
  }
}
