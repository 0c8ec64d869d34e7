import type { Act } from "../protocol/act.ts";
import type { PaneOverride } from "../protocol/config.ts";
import type { ContinueThen, PaneCapabilities, PaneState, Queued } from "../protocol/pane.ts";
import { DoneMarks } from "./done-marks.ts";
import type { Attention } from "./finished.ts";
import { staleState } from "./pane-state.ts";
import type { ListedPane } from "./provider.ts";
import type { Round } from "./round.ts";
import type { PaneSight } from "./transitions.ts";

export interface ShownRules {
  auto_discover: boolean;
  include_shells: boolean;
}

export interface PublishedDeps {
  provider: { info: { id: string } };
  /** What is known of a listed pane. */
  stateOf: (pane: ListedPane) => PaneState | undefined;
  /** What is to be sent to a pane by itself; undefined for nearly all. */
  continueThen?: ((identity: string) => ContinueThen | undefined) | undefined;
  /** How many messages wait for it; undefined for nearly all. */
  queued?: ((identity: string) => Queued | undefined) | undefined;
  /** What was sent to it of late; undefined for nearly all. */
  act?: ((identity: string) => Act | undefined) | undefined;
}

/** What is published: listed panes that the settings show, and configured targets that are absent. */
export class Published {
  readonly #deps: PublishedDeps;
  readonly #done = new DoneMarks();
  /** So that an unchanged pane stays the very same object. */
  readonly #withKept = new WeakMap<PaneState, PaneState>();
  #panes: readonly PaneState[] = [];
  #sights: readonly PaneSight[] = [];

  constructor(deps: PublishedDeps) {
    this.#deps = deps;
  }

  /** The same array while nothing in it differs. */
  get panes(): readonly PaneState[] {
    return this.#panes;
  }

  /** Of all listed panes, hidden ones too. */
  get sights(): readonly PaneSight[] {
    return this.#sights;
  }

  /** Somebody looks at this pane, or acts on it: that its agent is done is no news any more. */
  noticed({ identity }: ListedPane, attention: Partial<Attention>): void {
    this.#done.noticed(identity, attention);
  }

  /** After a good pass or look. */
  update(listed: readonly ListedPane[], rules: ShownRules, round: Round): void {
    const { overrides, at, host } = round;
    const seen = listed.flatMap((pane) => {
      const state = this.#deps.stateOf(pane);
      if (!state) return [];
      const { identity, id, target, isCreatedHere } = pane;
      const facts = { hasOverride: overrides.has(target), isCreatedHere };
      return [{ identity, id, target, state, isShown: isPublished(state, rules, facts) }];
    });
    this.#sights = this.#done.mark(round, seen).map((sight) => this.#keptWith(sight));
    const targets = new Set(listed.map(({ target }) => target));
    const absent = placeholders({
      overrides: overrides.values(),
      isListed: (target) => targets.has(target),
      before: this.#panes,
      at,
      provider: this.#deps.provider.info.id,
      host,
    });
    const shown = this.#sights.filter(({ isShown }) => isShown).map(({ state }) => state);
    this.#replace([...shown, ...absent]);
  }

  #keptWith(sight: PaneSight): PaneSight {
    const continue_then = this.#deps.continueThen?.(sight.identity) ?? null;
    const queued = this.#deps.queued?.(sight.identity) ?? null;
    const act = this.#deps.act?.(sight.identity) ?? null;
    if (continue_then === null && queued === null && act === null) return sight;
    const known = this.#withKept.get(sight.state);
    const isSame =
      known?.continue_then === continue_then && known.queued === queued && known.act === act;
    const state = isSame ? known : { ...sight.state, continue_then, queued, act };
    this.#withKept.set(sight.state, state);
    return { ...sight, state };
  }

  /** After a pass that failed: all stays as it was, stale. */
  fail(): void {
    this.#done.failed();
    this.#replace(this.#panes.map(staleState));
  }

  #replace(next: readonly PaneState[]): void {
    const before = this.#panes;
    const isSame = before.length === next.length && next.every((pane, at) => pane === before[at]);
    if (!isSame) this.#panes = next;
  }
}

/** Whether a listed pane is published. */
export function isPublished(
  { kind, status }: PaneState,
  rules: ShownRules,
  pane: { hasOverride: boolean; isCreatedHere: boolean },
): boolean {
  if (pane.hasOverride) return true;
  if (!rules.auto_discover) return false;
  if (kind !== "shell" || rules.include_shells) return true;
  return pane.isCreatedHere || status === "needs_input";
}

const NO_CAPABILITIES: PaneCapabilities = {
  capture: false,
  input: "legacy",
  literal_text: false,
  menu_select: false,
  keys: [],
  broadcast: false,
  create: false,
  delete: false,
  native_agent_state: false,
};

export interface Absence {
  overrides: Iterable<PaneOverride>;
  isListed: (target: string) => boolean;
  /** What is published now: a placeholder that is the same stays the same object. */
  before: readonly PaneState[];
  /** Epoch seconds. */
  at: number;
  provider: string;
  host?: string | null | undefined;
}

/** Offline states of configured targets that no listed pane has, in the order of the overrides. */
export function placeholders(absence: Absence): PaneState[] {
  const before = new Map(absence.before.map((state) => [state.id, state]));
  return [...absence.overrides]
    .filter(({ target }) => !absence.isListed(target))
    .map((override) => placeholder(override, before.get(placeholderId(override.target)), absence));
}

function placeholderId(target: string): string {
  return `cfg:${target}`;
}

function placeholder(
  override: PaneOverride,
  before: PaneState | undefined,
  { at, provider, host }: Absence,
): PaneState {
  const { target, star } = override;
  const name = override.name || target;
  const kind = override.kind ?? "generic";
  const isSame = before?.name === name && before.kind === kind && before.starred === star;
  if (isSame && before.host === host) return before;
  return {
    id: placeholderId(target),
    target,
    name,
    kind,
    status: "offline",
    title: "",
    question: null,
    menu: [],
    preview: [],
    lines: [],
    updated: 0,
    changed: false,
    window: "",
    starred: star,
    interacted: 0,
    provider,
    ...(host === undefined ? {} : { host }),
    hierarchy: [],
    capabilities: NO_CAPABILITIES,
    native_agent: null,
    action_guard: null,
    actionable: false,
    stale: true,
    agent: null,
    command: "",
    cwd: "",
    status_since: before?.status_since ?? at,
    prompt_since: null,
    evidence: [],
    cut: null,
    risk: null,
    legacy_guard: null,
    finished_at: null,
    parked: null,
    context_percent: null,
    continue_then: null,
    queued: null,
    act: null,
    reason: "placeholder",
  };
}
