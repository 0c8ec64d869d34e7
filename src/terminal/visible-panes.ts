import type { PaneOverride } from "../protocol/config.ts";
import type { PaneCapabilities, PaneState } from "../protocol/pane.ts";
import { type Publication, sameList } from "./hub.ts";
import { NO_NOTES } from "./pane-notes.ts";
import type { PaneRecord, PassRules } from "./record.ts";

export interface VisibilityRules {
  auto_discover: boolean;
  include_shells: boolean;
}

export type VisiblePanes = Pick<Publication, "panes" | "sights">;

interface VisibleContext extends Pick<PassRules, "overrides" | "host"> {
  at: number;
  rules: VisibilityRules;
  provider: string;
}

/**
 * The listed panes that the settings show, then an offline placeholder for every configured target
 * that is not listed. An unchanged placeholder stays the same object.
 */
export function visiblePanes(
  records: readonly Pick<PaneRecord, "pane" | "state" | "lines">[],
  before: VisiblePanes,
  context: VisibleContext,
): VisiblePanes {
  const { overrides, rules } = context;
  const known = new Map(before.panes.map((state) => [state.id, state]));
  const sights = records.map(({ pane, state, lines }) => {
    const { identity, target, isCreatedHere } = pane;
    const isShown = isCreatedHere || overrides.has(target) || isDiscovered(state, rules);
    return { identity, pane, state, lines, isShown };
  });
  const targets = new Set(records.map(({ pane }) => pane.target));
  const absent = [...overrides.values()]
    .filter(({ target }) => !targets.has(target))
    .map((each) => placeholder(each, known.get(placeholderId(each.target)), context));
  const shown = sights.filter(({ isShown }) => isShown).map(({ state }) => state);
  return { panes: sameList(before.panes, [...shown, ...absent]), sights };
}

function isDiscovered({ kind, status }: PaneState, rules: VisibilityRules): boolean {
  if (!rules.auto_discover) return false;
  return kind !== "shell" || rules.include_shells || status === "needs_input";
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

function placeholderId(target: string): string {
  return `cfg:${target}`;
}

function placeholder(
  override: PaneOverride,
  before: PaneState | undefined,
  { at, provider, host }: VisibleContext,
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
    about: null,
    cut: null,
    risk: null,
    legacy_guard: null,
    finished_at: null,
    parked: null,
    context_percent: null,
    ...NO_NOTES,
    reason: "placeholder",
  };
}
