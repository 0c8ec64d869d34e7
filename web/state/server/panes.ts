import { batch, computed, signal } from "@preact/signals";
import type { Scene, Styles } from "../../../src/protocol/delta.ts";
import type { Pane } from "../../model/pane.ts";
import { reusePanes } from "../../model/reuse.ts";

/** More rows than this are not all in the page at once. */
const MANY = 150;

/** The newest snapshot. Applied at most once per frame, and at once when an answer needs it. */
export class Panes {
  readonly all = signal<readonly Pane[]>([]);
  readonly areMany = computed(() => this.all.value.length > MANY);
  readonly styles = signal<Styles>(new Map());
  /** Whose lines are shown beside those of the pane on the screen. */
  readonly alsoShown = computed<readonly string[]>(() => [
    ...new Set(this.#alsoShown.value.flat()),
  ]);
  /** Whether any snapshot has come yet. */
  readonly isLoaded = signal(false);
  readonly #alsoShown = signal<readonly (readonly string[])[]>([]);
  /** Monotonic milliseconds of the newest snapshot. */
  #takenAt = 0;
  /** The same by the clock on the wall, which goes on while the machine sleeps. */
  #takenEpochMs = 0;
  #byId = new Map<string, Pane>();
  #pending: Scene<Pane> | null = null;
  readonly #nowMs: () => number;
  readonly #nextFrame: (run: () => void) => void;

  constructor(deps: { nowMs: () => number; nextFrame: (run: () => void) => void }) {
    this.#nowMs = deps.nowMs;
    this.#nextFrame = deps.nextFrame;
  }

  /** A view shows lines of these panes as well; the result ends it. */
  showAlso(ids: readonly string[]): () => void {
    this.#alsoShown.value = [...this.#alsoShown.peek(), ids];
    return () => {
      this.#alsoShown.value = this.#alsoShown.peek().filter((shown) => shown !== ids);
    };
  }

  take(scene: Scene<Pane>): void {
    this.#takenAt = this.#nowMs();
    this.#takenEpochMs = Date.now();
    const waiting = this.#pending !== null;
    this.#pending = scene;
    if (!waiting) this.#nextFrame(() => this.flush());
  }

  /** How old the newest snapshot is. */
  ageMs(): number {
    return Math.max(this.#nowMs() - this.#takenAt, Date.now() - this.#takenEpochMs);
  }

  flush(): void {
    const scene = this.#pending;
    if (scene === null) return;
    this.#pending = null;
    const panes = reusePanes(this.#byId, scene.panes);
    const isSame =
      panes.length === this.all.value.length &&
      panes.every((pane, i) => pane === this.all.value[i]);
    batch(() => {
      this.isLoaded.value = true;
      this.styles.value = scene.styles;
      if (isSame) return;
      this.#byId = new Map(panes.map((pane) => [pane.id, pane]));
      this.all.value = panes;
    });
  }

  /** The pane in the newest snapshot, also when the screen does not show it yet. */
  latest(id: string): Pane | null {
    this.flush();
    return this.#byId.get(id) ?? null;
  }

  /** The pane as it is shown; a component that reads it follows it. */
  find(id: string): Pane | null {
    return this.all.value.length > 0 ? (this.#byId.get(id) ?? null) : null;
  }

  /** Shows a change that the server is about to make; the next snapshot decides. */
  overlay(id: string, change: Partial<Pick<Pane, "starred" | "name">>): void {
    this.flush();
    const panes = this.all.value.map((pane) => (pane.id === id ? { ...pane, ...change } : pane));
    this.#byId = new Map(panes.map((pane) => [pane.id, pane]));
    this.all.value = panes;
  }

  clear(): void {
    this.#pending = null;
    this.#byId = new Map();
    batch(() => {
      this.all.value = [];
      this.styles.value = new Map();
      this.isLoaded.value = false;
    });
  }
}
