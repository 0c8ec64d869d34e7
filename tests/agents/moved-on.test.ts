import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import type { AgentSession } from "../../src/protocol/agents.ts";
import type { AgentContextCapability } from "../../src/protocol/config.ts";
import { type LiveService, startLiveService } from "../support/live-service.ts";
import { send } from "../support/live-workspace.ts";
import { type RecordedAgent, RecordedStage, screensOf } from "../support/recorded-stage.ts";
import { until } from "../support/until.ts";
import { temporary } from "../support/temporary.ts";
import { jsonRequest } from "../support/json.ts";

const SCREENS = screensOf("agent-b", "new-session");
const CAST = { name: "shop", runtime: "agent-b", recording: "new-session" } as const;
/** A later session that the screen does not prove: output of a run, and a common word. */
const OUTPUT = (SCREENS["second-session"] ?? "")
  .replace("Second task", "  └ 24 files changed")
  .replace("Second answer.", "Done.");

interface ConfigReply {
  _info: { capabilities: { agent_context_v1: AgentContextCapability } };
}

let stage: RecordedStage;
let agent: RecordedAgent;
let service: LiveService;
let folder: string;
beforeEach(async () => {
  folder = await temporary("moved-on");
  stage = await RecordedStage.open();
  const screens = here({ ...SCREENS, output: OUTPUT });
  agent = await stage.enter({ ...CAST, session: "A", isNamed: false, at: "before-new", screens });
});
afterEach(async () => {
  await service?.stop();
  await stage.close();
});

/** Screens with the folder of this test, which clear the scrollback as these programs do. */
function here(screens: Readonly<Record<string, string>>): Record<string, string> {
  const path = stage.folderOf(CAST.name);
  const entries = Object.entries(screens).map(([name, text]) => [
    name,
    `\x1b[3J${text.replaceAll(/~\/shop\b/g, path)}`,
  ]);
  return Object.fromEntries(entries);
}

async function startService(): Promise<void> {
  const configPath = join(folder, "panewatch.yaml");
  await Bun.write(configPath, "");
  const flags = { ...stage.homes, poll_interval: 0.2 };
  service = await startLiveService({ tmux: stage.tmux, configPath, flags });
  await send(service.url, "PATCH", "/api/config", { experimental_agent_workspace_enabled: true });
}

async function sessions(): Promise<AgentSession[]> {
  const { agents } = (await send(service.url, "GET", "/api/agents")) as { agents: AgentSession[] };
  return agents;
}

const sessionOf = (nativeId: string, isSo: (session: AgentSession) => boolean) =>
  until(async () => {
    const found = (await sessions()).find((each) => each.native_session_id === nativeId);
    return found && isSo(found) ? found : null;
  });

/** The first session, once sessions were matched with panes. */
async function session(): Promise<AgentSession> {
  await until(async () => {
    const { _info } = (await send(service.url, "GET", "/api/config")) as ConfigReply;
    return _info.capabilities.agent_context_v1.observed?.last_record_at ?? null;
  });
  return sessionOf(agent.sessionId, () => true);
}

const screenText = () => stage.tmux.command("capture-pane", "-p", "-t", stage.paneOf(CAST.name));

/** Sends a message under the session's present binding. @returns the HTTP status */
async function write({ id, binding_revision }: AgentSession, text: string): Promise<number> {
  const reply = await fetch(
    `${service.url}/api/agents/${id}/messages`,
    jsonRequest("POST", {
      text,
      client_message_id: crypto.randomUUID(),
      expected_binding_revision: binding_revision,
    }),
  );
  return reply.status;
}

const keys = () => stage.arrivals.map(({ data }) => data).join("");
const isConfirmed = ({ association }: AgentSession) => association === "confirmed";
const isLost = ({ association }: AgentSession) => association === "unavailable";

test("a session whose program went on to another stays without a pane after a restart, and gets no message", async () => {
  await startService();
  // A stronger proof may follow at once and raise the revision of the binding.
  await until(async () => {
    const first = await sessionOf(agent.sessionId, isConfirmed);
    return (await write(first, "For the first")) === 202 || null;
  });
  expect(keys()).toBe("For the first\r");
  agent.show("new");
  await sessionOf(agent.sessionId, isLost);
  agent.show("output");
  await service.stop();
  await startService();
  const left = await session();
  expect([left.association, await write(left, "For nobody")]).toEqual(["unavailable", 409]);
  const later = await stage.log({ ...CAST, session: "B" });
  await later.grow("second-session");
  const next = await sessionOf(later.sessionId, ({ association }) => association !== "unavailable");
  expect([next.association, (await session()).association]).toEqual(["probable", "unavailable"]);
  expect([await write(await session(), "For nobody"), keys()]).toEqual([409, "For the first\r"]);
});

test("a session whose program went on before the workspace was on is only probable, and gets no message", async () => {
  agent.show("output");
  await until(async () => (await screenText()).includes("files changed"));
  await startService();
  const left = await session();
  expect([left.association, await write(left, "For nobody"), keys()]).toEqual([
    ...["probable", 409, ""],
  ]);
});
