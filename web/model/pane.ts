import type { SeenNativeAgent, SeenPane } from "../../src/protocol/tolerant.ts";

export type Pane = Readonly<SeenPane>;
export type MenuOption = Pane["menu"][number];

export type Appearance =
  | "needs_input"
  | "error"
  | "parked"
  | "working"
  | "finished"
  | "idle"
  | "offline"
  | "stale"
  | "unknown";

const PROVIDERS: ReadonlySet<string> = new Set(["mux", "wsp"]);

/** The shape and colour of a pane's status; a pane that cannot be seen now looks stale first. */
export function appearanceOf(pane: Pane): Appearance {
  if (pane.status === "offline") return "offline";
  if (pane.stale) return "stale";
  if (isParked(pane)) return "parked";
  return isDone(pane) ? "finished" : pane.status;
}

export const isAgent = (pane: Pane): boolean =>
  pane.agent !== null || (pane.kind !== "shell" && pane.kind !== "generic");
export const isPlaceholder = (id: string): boolean => id.startsWith("cfg:");
export const isGuarded = (pane: Pane): boolean => pane.capabilities.input === "guarded_v1";
export const waits = (pane: Pane): boolean => pane.status === "needs_input";
/** It waits for one of its options, and not for a line. */
export const asks = (pane: Pane): boolean => waits(pane) && pane.menu.length > 0;
/** A limit of use has ended its turn. */
export const isParked = (pane: Pane): boolean => pane.parked !== null;
/** An agent has worked and is done, and nobody has looked since. */
export const isDone = (pane: Pane): boolean => pane.status === "idle" && pane.finished_at !== null;
export const failed = (pane: Pane): boolean => pane.status === "error";

/** Whether this pane takes input at all; what has a word that is unknown here is read only. */
export function takesInput(pane: Pane): boolean {
  return (
    pane.actionable &&
    !pane.stale &&
    !isPlaceholder(pane.id) &&
    pane.status !== "unknown" &&
    pane.kind !== "unknown" &&
    pane.capabilities.input !== "unknown" &&
    PROVIDERS.has(pane.provider)
  );
}

/** Whether this option can be chosen here: a guarded pane wants the identity that it was shown with. */
export const canSelect = (pane: Pane, option: MenuOption): boolean =>
  takesInput(pane) &&
  pane.capabilities.menu_select &&
  (!isGuarded(pane) || (option.id !== undefined && pane.action_guard !== null));

/** Whether it takes an answer from here: one of its options, where it has any. */
export const isAnswerable = (pane: Pane): boolean =>
  takesInput(pane) &&
  (pane.menu.length === 0 || pane.menu.some((option) => canSelect(pane, option)));

export const takesKey = (pane: Pane, key: string): boolean =>
  takesInput(pane) &&
  pane.capabilities.keys.includes(key) &&
  (!isGuarded(pane) || pane.action_guard !== null);

/**
 * Whether an option is chosen and worded in one action. A guarded pane is asked for its words once
 * it shows the field for them: that is another screen, with another guard.
 */
export const asksForWords = (pane: Pane, option: MenuOption): boolean =>
  option.freeform && !isGuarded(pane);

type NativeWord = "idle" | "working" | "blocked";

const NATIVE_WORDS: Readonly<Record<SeenNativeAgent["status"], NativeWord | null>> = {
  idle: "idle",
  done: "idle",
  working: "working",
  blocked: "blocked",
  unknown: null,
};

/**
 * What the provider says the agent does, where it is not what the screen says; else null. Only the
 * screen is ever acted on.
 */
export function nativeDoubt(pane: Pane): NativeWord | null {
  const native = pane.native_agent;
  if (native === null || !native.present || pane.stale) return null;
  const said = NATIVE_WORDS[native.status];
  const shown = pane.status === "needs_input" ? "blocked" : pane.status;
  const isComparable = shown === "blocked" || shown === "idle" || shown === "working";
  return isComparable && said !== shown ? said : null;
}

export const canWrite = (pane: Pane): boolean =>
  takesInput(pane) &&
  pane.capabilities.literal_text &&
  (!isGuarded(pane) || pane.action_guard !== null);

const LETTERS: Readonly<Record<string, string>> = {
  agent_a: "Cl",
  agent_b: "Cx",
  agent_c: "Gk",
  agent_d: "Oc",
  agent_e: "Ag",
  shell: "$_",
  unknown: "?",
};

/** Of a known agent its own, of another one a shared colour, of a program or a shell none. */
export function tileTone(kind: string, isAgent: boolean): string {
  if (kind.startsWith("agent_") && kind in LETTERS) return kind;
  return isAgent ? "agent" : "";
}

export const tileLetters = (pane: Pane): string =>
  kindLetters(pane.kind, pane.agent?.label ?? pane.command);

/** Fixed for known kinds, else the first letter of the label and its next consonant. */
export function kindLetters(kind: string, label: string): string {
  const fixed = LETTERS[kind];
  if (fixed !== undefined) return fixed;
  const letters = [...label.normalize("NFKD")].filter((c) => /[\p{L}\p{N}]/u.test(c));
  const [first, ...rest] = letters;
  if (first === undefined) return "··";
  const second = rest.find((c) => !/[aeiou]/i.test(c)) ?? rest[0] ?? "";
  return first.toUpperCase() + second.toLowerCase();
}

/** What runs in the pane, for people: the recognised program, else the label of its kind. */
export function programLabel(pane: Pane, labels: Readonly<Record<string, string>>): string {
  if (pane.agent !== null) return pane.agent.label;
  if (pane.kind === "generic") return pane.command;
  return labels[pane.kind] ?? pane.raw_kind ?? pane.kind;
}

/** Outermost first. */
export function placeOf(pane: Pane): readonly string[] {
  const nodes = pane.hierarchy.filter((node) => node.kind !== "pane");
  return nodes.map((node) => node.label).filter((label) => label !== "");
}

/**
 * A pane that nobody has named is called by its positions, `work:0:0`, which only tmux reads: here it is
 * called by what its session and its window are called.
 */
export function withPlainName(pane: Pane): Pane {
  const [session, window, own] = ["session", "window", "pane"].map((kind) =>
    pane.hierarchy.find((node) => node.kind === kind),
  );
  if (!session?.label || !window || !own) return pane;
  if (pane.name !== `${session.label}:${window.position}:${own.position}`) return pane;
  const further = own.position === 0 ? "" : ` ${own.position}`;
  return { ...pane, name: placeOf(pane).join(" › ") + further };
}
