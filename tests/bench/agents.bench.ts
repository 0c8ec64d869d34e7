// What the agent workspace costs beside the watching, and how soon a line of a log is told.
import { AgentFeed } from "../../src/agents/feed.ts";
import { appendFileSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { AgentFrame } from "../../src/protocol/agent-replies.ts";
import { loadState, readSources } from "../../src/config/load.ts";
import { openMultiplexer } from "../../src/multiplexer.ts";
import { createWatching } from "../../src/app.ts";
import { agentsSlice } from "../../src/agents/slice.ts";
import { StoreFile } from "../../src/agents/store/store-file.ts";
import { PATTERN_WORKER } from "../support/pattern-worker.ts";
import { startLiveService } from "../support/live-service.ts";
import { PrivateTmux } from "../support/tmux.ts";
import { until } from "../support/until.ts";
import { cpuOf } from "../support/cpu-seconds.ts";
import { markdownTable, ms, percentile, timedPasses } from "./figures.ts";
import { jsonRequest } from "../support/json.ts";

const PANES = 50;
const AGENTS = 20;
const GROW_EVERY_MS = 500;
const WINDOW_MS = 12_000;
const ROUNDS = 3;
const INTERVAL_SECONDS = 0.7;
const quiet = createLog(() => {});

/** Logs in the form of one runtime, that grow by a message at a time. */
class GrowingLogs {
  readonly #files: string[] = [];
  readonly appended = new Map<string, number>();
  #line = 0;
  #timer: ReturnType<typeof setInterval> | null = null;

  static async create(home: string, folder: string): Promise<GrowingLogs> {
    const logs = new GrowingLogs();
    const sessions = join(home, "sessions", "2026", "01", "01");
    await mkdir(sessions, { recursive: true });
    for (let index = 0; index < AGENTS; index++) {
      const id = `01a20060-f4fb-74c1-8f5f-${String(index).padStart(12, "0")}`;
      const file = join(sessions, `rollout-2026-01-01T00-00-00-${id}.jsonl`);
      logs.#files.push(file);
      const timestamp = new Date().toISOString();
      const payload = { id, timestamp, cwd: folder, originator: "codex", source: "cli" };
      logs.#append(file, "session_meta", payload);
    }
    return logs;
  }

  start(): void {
    this.#timer = setInterval(() => this.#grow(), GROW_EVERY_MS);
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  #grow(): void {
    for (const file of this.#files) {
      const text = `message ${++this.#line} with some words of an answer, as agents write them`;
      this.#append(file, "event_msg", { type: "agent_message", message: text });
      this.appended.set(text, performance.now());
    }
  }

  #append(file: string, type: string, payload: object): void {
    const timestamp = new Date().toISOString();
    appendFileSync(file, `${JSON.stringify({ timestamp, type, payload })}\n`);
  }
}

async function fill(tmux: PrivateTmux, folder: string): Promise<void> {
  const agent = "exec -a codex sleep 3600";
  await tmux.command("new-session", "-d", "-s", "bench", "-x", "120", "-y", "40", "sleep 3600");
  for (let index = 1; index < PANES; index++) {
    const program = index <= AGENTS ? ["bash", "-c", agent] : ["sleep", "3600"];
    await tmux.command("new-window", "-d", "-c", folder, "-t", "bench:", ...program);
  }
}

