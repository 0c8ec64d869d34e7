import { parseJson } from "../lib/json.ts";
import type { Card } from "../protocol/cards.ts";
import {
  diffCards,
  diffState,
  NO_VIEW,
  sceneOf,
  type ViewedScene,
  type ClientView,
} from "../protocol/delta.ts";
import { type DeltaFrame, ViewFrame } from "../protocol/frames.ts";
import type { StateEncoder } from "../terminal/encode.ts";

export type FeedSnapshot = ViewedScene["scene"] & { sequence: number };

export type CardsAt = (snapshot: FeedSnapshot) => readonly Card[];

/** Remembers what one client of `/ws` was sent last. */
export interface Feed {
  framesTo(snapshot: FeedSnapshot): string[];
  /** True when the client's view has changed: the same snapshot gives other frames then. */
  receive?(message: string | Uint8Array): boolean;
  /** True when a frame tells the client. */
  configChanged?(): boolean;
}

/** The contract's frames: a full state after every pass. Messages of the client are keepalive. */
export function plainFeed(encoder: StateEncoder, cardsAt: CardsAt | null): Feed {
  let sequence = -1;
  return {
    framesTo(snapshot) {
      if (snapshot.sequence === sequence) return [];
      sequence = snapshot.sequence;
      const cards = cardsAt?.(snapshot);
      return [cards ? encoder.encodeWith(cards, snapshot) : encoder.encode(snapshot)];
    },
  };
}

interface KeyedView extends ClientView {
  key: string;
}

interface SentState {
  scene: FeedSnapshot;
  view: KeyedView;
  /** Undefined where the client has not asked for cards. */
  cards: readonly Card[] | undefined;
}

/** `state_delta_v1`: the changes of each pass, with the lines that the client asks for. */
export class DeltaFeed implements Feed {
  readonly #deltas: DeltaTexts;
  readonly #cardsAt: CardsAt | null;
  #sent: SentState | null = null;
  #view: KeyedView = { ...NO_VIEW, key: "" };
  #configChanged = false;

  constructor(deltas: DeltaTexts, cardsAt: CardsAt | null = null) {
    this.#deltas = deltas;
    this.#cardsAt = cardsAt;
  }

  framesTo(scene: FeedSnapshot): string[] {
    const frames = this.#configChanged ? ['{"type":"config_changed"}'] : [];
    this.#configChanged = false;
    const before = this.#sent;
    if (before?.scene.sequence === scene.sequence && before.view === this.#view) return frames;
    const after = { scene, view: this.#view, cards: this.#cardsAt?.(scene) };
    this.#sent = after;
    frames.push(before ? this.#deltas.text(before, after) : firstState(after));
    return frames;
  }

  receive(message: string | Uint8Array): boolean {
    const view = viewOf(message);
    if (!view || view.key === this.#view.key) return false;
    this.#view = view;
    return true;
  }

  configChanged(): boolean {
    this.#configChanged = true;
    return true;
  }
}

/** Deltas to the newest snapshot; clients with the same last snapshot and view share a text. */
export class DeltaTexts {
  readonly #texts = new Map<string, string>();
  #newest = -1;

  text(before: SentState, after: SentState): string {
    if (after.scene.sequence !== this.#newest) this.#texts.clear();
    this.#newest = after.scene.sequence;
    const views = [before.view.key, after.view.key];
    const key = JSON.stringify([before.scene.sequence, ...views, after.cards !== undefined]);
    let text = this.#texts.get(key);
    if (text === undefined) this.#texts.set(key, (text = JSON.stringify(frameFrom(before, after))));
    return text;
  }
}

function frameFrom(before: SentState, after: SentState): DeltaFrame {
  const frame = diffState(before, after);
  const cards = diffCards(before.cards ?? [], after.cards ?? []);
  return cards ? { ...frame, cards } : frame;
}

function firstState(state: SentState): string {
  const { scene, cards } = state;
  return JSON.stringify({ type: "state", panes: sceneOf(state).panes, hosts: scene.hosts, cards });
}

function viewOf(message: string | Uint8Array): KeyedView | null {
  if (typeof message !== "string") return null;
  const frame = ViewFrame.safeParse(parseJson(message));
  if (!frame.success) return null;
  const { styles, ids } = frame.data;
  const sorted = [...new Set(ids)].sort();
  return { ids: new Set(sorted), styles, key: JSON.stringify([styles, ...sorted]) };
}
