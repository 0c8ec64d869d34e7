import { sha256 } from "../../lib/digest.ts";
import type { NativeAgent, PaneCapabilities } from "../../protocol/pane.ts";
import type { ListedPane } from "../provider.ts";
import { SAFE_KEYS } from "./send.ts";
import type { WireAgent, WirePane } from "./wire.ts";
import { type Handle, routeKey, type SnapshotPane } from "./snapshot.ts";

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
  /** Tells this server's socket from every other. */
  socketKey: string;
  steps: RevisionSteps;
  /** Name of the foreground process; "" while it is not known. */
  program: string;
  columns: number;
}

/** One pane in the port's terms; nothing of the tool's own ids leaves through it. */
export function listedPane(facts: ListedFacts): ListedPane {
  const { at, handle, steps, session } = facts;
  const { wire } = at;
  const title = wire.terminal_title ?? "";
  const position = at.index + 1;
  const opaque = (kind: string, id: string) => `${kind}:${digest(facts.socketKey, session, id)}`;
  return {
    id: handle.id,
    // A terminal stays itself wherever it is moved, and is another one after a restart.
    identity: digest(facts.socketKey, at.route.terminal),
    incarnation: String(steps.incarnation),
    revision: revisionOf(facts),
    target: handle.target,
    title,
    command: wire.agent ?? facts.program,
    cwd: wire.foreground_cwd ?? wire.cwd ?? "",
    isCreatedHere: false,
    hasProgress: false,
    window: at.tabLabel,
    width: facts.columns,
    height: wire.scroll?.viewport_rows ?? 0,
    // Not told, and no read depends on it.
    alternate: false,
    cursor: null,
    hierarchy: [
      { kind: "session", id: opaque("session", session), label: session, position: null },
      {
        kind: "workspace",
        id: opaque("workspace", at.route.workspace),
        label: at.workspaceLabel,
        position: at.workspaceIndex + 1,
      },
      {
        kind: "tab",
        id: opaque("tab", at.route.tab),
        label: at.tabLabel,
        position: at.tabNumber,
      },
      {
        kind: "pane",
        id: opaque("pane", at.route.pane),
        label: wire.label || title || String(position),
        position,
      },
    ],
    names: {
      session: at.workspaceLabel,
      window: at.tabLabel,
      windowIndex: at.tabLabel || String(at.tabNumber),
      paneIndex: wire.label || String(position),
    },
    capabilities: CAPABILITIES,
    native: nativeOf(wire, at.agent),
  };
}

function revisionOf({ at, socketKey, session, steps }: ListedFacts): string {
  const { incarnation, unexplained, group } = steps;
  const facts = [socketKey, session, routeKey(at.route), incarnation, unexplained, group];
  return `r:${digest(...facts.map(String))}`;
}

function nativeOf(wire: WirePane, agent: WireAgent | null): NativeAgent {
  const isPresent = typeof wire.agent === "string" && wire.agent !== "";
  return {
    present: isPresent,
    kind: isPresent ? (wire.agent ?? null) : null,
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
  /** Its title was seen to change. */
  isBlinking: boolean;
  /** Steps of the tool's revision that neither a title nor a token explains. */
  unexplained: number;
  /** How often another program was seen to take the pane over. */
  incarnation: number;
  /** The foreground process group of its agent; null where it is not known. */
  group: number | null;
  agent: string;
}

export interface RevisionInput {
  wire: Pick<WirePane, "revision" | "terminal_title_stripped" | "tokens" | "agent">;
  /** Undefined: not asked for this time. */
  group: number | null | undefined;
}

/**
 * What an answer is bound to beside the route. The tool's own revision rises with every title, and
 * an agent that waits may change its title each second: those steps do not count. Another agent, or
 * another process of it, counts as a new incarnation.
 */
export function nextRevision(
  before: RevisionSteps | null,
  { wire, group }: RevisionInput,
): RevisionSteps {
  const title = wire.terminal_title_stripped ?? "";
  const tokens = JSON.stringify(wire.tokens ?? null);
  const agent = wire.agent ?? "";
  const { revision } = wire;
  if (!before)
    return {
      ...{ revision, title, tokens, agent },
      isBlinking: false,
      unexplained: 0,
      incarnation: 0,
      group: group ?? null,
    };
  const isRenamed = before.title !== title;
  const isExplained = isRenamed || before.tokens !== tokens;
  const steps = revision - before.revision;
  // Away and back again between two looks: an even number of steps, and the same title as before.
  const hasBlinked = before.isBlinking && steps > 0 && steps % 2 === 0;
  const isCounted = steps !== 0 && !isExplained && !hasBlinked;
  const isOther = before.agent !== agent || isOtherGroup(before.group, group);
  return {
    ...{ revision, title, tokens, agent },
    isBlinking: before.isBlinking || isRenamed,
    unexplained: before.unexplained + (isCounted ? Math.abs(steps) : 0),
    incarnation: before.incarnation + (isOther ? 1 : 0),
    group: group === undefined || group === null ? before.group : group,
  };
}

function isOtherGroup(before: number | null, now: number | null | undefined): boolean {
  return before !== null && now !== null && now !== undefined && before !== now;
}
