import { sha256 } from "../../lib/digest.ts";
import type { NativeAgent, PaneCapabilities } from "../../protocol/pane.ts";
import type { ListedPane } from "../provider.ts";
import { SAFE_KEYS } from "./send.ts";
import { type Handle, routeKey, type SnapshotPane } from "./snapshot.ts";
import type { WirePane } from "./wire.ts";

export const CAPABILITIES: PaneCapabilities = {
  capture: true,
  input: "guarded_v1",
  literal_text: true,
  menu_select: true,
  keys: [...SAFE_KEYS],
  broadcast: false,
  create: false,
  delete: false,
  native_agent_state: true,
};

interface ListedFacts {
  at: SnapshotPane;
  handle: Handle;
  session: string;
  socketKey: string;
  steps: RevisionSteps;
  /** Name of the foreground process; "" while it is not known. */
  program: string;
  columns: number;
}

/** A pane as the port lists it, without herdr's own ids. */
export function listedPane(facts: ListedFacts): ListedPane {
  const { at, handle, steps, session, socketKey } = facts;
  const { wire, tabLabel, workspaceLabel } = at;
  const { incarnation, unexplained, group } = steps;
  const title = wire.terminal_title ?? "";
  const position = at.index + 1;
  const node = (kind: "session" | "workspace" | "tab" | "pane", own: string, label: string) => ({
    ...{ kind, label },
    id: `${kind}:${digest(socketKey, session, own)}`,
  });
  const revision = [socketKey, session, routeKey(wire), incarnation, unexplained, group];
  return {
    id: handle.id,
    // A terminal keeps its id wherever it is moved, and has another one after a restart.
    identity: digest(socketKey, wire.terminal_id),
    revision: `r:${digest(...revision.map(String))}`,
    target: handle.target,
    title,
    command: wire.agent ?? facts.program,
    cwd: wire.foreground_cwd ?? wire.cwd ?? "",
    isCreatedHere: false,
    hasProgress: false,
    hasEnded: false,
    window: tabLabel,
    width: facts.columns,
    height: wire.scroll?.viewport_rows ?? 0,
    // herdr does not tell.
    alternate: false,
    cursor: null,
    hierarchy: [
      { ...node("session", session, session), position: null },
      { ...node("workspace", wire.workspace_id, workspaceLabel), position: at.workspaceIndex + 1 },
      { ...node("tab", wire.tab_id, tabLabel), position: at.tabNumber },
      { ...node("pane", wire.pane_id, wire.label || title || String(position)), position },
    ],
    names: {
      session: workspaceLabel,
      windowIndex: tabLabel || String(at.tabNumber),
      paneIndex: wire.label || String(position),
    },
    capabilities: CAPABILITIES,
    native: nativeOf(at),
  };
}

function nativeOf({ wire, agent }: SnapshotPane): NativeAgent {
  return {
    present: Boolean(wire.agent),
    kind: wire.agent || null,
    name: agent?.name ?? null,
    status: wire.agent_status,
    state_change_seq: agent?.state_change_seq ?? null,
    interactive_ready: agent?.interactive_ready ?? null,
  };
}

function digest(...parts: readonly string[]): string {
  return sha256(parts.join("\0")).toString("base64url").slice(0, 32);
}

export interface RevisionSteps {
  revision: number;
  title: string;
  tokens: string;
  agent: string;
  isBlinking: boolean;
  /** Steps of herdr's revision that neither a title nor a token explains. */
  unexplained: number;
  incarnation: number;
  /** The foreground process group; null where it is not known. */
  group: number | null;
}

export interface RevisionInput {
  wire: Pick<WirePane, "revision" | "terminal_title_stripped" | "tokens" | "agent">;
  /** Null: not read this time. */
  group?: number | null | undefined;
}

/**
 * What an answer is bound to besides the route. herdr's own revision rises with every title, and an agent
 * that waits may change its title each second: those steps do not count. Another agent, or another process
 * of it, is a new incarnation.
 */
export function nextRevision(
  before: RevisionSteps | null,
  { wire, group = null }: RevisionInput,
): RevisionSteps {
  const now = {
    revision: wire.revision,
    title: wire.terminal_title_stripped ?? "",
    tokens: JSON.stringify(wire.tokens ?? null),
    agent: wire.agent ?? "",
    group: group ?? before?.group ?? null,
  };
  if (!before) return { ...now, isBlinking: false, unexplained: 0, incarnation: 0 };
  const isRenamed = before.title !== now.title;
  const isExplained = isRenamed || before.tokens !== now.tokens;
  const steps = now.revision - before.revision;
  // The title changed and changed back between two passes: an even number of steps, the same title.
  const hasBlinked = before.isBlinking && steps > 0 && steps % 2 === 0;
  const isOther =
    before.agent !== now.agent || (before.group !== null && before.group !== now.group);
  return {
    ...now,
    isBlinking: before.isBlinking || isRenamed,
    unexplained: before.unexplained + (isExplained || hasBlinked ? 0 : Math.abs(steps)),
    incarnation: before.incarnation + Number(isOther),
  };
}
