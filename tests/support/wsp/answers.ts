import { bytesOfKey } from "./keys.ts";
import {
  numberOf,
  paneOf,
  type Pane,
  type PublicState,
  type Tab,
  type Workspace,
  type World,
} from "./world.ts";

/** A server's answer to one request, before it is framed. */
export type Answer =
  { result: Record<string, unknown> } | { error: { code: string; message: string } };

export interface Request {
  method: string;
  params: Record<string, unknown>;
}

export interface ServerFacts {
  world: World;
  version: string;
  protocol: number;
  capabilities: Record<string, boolean> | null;
  /** Reports a request that a watcher must never make. */
  violation(what: string): void;
}

const RANK: readonly PublicState[] = ["unknown", "idle", "working", "done", "blocked"];
/** The server's answer to a whole request. */
export function answer(server: ServerFacts, { method, params }: Request): Answer {
  const { world } = server;
  switch (method) {
    case "ping":
      return result("pong", {
        version: server.version,
        protocol: server.protocol,
        capabilities: server.capabilities,
      });
    case "session.snapshot":
      return result("session_snapshot", { snapshot: snapshotOf(server) });
    case "agent.send_keys":
      return sendAgentKeys(world, String(params.target), keysIn(params));
    default:
      return answerAboutPane(server, { method, params });
  }
}

function answerAboutPane(server: ServerFacts, { method, params }: Request): Answer {
  const { world } = server;
  const pane = world.find(String(params.pane_id));
  if (!pane) return missing(params.pane_id);
  switch (method) {
    case "pane.get":
      return result("pane_info", { pane: paneOf(world, pane) });
    case "pane.process_info":
      return result("pane_process_info", { process_info: processInfo(pane) });
    case "pane.read":
      return read(server, pane, params);
    case "pane.send_text":
      pane.type(String(params.text));
      return result("ok", {});
    case "pane.send_keys":
      return sendKeys(pane, keysIn(params));
    default:
      return { error: { code: "invalid_request", message: `unknown variant \`${method}\`` } };
  }
}

// The two kinds of reads that never reach a program.
function read(server: ServerFacts, pane: Pane, params: Record<string, unknown>): Answer {
  const { source, format = "text", lines } = params;
  const isDetection = source === "detection" && format === "text";
  if (!isDetection && (source !== "recent_unwrapped" || format !== "ansi")) {
    server.violation(`a read of ${pane.id}: ${String(source)} as ${String(format)}`);
    return { error: { code: "invalid_request", message: "not played" } };
  }
  const { screen, tab } = pane;
  const read = {
    ...{ pane_id: pane.id, workspace_id: tab.workspace.id, tab_id: tab.id, source, format },
    text: isDetection ? screen.detection() : screen.recent(Number(lines)),
    revision: 0,
    truncated: !isDetection && screen.historyRows > 0,
  };
  return result("pane_read", { read });
}

function sendKeys(pane: Pane, keys: readonly string[]): Answer {
  const bytes: string[] = [];
  for (const key of keys) {
    const found = bytesOfKey(key);
    if (found === null)
      return { error: { code: "invalid_key", message: `unsupported key ${key}` } };
    bytes.push(found);
  }
  pane.type(bytes.join(""));
  return result("ok", {});
}

// Unlike `pane send-keys` it checks the foreground process, and refuses keys that would reach a shell.
function sendAgentKeys(world: World, target: string, keys: readonly string[]): Answer {
  const pane = world.current(target);
  if (!pane || pane.agent === null) return noAgent(target);
  if (pane.isReported || pane.hasLostAgent)
    return {
      error: { code: "agent_not_ready", message: `agent ${target} is not an active named agent` },
    };
  return sendKeys(pane, keys);
}

export function snapshotOf({ world, version, protocol }: ServerFacts): Record<string, unknown> {
  const { focused } = world;
  return {
    version,
    protocol,
    ...(focused
      ? {
          focused_workspace_id: focused.tab.workspace.id,
          focused_tab_id: focused.tab.id,
          focused_pane_id: focused.id,
        }
      : {}),
    workspaces: world.workspaces.map((each) => workspaceOf(world, each)),
    tabs: world.workspaces.flatMap((each) => each.tabs.map((tab) => tabOf(world, tab))),
    panes: world.panes.map((pane) => paneOf(world, pane)),
    // Rectangles are not terminal sizes, and nothing reads them: they are not modelled.
    layouts: [],
    agents: agentsOf(world),
  };
}

function workspaceOf(world: World, workspace: Workspace): Record<string, unknown> {
  const panes = workspace.tabs.flatMap((tab) => tab.panes);
  const active = workspace.tabs.find((tab) => tab === world.focused?.tab) ?? workspace.tabs[0];
  return {
    workspace_id: workspace.id,
    number: world.workspaces.indexOf(workspace) + 1,
    label: workspace.label,
    focused: world.focused?.tab.workspace === workspace,
    pane_count: panes.length,
    tab_count: workspace.tabs.length,
    active_tab_id: active?.id ?? "",
    agent_status: highest(panes),
  };
}

function tabOf(world: World, tab: Tab): Record<string, unknown> {
  return {
    tab_id: tab.id,
    workspace_id: tab.workspace.id,
    number: numberOf(tab.id.slice(tab.id.indexOf(":t") + 2)),
    label: tab.label,
    focused: world.focused?.tab === tab,
    pane_count: tab.panes.length,
    agent_status: highest(tab.panes),
  };
}

function agentsOf(world: World): Record<string, unknown>[] {
  return world.panes.flatMap((pane) => (pane.agent === null ? [] : [agentOf(world, pane)]));
}

function agentOf(world: World, pane: Pane): Record<string, unknown> {
  const { label: _label, scroll: _scroll, ...rest } = paneOf(world, pane);
  return { ...rest, state_change_seq: pane.seq ?? 0 };
}

function processInfo(pane: Pane): Record<string, unknown> {
  return {
    pane_id: pane.id,
    shell_pid: pane.shellPid,
    foreground_process_group_id: pane.foreground.pgid,
    foreground_processes: pane.foreground.processes.map((process) => ({
      ...process,
      cmdline: process.argv.join(" "),
    })),
  };
}

function highest(panes: readonly Pane[]): PublicState {
  const ranks = panes.map((pane) => RANK.indexOf(pane.status));
  return RANK[Math.max(0, ...ranks)] ?? "unknown";
}

function keysIn({ keys }: Record<string, unknown>): string[] {
  return Array.isArray(keys) ? keys.map(String) : [];
}

function result(type: string, members: Record<string, unknown>): Answer {
  return { result: { type, ...members } };
}

function missing(id: unknown): Answer {
  return { error: { code: "pane_not_found", message: `pane ${String(id)} not found` } };
}

function noAgent(target: unknown): Answer {
  return {
    error: { code: "agent_not_found", message: `agent target ${String(target)} not found` },
  };
}
