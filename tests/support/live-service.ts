import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openMultiplexer, type MultiplexerFactory } from "../../src/multiplexer.ts";
import { type App, type AppOptions, createApp } from "../../src/app.ts";
import { loadState, readSources } from "../../src/config/load.ts";
import type { Layer } from "../../src/config/resolve.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { StateFrame } from "../../src/protocol/frames.ts";
import { jsonRequest } from "./json.ts";
import { PATTERN_WORKER } from "./pattern-worker.ts";
import type { PrivateTmux } from "./tmux.ts";
import { until } from "./until.ts";

export interface LiveService {
  url: string;
  /** What it logged so far. */
  log: readonly string[];
  /** What it answers; a body goes as JSON, and what comes is read as such. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<LiveReply>;
  /** Until it has published all of these panes. */
  publishes(...ids: readonly string[]): Promise<void>;
  readonly slices: App["slices"];
  readonly stateDir: string;
  stop(): Promise<void>;
}

interface LiveReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface LiveServiceOptions {
  readonly tmux?: PrivateTmux;
  readonly multiplexer?: MultiplexerFactory;
  /** Folder of the built web client; absent: none. */
  readonly assets?: string;
  readonly flags?: Layer;
  /** Of a configuration file, whose folder then holds the state. */
  readonly configPath?: string;
  readonly clock?: Clock;
  /** How other machines are reached. */
  readonly linkCommand?: AppOptions["linkCommand"];
}

/** The real service, all of it, over a tmux server of the test's own, or another multiplexer. */
export async function startLiveService(options: LiveServiceOptions): Promise<LiveService> {
  const home = await mkdtemp(join(tmpdir(), "panewatch-home-"));
  const lines: string[] = [];
  const log = createLog((line) => lines.push(line));
  const socket = options.tmux === undefined ? {} : { "mux.socket": options.tmux.socket };
  const flags: Layer = { "server.port": 0, ...socket, ...options.flags };
  const { configPath = null, clock = systemClock } = options;
  const loaded = await loadState(await readSources({ configPath, flags, home, log }), {
    log,
    clock,
  });
  const app = await createApp({
    ...loaded,
    multiplexer: options.multiplexer ?? (await openMultiplexer(loaded.settings.current, log)),
    assets: options.assets ?? join(home, "none"),
    patternWorker: PATTERN_WORKER,
    requireLock: async () => {},
    ...(options.linkCommand ? { linkCommand: options.linkCommand } : {}),
    log,
    clock,
  });
  const { url } = await app.start();
  return {
    url,
    log: lines,
    slices: app.slices,
    stateDir: loaded.stateDir,
    async call(method, path, body, headers) {
      const reply = await fetch(url + path, jsonRequest(method, body, headers));
      return { status: reply.status, headers: reply.headers, body: await reply.json() };
    },
    async publishes(...ids) {
      await until(async () => {
        const { panes } = StateFrame.parse(await (await fetch(`${url}/api/state`)).json());
        return ids.every((id) => panes.some((pane) => pane.id === id)) || null;
      });
    },
    async stop() {
      await app.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
