import { jsonWithEtag } from "../lib/json-with-etag.ts";
import type { About } from "../protocol/act.ts";
import {
  cardKeyOf,
  cardPlaceOf,
  rankOf,
  screenNeedOf,
  type ScreenNeed,
  type CardSubject,
  subjectsOf,
} from "./card-place.ts";
import type { ContextDelta, DecisionItem } from "../protocol/agents.ts";
import type { Card, CardAgent, CardLine, CardNews, CardsReply } from "../protocol/cards.ts";
import type { PaneState } from "../protocol/pane.ts";
import type { ReviewGroup } from "../protocol/review.ts";
import type { Handlers, Slice } from "../slice.ts";
import { sameList, type Snapshot } from "../terminal/hub.ts";

interface CardsDeps {
  hub: { readonly current: Pick<Snapshot, "at" | "panes" | "sights"> };
  /** The same list until it changes; empty while the workspace is off. */
  groups: () => readonly ReviewGroup[];
}

export class Cards {
  readonly #deps: CardsDeps;
  #list: CardList = NO_CARDS;
  readonly #bySnapshot = new WeakMap<object, readonly Card[]>();

  constructor(deps: CardsDeps) {
    this.#deps = deps;
  }

  get current(): readonly Card[] {
    return this.#update().cards;
  }

  /** The same for all who get this snapshot: later work of agents comes with the next one. */
  at(snapshot: object): readonly Card[] {
    const cards = this.#bySnapshot.get(snapshot) ?? this.current;
    this.#bySnapshot.set(snapshot, cards);
    return cards;
  }

  /** The cards that alerts are drawn from. */
  get ofScreens(): readonly ScreenCard[] {
    const { sights } = this.#deps.hub.current;
    const identities = new Map(sights.map(({ state, identity }) => [state.id, identity]));
    return [...this.#update().rows.values()].flatMap(({ pane, card }) => {
      const need = pane && screenNeedOf(pane);
      const identity = pane && identities.get(pane.id);
      return card && need && identity ? { card, need, pane, identity } : [];
    });
  }

  get waiting(): number {
    return this.current.filter(({ section }) => section === "waiting").length;
  }

  #update(): CardList {
    const { hub, groups } = this.#deps;
    const { at, panes } = hub.current;
    this.#list = makeCards({ panes, groups: groups(), now: at }, this.#list);
    return this.#list;
  }
}

export function cardsSlice(cards: Cards): Slice {
  const routes: Handlers = {
    "GET /api/cards": (c) => jsonWithEtag(c.req.raw, { cards: cards.current } satisfies CardsReply),
    "GET /api/waiting": (c) => c.json({ waiting: cards.waiting }),
  };
  return { name: "cards", routes, capabilities: () => ({ cards_v1: { version: 1 } }) };
}

interface CardFacts {
  readonly panes: readonly PaneState[];
  readonly groups: readonly ReviewGroup[];
  readonly now: number;
}

/** A card that a pane's screen asks for, also after the list has dropped it for its age. */
export interface ScreenCard {
  readonly card: Card;
  readonly need: ScreenNeed;
  readonly pane: PaneState;
  /** Of the pane and its process, since pane ids are reused. */
  readonly identity: string;
}

interface Row extends CardSubject {
  readonly card: Card | null;
  /** Epoch seconds from which on the card is not listed. */
  readonly until: number;
}

interface CardList {
  readonly cards: readonly Card[];
  readonly panes: CardFacts["panes"];
  readonly groups: CardFacts["groups"];
  /** Epoch seconds at which the first card ends by its age. */
  readonly until: number;
  readonly rows: ReadonlyMap<string, Row>;
}

const NO_CARDS: CardList = {
  cards: [],
  panes: [],
  groups: [],
  until: Infinity,
  rows: new Map(),
};

/** A pane that finished is listed this long, unless it has changes to review. */
const FINISHED_SECONDS = 3600;

/** Of the news and of the known facts each. */
const MAX_LINES = 4;

/** The ranked cards of a snapshot. An unchanged card is the same object as before. */
export function makeCards(facts: CardFacts, before: CardList = NO_CARDS): CardList {
  const { panes, groups, now } = facts;
  const isSame = before.panes === panes && before.groups === groups && now < before.until;
  if (isSame) return before;
  const rows = new Map<string, Row>();
  for (const subject of subjectsOf(panes, groups)) {
    const key = cardKeyOf(subject);
    const known = before.rows.get(key);
    const isKnown = known?.pane === subject.pane && known.group === subject.group;
    rows.set(key, isKnown ? known : rowOf(key, subject, known?.card ?? null));
  }
  const listed = [...rows.values()].filter((row) => now < row.until);
  const cards = listed.flatMap(({ card }) => card ?? []).sort(byRank);
  const until = Math.min(...listed.map((row) => row.until));
  return { cards: sameList(before.cards, cards), panes, groups, until, rows };
}

const byRank = (a: Card, b: Card) => a.rank - b.rank || (a.key < b.key ? -1 : 1);

