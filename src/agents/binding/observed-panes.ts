import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { expandPath } from "../../lib/inside.ts";
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
import { parseConversation } from "./screen-words.ts";

/** Processes tell of sessions that move on: looked at again after this time. */
const FACTS_SECONDS = 2;

/** Where a program is told to keep its data. */
const HOME_VARIABLES: Readonly<Record<AgentRuntime, string>> = {
  agent_a: "CLAUDE_CONFIG_DIR",
  agent_b: "CODEX_HOME",
};

export interface ObservedPane extends CandidatePane {
  identity: string;
  state: PaneState;
  /** Data folder that its program was told of; null for the usual one. */
  home: string | null;
}

interface ObservedPanesDeps {
  /** Nearest first. */
  processes(paneId: string): Promise<readonly PaneProcess[]>;
  /** Folder of the one runtime that writes status files; null when it may not be read. */
  statusHome(): string | null;
  /** Seconds that only grow. */
  monotonic(): number;
  log: Pick<Log, "warn">;
}

/** Identity of the pane, number and start of the agent's process, its folder. */
type Incarnation = [string, number | null, string | number | null, string];

interface Facts {
  readAt: number;
  processes: readonly ProcessFacts[];
  home: string | null;
  userHome: string | null;
  statusFiles: readonly StatusFile[];
}

interface Known {
  pane: ObservedPane;
  facts: Facts;
}

export class ObservedPanes {
  readonly #deps: ObservedPanesDeps;
  #known = new Map<string, Known>();
  #listed: ReadonlySet<string> = new Set();
  /** That processes cannot be read is logged once: it mostly fails for all panes. */
  #hasFailed = false;

  constructor(deps: ObservedPanesDeps) {
    this.#deps = deps;
  }

  /** A pane that could not be captured stays as it was: a failure proves nothing. */
  async read(sights: readonly PaneSight[]): Promise<ObservedPane[]> {
    this.#listed = new Set(sights.map(({ identity }) => identity));
    const known = await Promise.all(
      sights.map((sight) => {
        const runtime = runtimeOf(sight.state);
        return runtime === null ? null : this.#observe(sight, runtime);
      }),
    );
    const found = known.filter((each) => each !== null);
    this.#known = new Map(found.map((each) => [each.pane.identity, each]));
    return found.map(({ pane }) => pane);
  }

  /** Whether the same process runs there at this moment, with the same word of its session. */
  async isStill(pane: ObservedPane): Promise<boolean> {
    const facts = await this.#tryGather(pane.id, pane.runtime);
    if (!facts) return false;
    const now = await paneOf(pane, facts);
    return (
      now.incarnation === pane.incarnation &&
      now.claims.status?.sessionId === pane.claims.status?.sessionId
    );
  }

  /**
   * Whether the program of an incarnation runs still, be it stopped or out of sight; where nobody
   * knows its number, whether its pane is there.
   */
  isRunning(incarnation: string | null): boolean {
    if (incarnation === null) return false;
    const [identity, pid, start] = JSON.parse(incarnation) as Incarnation;
    return pid === null ? this.#listed.has(identity) : isRunning(pid, start);
  }

  async #observe({ identity, state }: PaneSight, runtime: AgentRuntime): Promise<Known | null> {
    const known = this.#known.get(identity) ?? null;
    if (state.stale) return known;
    const isRecent = known && this.#deps.monotonic() - known.facts.readAt < FACTS_SECONDS;
    if (isRecent && known.pane.state === state) return known;
    const facts = isRecent ? known.facts : await this.#tryGather(state.id, runtime);
    if (!facts) return known;
    // The same object until something differs: whoever weighs panes can pass over it.
    const isSame = known?.pane.state === state && isEqual(known.facts, facts);
    const pane = isSame ? known.pane : await paneOf({ identity, state, runtime }, facts);
    return { pane, facts };
  }

  /** Null where the processes could not be listed, which proves nothing. */
  async #tryGather(id: string, runtime: AgentRuntime): Promise<Facts | null> {
    try {
      return await this.#gather(id, runtime);
    } catch (error) {
      if (!this.#hasFailed) this.#deps.log.warn(`the processes of ${id} cannot be read: ${error}`);
      this.#hasFailed = true;
      return null;
    }
  }

  async #gather(id: string, runtime: AgentRuntime): Promise<Facts> {
    const processes = await readProcesses(await this.#deps.processes(id));
    const [agent] = ownProcesses(processes);
    const variables = [HOME_VARIABLES[runtime], "HOME"];
    const [home = null, userHome = null] = agent ? await readVariables(agent.pid, variables) : [];
    const usual = runtime === "agent_a" ? this.#deps.statusHome() : null;
    const statusHome = runtime === "agent_a" ? (home ?? usual) : null;
    const pids = processes.map(({ pid }) => pid);
    const statusFiles = statusHome === null ? [] : await readStatusFiles(statusHome, pids);
    const readAt = this.#deps.monotonic();
    if (statusFiles.length > 0) return { readAt, home, userHome, processes, statusFiles };
    const held = await withOpenFiles(ownProcesses(processes));
    return { readAt, home, userHome, processes: held, statusFiles };
  }
}

function isEqual(before: Facts, now: Facts): boolean {
  return (
    Bun.deepEquals(before.processes, now.processes) &&
    Bun.deepEquals(before.statusFiles, now.statusFiles)
  );
}

async function paneOf(
  { identity, state, runtime }: Pick<ObservedPane, "identity" | "state" | "runtime">,
  { processes, statusFiles, home, userHome: toldHome }: Facts,
): Promise<ObservedPane> {
  const [agent] = ownProcesses(processes);
  const folder = await realFolder(agent?.cwd ?? state.cwd);
  const isAtRest = state.status === "idle" && state.question === null;
  const conversation = parseConversation(state.lines, runtime, isAtRest);
  // Of another person's process, and on other systems, it is not known.
  const userHome = toldHome ?? homedir();
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
    starts: agent?.startedAt == null ? [] : [agent.startedAt],
    claims: claimsOf(runtime, processes, statusFiles),
    conversation,
    isAtRest,
  };
}

function runtimeOf({ kind, status }: PaneState): AgentRuntime | null {
  if (status === "offline") return null;
  return AgentRuntime.options.find((runtime) => runtime === kind) ?? null;
}

/** Without links; as it is where it cannot be told. */
export function realFolder(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
