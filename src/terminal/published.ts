import type { PaneOverride } from "../protocol/config.ts";
import type { PaneCapabilities, PaneState } from "../protocol/pane.ts";

interface ShownRules {
  auto_discover: boolean;
  include_shells: boolean;
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
  { at, provider }: Absence,
): PaneState {
  const { target, star } = override;
  const name = override.name || target;
  const kind = override.kind ?? "generic";
  if (before && before.name === name && before.kind === kind && before.starred === star)
    return before;
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
    legacy_guard: null,
    finished_at: null,
    reason: "placeholder",
  };
}
