import type { FeedSnapshot } from "../../src/http/pane-feed.ts";
import type { Styles } from "../../src/protocol/delta.ts";
import type { PaneState } from "../../src/protocol/pane.ts";
import type { Snapshot } from "../../src/terminal/hub.ts";
import type { ListedPane } from "../../src/terminal/provider.ts";
import { FakeClock } from "./clock.ts";
import { listedPane, paneSight } from "./pane.ts";

export const LISTED = listedPane();

type FakeSnapshot = FeedSnapshot & Pick<Snapshot, "at" | "sights">;

/** A hub whose passes are the test's. */
export class FakeHub {
  current: FakeSnapshot = { sequence: 0, at: 0, panes: [], styles: new Map(), sights: [] };
  readonly #clock: FakeClock;
  readonly #listeners = new Set<(snapshot: FakeSnapshot) => void>();

  constructor(clock = new FakeClock()) {
    this.#clock = clock;
  }

  isGone(identity: string): boolean {
    return !this.current.sights.some((sight) => sight.identity === identity);
  }

  subscribe(listener: (snapshot: FakeSnapshot) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(panes: readonly PaneState[], styles: Styles = new Map()): void {
    this.hold({ panes, styles });
    this.tell();
  }

  /** Publishes `current`. */
  tell(): void {
    for (const listener of this.#listeners) listener(this.current);
  }

  /** Replaces `current`, which is published with the next pass. */
  hold(scene: Pick<FeedSnapshot, "panes" | "styles" | "hosts">): void {
    const sights = scene.panes.map((state) => paneSight(state));
    const sequence = this.current.sequence + 1;
    this.current = { ...scene, sequence, at: this.#clock.now(), sights };
  }

  resolve(idOrTarget: string): ListedPane | null {
    const found = this.current.panes.find(({ id, target }) => [id, target].includes(idOrTarget));
    if (!found) return null;
    const { id, target, capabilities } = found;
    return { ...LISTED, id, identity: id, target, capabilities };
  }
}