function rowOf(key: string, subject: CardSubject, before: Card | null): Row {
  const next = cardOf(key, subject);
  const card = Bun.deepEquals(before, next) ? before : next;
  const isPassing = card?.section === "finished" && !subject.group?.has_changes;
  const until = isPassing ? card.since + FINISHED_SECONDS : Infinity;
  return { ...subject, card, until };
}

function cardOf(key: string, subject: CardSubject): Card | null {
  const place = cardPlaceOf(subject);
  if (place === null) return null;
  const { pane, group } = subject;
  const question = place.section === "waiting" ? questionOf(subject) : null;
  const news = group ? changeLines(group.changes) : [];
  return {
    ...{ key, ...place, rank: rankOf(place) },
    pane_id: pane?.id ?? null,
    agent_id: group?.agent_id ?? pane?.agent_id ?? null,
    host: pane?.host ?? null,
    title: pane?.name ?? (group ? titleOf(group) : ""),
    place: placeNameOf(pane),
    about: question?.about ?? pane?.about ?? null,
    lines: group ? linesOf(group) : [],
    asks: question && { decision_id: question.id, more: question.more },
    snapshot_id: group && isMarkable(group) ? group.as_of_snapshot_id : null,
    newer: news.length,
    news: news.slice(0, MAX_LINES),
    agent: group && agentOf(group),
  };
}

const agentOf = ({ agent, attention_reasons, ...group }: ReviewGroup): CardAgent => ({
  runtime: agent.runtime,
  lifecycle: agent.lifecycle,
  context_percent: agent.context_percent ?? null,
  parked: agent.parked ?? null,
  reviewed_at: group.reviewed_snapshot_at ?? group.reviewed_at,
  truncated: group.history_truncated,
  degraded: attention_reasons.includes("extraction_degraded"),
});

const titleOf = ({ agent }: ReviewGroup): string =>
  agent.title || agent.native_session_id || agent.id;

function placeNameOf(pane: PaneState | null): string {
  const nodes = pane?.hierarchy.filter(({ kind, label }) => kind !== "pane" && label !== "");
  return (nodes ?? []).map(({ label }) => label).join(" › ");
}

/** A prompt and a decision with equal fingerprint are one question; else the screen wins. */
function questionOf({ pane, group }: CardSubject) {
  const prompt = pane?.status === "needs_input" ? pane : null;
  const guard = prompt?.action_guard ?? prompt?.legacy_guard;
  const shown = guard?.prompt_fingerprint ?? null;
  const decisions = group?.decisions ?? [];
  const decision = decisions.find(
    (one) => prompt === null || (shown !== null && one.prompt_fingerprint === shown),
  );
  const more = decisions.length - (decision ? 1 : 0);
  return { id: decision?.id ?? null, more, about: decision ? aboutOf(decision, prompt) : null };
}

function aboutOf({ kind, title }: DecisionItem, prompt: PaneState | null): About | null {
  const isPlan = kind === "plan_approval";
  // The screen shows more of a prompt, but only the log tells for certain that it is a plan.
  if (prompt?.about && !isPlan) return prompt.about;
  const text = prompt?.question ?? title;
  return { kind: isPlan ? "plan" : "question", text, file: null, added: null, removed: null };
}

function linesOf({ agent: { context }, changes }: ReviewGroup): CardLine[] {
  const { goal, current_task, next_action, progress_summary, blockers } = context;
  const line = (kind: CardLine["kind"], text: string | null | undefined): CardLine[] =>
    text ? [{ kind, text }] : [];
  const lines = [
    ...line("blocked", blockers.at(-1)?.title),
    ...line("goal", goal),
    ...line("now", current_task),
    ...line("next", next_action),
    ...line("said", progress_summary),
    ...line("done", changes.completed?.at(-1)?.title),
  ];
  return lines.slice(0, MAX_LINES);
}

const isMarkable = ({ has_changes, attention_reasons: reasons }: ReviewGroup): boolean =>
  has_changes || reasons.includes("agent_error") || reasons.includes("extraction_degraded");

/** The changes that need a person come first. */
function changeLines(changes: ContextDelta): CardNews[] {
  const each = (kind: CardNews["kind"], items: readonly { title: string }[] | undefined) =>
    (items ?? []).map(({ title }) => ({ kind, text: title }));
  const moved = (kind: CardNews["kind"], to: string | null | undefined) =>
    to ? [{ kind, text: to }] : [];
  return [
    ...each("blocked", changes.new_blockers),
    ...moved("goal", changes.goal_changed?.to),
    ...each("decided", changes.decisions_resolved),
    ...each("unblocked", changes.resolved_blockers),
    ...(changes.lifecycle_changed?.to === "completed"
      ? [{ kind: "finished" as const, text: "" }]
      : []),
    // Newest first.
    ...each("done", changes.completed).reverse(),
    ...moved("now", changes.current_task_changed?.to),
    ...moved("next", changes.next_action_changed?.to),
  ];
}