async function costAndLag(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "agents-bench-"));
  const home = join(folder, "codex");
  const logs = await GrowingLogs.create(home, folder);
  const tmux = await PrivateTmux.idle();
  const live = await startLiveService({
    tmux,
    flags: {
      poll_interval: INTERVAL_SECONDS,
      "agents.agent_a_home": join(folder, "none"),
      "agents.agent_b_home": home,
    },
  });
  try {
    await fill(tmux, folder);
    logs.start();
    const costs = await passCosts(tmux, { home, folder });
    await fetch(
      `${live.url}/api/config`,
      jsonRequest("PATCH", { experimental_agent_workspace_enabled: true }),
    );
    await Bun.sleep(4000);
    const lags = await lagOf(live.url, logs);
    const percent = (values: readonly number[]) => `${(percentile(values, 50) * 100).toFixed(1)} %`;
    const { off, on } = costs;
    const ratio = (percentile(on.passMs, 50) / percentile(off.passMs, 50) - 1) * 100;
    process.stdout.write(
      `${PANES} panes, ${AGENTS} of them agents whose logs grow by a message every ${GROW_EVERY_MS} ms.\n\n` +
        markdownTable(
          ["", "off", "on"],
          [
            ["a pass, median", ms(percentile(off.passMs, 50)), ms(percentile(on.passMs, 50))],
            ["a pass, p90", ms(percentile(off.passMs, 90)), ms(percentile(on.passMs, 90))],
            ["difference of the medians", "", `${ratio.toFixed(1)} %`],
            ["share of a core, reading the logs included", percent(off.cpu), percent(on.cpu)],
          ],
        ) +
        "\n" +
        markdownTable(
          ["line in a log to event on the socket", "median", "p90", "median / interval"],
          [
            [
              `${lags.length} lines, interval ${INTERVAL_SECONDS} s`,
              ms(percentile(lags, 50)),
              ms(percentile(lags, 90)),
              (percentile(lags, 50) / 1000 / INTERVAL_SECONDS).toFixed(2),
            ],
          ],
        ),
    );
  } finally {
    logs.stop();
    await live.stop();
    await tmux.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Costs {
  /** From the listing to the publication. */
  passMs: number[];
  /** Share of a core. */
  cpu: number[];
}

/** Passes of the real poller, with the workspace off and on in turns. */
async function passCosts(
  tmux: PrivateTmux,
  { home, folder }: { home: string; folder: string },
): Promise<{ off: Costs; on: Costs }> {
  const flags = {
    "mux.socket": tmux.socket,
    poll_interval: INTERVAL_SECONDS,
  };
  const clock = systemClock;
  const own = join(folder, "own");
  const sources = await readSources({ configPath: null, flags, home: own, log: quiet });
  const loaded = await loadState(sources, { log: quiet, clock });
  const { hub, machines, provider, queue, ledger, matcher } = await createWatching({
    ...loaded,
    ...{ assets: "", patternWorker: PATTERN_WORKER, log: quiet, clock },
    multiplexer: await openMultiplexer(loaded.settings.current, quiet),
  });
  let isOn = false;
  const agents = agentsSlice({
    feed: new AgentFeed(clock),
    storeFile: new StoreFile({ stateDir: loaded.stateDir, clock, log: quiet }),
    ...{ clock, log: quiet, queue, ledger, unsupported: null },
    ...{ homes: { agent_a: join(folder, "none"), agent_b: home }, retentionDays: 30 },
    ...{ isWanted: () => isOn, labelOf: String },
    ...{ verified: () => {}, pollInterval: () => INTERVAL_SECONDS, passes: hub },
    processes: async (id) => {
      const pane = hub.resolve(id);
      return pane ? provider.processes(pane, "now") : [];
    },
  });
  const costs = { off: { passMs: [], cpu: [] } as Costs, on: { passMs: [], cpu: [] } as Costs };
  let measured: Costs | null = null;
  const pass = timedPasses(provider);
  // Before the workspace: what it does with a pass is not the pass.
  hub.subscribe(() => measured?.passMs.push(performance.now() - pass.startedMs));
  machines.local.poller.start();
  await Bun.sleep(4000);
  for (let round = 0; round < ROUNDS; round++)
    for (const state of ["off", "on"] as const) {
      isOn = state === "on";
      agents.workspace.settingsChanged();
      await agents.workspace.settled();
      await Bun.sleep(3000);
      const before = cpuOf(process.pid);
      measured = costs[state];
      await Bun.sleep(WINDOW_MS);
      measured = null;
      const after = cpuOf(process.pid);
      const used = after.own - before.own + after.children - before.children;
      costs[state].cpu.push((used / WINDOW_MS) * 1000);
    }
  await agents.workspace.stop();
  await machines.local.poller.stop();
  await matcher.stop();
  return costs;
}

/** Milliseconds from the write of a line to the event that names its message. */
async function lagOf(url: string, logs: GrowingLogs): Promise<number[]> {
  const heard: { id: string; agent: string; at: number }[] = [];
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws/agents`);
  socket.onmessage = ({ data }) => {
    const frame = AgentFrame.parse(JSON.parse(String(data)));
    if (frame.type !== "agent_event" || !frame.event.message_id) return;
    const { message_id: id, agent_id: agent } = frame.event;
    heard.push({ id, agent, at: performance.now() });
  };
  await until(() => heard.length >= 400, 60_000);
  socket.close();
  logs.stop();
  const texts = new Map<string, string>();
  for (const agent of new Set(heard.map((event) => event.agent))) {
    const reply = await fetch(`${url}/api/agents/${agent}/messages?limit=200`);
    const { messages }: { messages: { id: string; content: string }[] } = JSON.parse(
      await reply.text(),
    );
    for (const { id, content } of messages) texts.set(id, content);
  }
  return heard.flatMap(({ id, at }) => {
    const written = logs.appended.get(texts.get(id) ?? "");
    return written === undefined ? [] : at - written;
  });
}

await costAndLag();
