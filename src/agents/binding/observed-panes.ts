import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import type { Clock } from "../../lib/clock.ts";
import { atDisk, expandPath } from "../../lib/inside.ts";
import type { Log } from "../../lib/log.ts";
import { AgentRuntime } from "../../protocol/agents.ts";
import type { PaneState } from "../../protocol/pane.ts";
import type { PaneProcess } from "../../terminal/provider.ts";
import type { PaneSight } from "../../terminal/transitions.ts";
import type { CandidatePane } from "./binding.ts";
import {
  claimsOf,
  isRunning,
  ownProcesses,
  type ProcessFacts,
  readProcesses,
  readStatusFiles,
  readVariables,
  type StatusFile,
  withOpenFiles,
} from "./processes.ts";
import { parseConversation } from "./conversation.ts";

/** Processes are read again after this time: their session may have moved on. */
const FACTS_SECONDS = 2;

const HOME_VARIABLES: Readonly<Record<AgentRuntime, string>> = {
  agent_a: "CLAUDE_CONFIG_DIR",
  agent_b: "CODEX_HOME",
};

export interface ObservedPane extends CandidatePane {
  identity: string;
  state: PaneState;
  /** Data folder that its process was given in the environment; null for the usual one. */
  home: string | null;
}

interface ObservedPanesDeps {
  /** Nearest first. */
  processes(paneId: string): Promise<readonly PaneProcess[]>;
  /** Home of agent_a, the one runtime that writes status files; null when it cannot be read. */
  statusHome(): string | null;
  clock: Pick<Clock, "monotonic">;
  log: Pick<Log, "warn">;
}

/** Identity of the pane, number and start of the agent's process, its folder. */
type Incarnation = [string, number | null, string | number | null, string];

interface PaneFacts {
  /** Monotonic seconds. */
  readAt: number;
  processes: readonly ProcessFacts[];
  home: string | null;
  userHome: string | null;
  statusFiles: readonly StatusFile[];
}

interface KnownPane {
  pane: ObservedPane;
  facts: PaneFacts;
}

export class ObservedPanes {
  readonly #deps: ObservedPanesDeps;
  #known = new Map<string, KnownPane>();
  #listed: ReadonlySet<string> = new Set();
  /** An error is logged once: it mostly concerns all panes. */
  #hasFailed = false;

  constructor(deps: ObservedPanesDeps) {
    this.#deps = deps;
  }

  /** A pane that could not be captured stays as it was: a failed capture proves nothing. */
  async read(sights: readonly PaneSight[]): Promise<ObservedPane[]> {
    this.#listed = new Set(sights.map(({ identity }) => identity));
    const known = await Promise.all(
      sights.map((sight) => {
        const runtime = runtimeOf(sight.state);
        return runtime === null ? null : this.#observe(sight, runtime);
      }),
    );
    const observed = known.filter((each) => each !== null);
    this.#known = new Map(observed.map((each) => [each.pane.identity, each]));
    return observed.map(({ pane }) => pane);
  }

  /** Whether, read anew, the same process runs there and names the same session. */
  async isStill(pane: ObservedPane): Promise<boolean> {
    const facts = await this.#tryGather(pane.id, pane.runtime);
    if (!facts) return false;
    const now = await paneOf(pane, facts);
    return (
      now.incarnation === pane.incarnation &&
      now.claims.status?.sessionId === pane.claims.status?.sessionId
    );
  }

  /** Whether its program still runs; where the pid is unknown, whether its pane is there. */
  isRunning(incarnation: string | null): boolean {
    if (incarnation === null) return false;
    const [identity, pid, start] = JSON.parse(incarnation) as Incarnation;
    return pid === null ? this.#listed.has(identity) : isRunning(pid, start);
  }

  async #observe({ identity, state }: PaneSight, runtime: AgentRuntime): Promise<KnownPane | null> {
    const known = this.#known.get(identity) ?? null;
    if (state.stale) return known;
    const isRecent = known && this.#deps.clock.monotonic() - known.facts.readAt < FACTS_SECONDS;
    if (isRecent && known.pane.state === state) return known;
    const facts = isRecent ? known.facts : await this.#tryGather(state.id, runtime);
    if (!facts) return known;
    // The same object until something differs: the binder then need not match again.
    const isSame =
      known?.pane.state === state &&
      Bun.deepEquals(known.facts.processes, facts.processes) &&
      Bun.deepEquals(known.facts.statusFiles, facts.statusFiles);
    const pane = isSame ? known.pane : await paneOf({ identity, state, runtime }, facts);
    return { pane, facts };
  }

  /** Null where the processes could not be listed, which proves nothing. */
  async #tryGather(id: string, runtime: AgentRuntime): Promise<PaneFacts | null> {
    try {
      return await this.#gather(id, runtime);
    } catch (error) {
      if (!this.#hasFailed) this.#deps.log.warn(`the processes of ${id} cannot be read: ${error}`);
      this.#hasFailed = true;
      return null;
    }
  }

  async #gather(id: string, runtime: AgentRuntime): Promise<PaneFacts> {
    const processes = await readProcesses(await this.#deps.processes(id));
    const [agent] = ownProcesses(processes);
    const variables = [HOME_VARIABLES[runtime], "HOME"];
    const [home = null, userHome = null] = agent ? await readVariables(agent.pid, variables) : [];
    const statusHome = runtime === "agent_a" ? (home ?? this.#deps.statusHome()) : null;
    const pids = processes.map(({ pid }) => pid);
    const statusFiles = statusHome === null ? [] : await readStatusFiles(statusHome, pids);
    const readAt = this.#deps.clock.monotonic();
    if (statusFiles.length > 0) return { readAt, home, userHome, processes, statusFiles };
    const held = await withOpenFiles(ownProcesses(processes));
    return { readAt, home, userHome, processes: held, statusFiles };
  }
}

async function paneOf(
  { identity, state, runtime }: Pick<ObservedPane, "identity" | "state" | "runtime">,
  { processes, statusFiles, home, userHome: processHome }: PaneFacts,
): Promise<ObservedPane> {
  const [agent] = ownProcesses(processes);
  const folder = await realFolder(agent?.cwd ?? state.cwd);
  const isAtRest = state.status === "idle" && state.question === null;
  const conversation = parseConversation(state.lines, runtime, isAtRest);
  // The environment of another user's process cannot be read, nor any outside of Linux.
  const userHome = processHome ?? homedir();
  const drawn = conversation.folder === null ? null : expandPath(conversation.folder, userHome);
  return {
    id: state.id,
    identity,
    target: state.target,
    name: state.name,
    state,
    home,
    runtime,
    folder,
    userHome,
    drawnFolder: drawn === null ? null : await realFolder(drawn),
    incarnation: JSON.stringify([
      identity,
      agent?.pid ?? null,
      agent?.startTicks ?? agent?.startedAt ?? null,
      folder,
    ] satisfies Incarnation),
    startedAt: agent?.startedAt ?? null,
    claims: claimsOf(runtime, processes, statusFiles),
    conversation,
    isAtRest,
  };
}

function runtimeOf({ kind, status }: PaneState): AgentRuntime | null {
  if (status === "offline") return null;
  return AgentRuntime.options.find((runtime) => runtime === kind) ?? null;
}

/** With links resolved; unchanged where they cannot be read. */
export function realFolder(path: string): Promise<string> {
  return atDisk(path, () => realpath(path)).catch(() => path);
}
