import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StateFrame } from "../../src/protocol/frames.ts";
import { PaneState } from "../../src/protocol/pane.ts";
import { until } from "../support/until.ts";
import { jsonRequest } from "../support/json.ts";
import { addressOf, FROM_SOURCE } from "../support/child.ts";

const PROMPT_DEADLINE_MS = 20_000;

/** Data folders of the runtimes whose logs are read; of one that is absent none are. */
export interface AgentHomes {
  agent_a?: string;
  agent_b?: string;
}

/** The service as a person starts it, and its HTTP interface as a client uses it. */
export class Panewatch {
  readonly #child: Bun.Subprocess<"ignore", "pipe", "inherit">;
  readonly #folder: string;
  readonly #url: string;

  private constructor(
    child: Bun.Subprocess<"ignore", "pipe", "inherit">,
    folder: string,
    url: string,
  ) {
    this.#child = child;
    this.#folder = folder;
    this.#url = url;
  }

  static async start(socket: string, homes: AgentHomes = {}): Promise<Panewatch> {
    const folder = await mkdtemp(join(tmpdir(), "panewatch-live-state-"));
    const config = join(folder, "config.yaml");
    const lines = [
      "server: {port: 0}",
      `mux: {socket: ${socket}, disable_auto_rename: false}`,
      "poll_interval: 0.2",
      "discovery: {include_shells: true}",
      `agents: {agent_a_home: ${homes.agent_a ?? join(folder, "none")}, agent_b_home: ${homes.agent_b ?? join(folder, "none")}}`,
    ];
    await writeFile(config, `${lines.join("\n")}\n`);
    const child = Bun.spawn([...FROM_SOURCE, "--config", config], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    return new Panewatch(child, folder, await addressOf(child.stdout));
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#child.exited;
    await rm(this.#folder, { recursive: true, force: true });
  }

  async pane(id: string): Promise<PaneState | null> {
    const reply = await fetch(`${this.#url}/api/state`);
    const { panes } = StateFrame.pick({ panes: true }).parse(await reply.json());
    return panes.find((pane) => pane.id === id) ?? null;
  }

  /** The first state of the pane for which this holds. */
  async see(id: string, what: string, holds: (pane: PaneState) => boolean): Promise<PaneState> {
    let last: PaneState | null = null;
    return until(async () => {
      last = await this.pane(id);
      return last && holds(last) ? last : null;
    }, PROMPT_DEADLINE_MS).catch((cause: unknown) => {
      throw new Error(`${id} does not come to ${what}; it shows\n${describe(last)}`, { cause });
    });
  }

  /** Chooses the option with this label on exactly the prompt that is given. */
  async select(pane: PaneState, label: RegExp, text?: string): Promise<void> {
    const option = pane.menu.find((candidate) => label.test(candidate.label));
    if (!option) throw new Error(`no option ${label} in\n${describe(pane)}`);
    await this.#post("select", pane, { key: option.key, ...(text === undefined ? {} : { text }) });
  }

  async key(pane: PaneState, key: string): Promise<void> {
    await this.#post("key", pane, { key });
  }

  async text(pane: PaneState, text: string): Promise<void> {
    await this.#post("text", pane, { text, enter: true });
  }

  /** Any request; the reply as it is. */
  async call(
    method: string,
    path: string,
    body?: object,
  ): Promise<{ status: number; body: unknown }> {
    const reply = await fetch(`${this.#url}${path}`, jsonRequest(method, body));
    return { status: reply.status, body: await reply.json() };
  }

  async #post(action: string, pane: PaneState, body: object): Promise<void> {
    const reply = await fetch(
      `${this.#url}/api/${action}`,
      jsonRequest("POST", { id: pane.id, expected: pane.legacy_guard ?? undefined, ...body }),
    );
    if (reply.ok) return;
    throw new Error(
      `${action} ${JSON.stringify(body)}: ${reply.status} ${(await reply.text()).slice(0, 3000)}`,
    );
  }
}

function describe(pane: PaneState | null): string {
  if (!pane) return "nothing";
  const menu = pane.menu.map(
    ({ key, label, selected }) => `${selected ? ">" : " "}${key} ${label}`,
  );
  return [`${pane.status} (${pane.reason})`, pane.question, ...menu, ...pane.lines.slice(-30)].join(
    "\n",
  );
}
