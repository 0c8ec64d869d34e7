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

/** A pane that cannot be read now is stale, whatever it was. */
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
export const asks = (pane: Pane): boolean => waits(pane) && pane.menu.length > 0;
export const isParked = (pane: Pane): boolean => pane.parked !== null;
/** An agent has finished its turn, and nobody has looked since. */
export const isDone = (pane: Pane): boolean => pane.status === "idle" && pane.finished_at !== null;
export const failed = (pane: Pane): boolean => pane.status === "error";

/** A pane with a status, kind or provider that is unknown here is read only. */
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

/** A guarded pane needs the option's id and the guard that were shown. */
export const canSelect = (pane: Pane, option: MenuOption): boolean =>
  takesInput(pane) &&
  pane.capabilities.menu_select &&
  (!isGuarded(pane) || (option.id !== undefined && pane.action_guard !== null));

export const isAnswerable = (pane: Pane): boolean =>
  takesInput(pane) &&
  (pane.menu.length === 0 || pane.menu.some((option) => canSelect(pane, option)));

export const takesKey = (pane: Pane, key: string): boolean =>
  takesInput(pane) &&
  pane.capabilities.keys.includes(key) &&
  (!isGuarded(pane) || pane.action_guard !== null);

/**
 * Whether choosing the option sends its words too. A guarded pane is asked for words once it shows
 * the field: that is another screen, with another guard.
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
 * The state that the provider reports where it differs from the screen's, else null. Only the
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

/** A known agent has its own colour, other agents share one, programs and shells have none. */
export function tileTone(kind: string, isAgent: boolean): string {
  if (kind.startsWith("agent_") && kind in LETTERS) return kind;
  return isAgent ? "agent" : "";
}

export const tileLetters = (pane: Pane): string =>
  kindLetters(pane.kind, pane.agent?.label ?? pane.command);

/**
 * Two letters: fixed for known kinds, else the first letter and the next consonant of the label.
 */
export function kindLetters(kind: string, label: string): string {
  const fixed = LETTERS[kind];
  if (fixed !== undefined) return fixed;
  const letters = [...label.normalize("NFKD")].filter((c) => /[\p{L}\p{N}]/u.test(c));
  const [first, ...rest] = letters;
  if (first === undefined) return "··";
  const second = rest.find((c) => !/[aeiou]/i.test(c)) ?? rest[0] ?? "";
  return first.toUpperCase() + second.toLowerCase();
}

/** The name of the recognised program, else the label of its kind. */
export function programLabel(pane: Pane, labels: Readonly<Record<string, string>>): string {
  if (pane.agent !== null) return pane.agent.label;
  if (pane.kind === "generic") return pane.command;
  return labels[pane.kind] ?? pane.raw_kind ?? pane.kind;
}

export function placeOf(pane: Pane): readonly string[] {
  const nodes = pane.hierarchy.filter((node) => node.kind !== "pane");
  return nodes.map((node) => node.label).filter((label) => label !== "");
}

/**
 * tmux calls an unnamed pane by positions (`work:0:0`); here it is called by the labels of its
 * session and window.
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
