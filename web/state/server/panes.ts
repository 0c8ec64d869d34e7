import { batch, computed, signal } from "@preact/signals";
import type { Scene, Styles } from "../../../src/protocol/delta.ts";
import type { SeenCard } from "../../../src/protocol/tolerant.ts";
import { withPlainName, type Pane } from "../../model/pane.ts";
import { reusePanes } from "../../model/reuse.ts";
import { Part } from "./part.ts";

/** With more rows, those far away are drawn as names only. */
const MANY = 150;

/** A snapshot from before a saved change may come after its reply. */
const SAVED_SHOWS_WITHIN_MS = 2000;

interface Overlay {
  readonly id: string;
  readonly change: Partial<Pick<Pane, "starred" | "name">>;
}

export interface PaneSnapshot extends Scene<Pane> {
  readonly cards: readonly SeenCard[];
}

export class Panes extends Part {
  readonly all = signal<readonly Pane[]>([]);
  readonly areMany = computed(() => this.all.value.length > MANY);
  readonly cards = signal<readonly SeenCard[]>([]);
  readonly styles = signal<Styles>(new Map());
  /** Panes whose lines are shown besides the open one. */
  readonly alsoShown = computed<readonly string[]>(() => [
    ...new Set(this.#alsoShown.value.flat()),
  ]);
  readonly isLoaded = signal(false);
  readonly #alsoShown = signal<readonly (readonly string[])[]>([]);
  /** Monotonic milliseconds of the newest snapshot. */
  #takenAt = 0;
  /** By the wall clock, which goes on while the machine sleeps. */
  #takenEpochMs = 0;
  #byId = new Map<string, Pane>();
  /** Without overlays. */
  #received: readonly Pane[] = [];
  #overlays: readonly Overlay[] = [];

  /** Until the result is called. */
  showAlso(ids: readonly string[]): () => void {
    this.#alsoShown.value = [...this.#alsoShown.peek(), ids];
    return () => {
      this.#alsoShown.value = this.#alsoShown.peek().filter((shown) => shown !== ids);
    };
  }

  take({ panes, styles, cards }: PaneSnapshot): void {
    this.#takenAt = this.server.nowMs();
    this.#takenEpochMs = Date.now();
    this.#received = panes.map(withPlainName);
    batch(() => {
      this.isLoaded.value = true;
      this.styles.value = styles;
      this.cards.value = cards;
      this.#show();
    });
  }

  ageMs(): number {
    return Math.max(this.server.nowMs() - this.#takenAt, Date.now() - this.#takenEpochMs);
  }

  /** For callers that do not follow it. */
  latest(id: string): Pane | null {
    return this.#byId.get(id) ?? null;
  }

  /** Subscribes the component that reads it. */
  find = (id: string): Pane | null =>
    this.all.value.length > 0 ? (this.#byId.get(id) ?? null) : null;

  /**
   * Shows a change before the server has made it, until the result is called with whether it was
   * saved.
   */
  overlay(id: string, change: Overlay["change"]): (isSaved: boolean) => void {
    const overlay = { id, change };
    this.#overlays = [...this.#overlays, overlay];
    this.#show();
    const end = () => {
      this.#overlays = this.#overlays.filter((other) => other !== overlay);
      this.#show();
    };
    return (isSaved) => (isSaved ? void setTimeout(end, SAVED_SHOWS_WITHIN_MS) : end());
  }

  #show(): void {
    const overlaid = this.#received.map((pane) =>
      this.#overlays.reduce((p, { id, change }) => (p.id === id ? { ...p, ...change } : p), pane),
    );
    const panes = reusePanes(this.all.peek(), overlaid);
    if (panes === this.all.peek()) return;
    this.#byId = new Map(panes.map((pane) => [pane.id, pane]));
    this.all.value = panes;
  }
}
