import { appendFile, mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AgentList } from "../../src/protocol/agent-replies.ts";
import { jsonRequest } from "../support/json.ts";
import type { PrivateTmux } from "../support/tmux.ts";

const AGENTS = 4;
/** Of each session, from before the service looks at it. */
const OLD_TURNS = 300;
/** Draws one of two screens in turn: at work, then idle. */
const PROGRAM = 'while :; do cat "$3/work"; sleep 3; cat "$3/idle"; sleep 3; done';
const READS = ["/api/review", "/api/timeline", "/api/decisions", "/api/cards"];

/** Agents in panes with logs that grow, and devices that read what the workspace makes of them. */
export class SoakAgents {
  readonly #tmux: PrivateTmux;
  readonly #ids = Array.from({ length: AGENTS }, () => crypto.randomUUID());
  /** Of each session so far, in the order of the ids. */
  readonly #turns = this.#ids.map(() => 0);
  /** As the service calls them. */
  #listed: readonly string[] = [];
  turns = 0;
  reads = 0;
  readonly answers = new Map<string, number>();

  constructor(tmux: PrivateTmux) {
    this.#tmux = tmux;
  }

  /** Before the service starts. */
  async write(): Promise<void> {
    await mkdir(this.#logs, { recursive: true });
    await symlink("/bin/sh", this.#path("claude"));
    await writeFile(this.#path("agent.sh"), PROGRAM);
    const rule = "─".repeat(80);
    for (const [name, line] of [
      ["work", "✳ Reading… (3s · esc to interrupt)"],
      ["idle", ""],
    ] as const) {
      const text = `\x1b[2J\x1b[H● Done.\n\n${line}\n\n${rule}\n❯\u00a0\n${rule}\n`;
      await writeFile(this.#path(name), text);
    }
    for (const id of this.#ids) await mkdir(this.#path(`work-${id}`));
    for (let each = 0; each < OLD_TURNS * AGENTS; each++) await this.talk();
  }

  async switchOn(url: string): Promise<void> {
    const on = jsonRequest("PATCH", { experimental_agent_workspace_enabled: true });
    const reply = await fetch(`${url}/api/config`, on);
    if (!reply.ok) throw new Error(`the workspace stays off: ${reply.status}`);
  }

  /** Starts those whose pane is gone. */
  async fill(): Promise<void> {
    const { stdout } = await this.#tmux.run(["list-windows", "-a", "-F", "#{window_name}"]);
    const names = new Set(new TextDecoder().decode(stdout).split("\n"));
    for (const id of this.#ids)
      if (!names.has(id)) {
        const command = [this.#path("claude"), this.#path("agent.sh"), "--session-id", id];
        const where = ["-c", this.#path(`work-${id}`)];
        // What fails is filled the next time: the server may just be ending.
        await this.#tmux.run([
          "new-window",
          "-d",
          "-t",
          "main:",
          "-n",
          id,
          ...where,
          ...command,
          this.#tmux.folder,
        ]);
      }
  }

  /** One turn of one of them. */
  async talk(): Promise<void> {
    const at = this.turns % AGENTS;
    const id = this.#ids[at] ?? "";
    const turn = (this.#turns[at] = (this.#turns[at] ?? 0) + 1);
    this.turns += 1;
    const record = (type: string, message: object, ago = 0) =>
      `${JSON.stringify({
        ...{ type, sessionId: id, uuid: crypto.randomUUID(), version: "2.1.330" },
        cwd: this.#path(`work-${id}`),
        timestamp: new Date(Date.now() - ago).toISOString(),
        message,
      })}\n`;
    const says = (content: object) => record("assistant", { model: "m", content: [content] });
    const call = `toolu_${crypto.randomUUID()}`;
    await appendFile(
      join(this.#logs, `${id}.jsonl`),
      [
        record("user", {
          role: "user",
          content: `Turn ${turn}: ${"go on with the cart. ".repeat(turn % 20)}`,
        }),
        says({ type: "text", text: `Reading, for turn ${turn}.` }),
        says({ type: "tool_use", id: call, name: "Bash", input: { command: `echo ${turn}` } }),
        record("user", {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: call, content: "x".repeat(turn % 4000) }],
        }),
        says({
          type: "text",
          text: `Done with turn ${turn}. ${"The total is right. ".repeat(turn % 50)}`,
        }),
      ].join(""),
    );
  }

  /** As a page does that is open on one of them, and searches. */
  async read(url: string): Promise<void> {
    const id = this.#listed[this.reads % this.#listed.length] ?? "";
    const own = ["", "/messages", "/steps", "/timeline"].map((each) => `/api/agents/:id${each}`);
    const paths = ["/api/agents", ...READS, `/api/messages?q=turn%20${this.reads}`, ...own];
    const path = paths[this.reads % paths.length] ?? "";
    this.reads += 1;
    const reply = await fetch(url + path.replace(":id", id));
    const text = await reply.text();
    if (path === "/api/agents")
      this.#listed = AgentList.parse(JSON.parse(text)).agents.map((one) => one.id);
    const name = `${path.replace(/\?.*/, "")} ${reply.status}`;
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
  }

  get #logs(): string {
    return this.#path(".claude/projects/-work");
  }

  #path(name: string): string {
    return join(this.#tmux.folder, name);
  }
}
